/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * HPU memory (handlers' state) that outlives contexts and is shared by them (sPIN B.2): a map that replaces the map of an object's .data
 * section, in which the compiler places only the state. Called by applications, ctx.c and load/context.c. The kernel keeps the map while a
 * program or a descriptor refers to it, so users need not be counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "user/libspin/hpu/memory.h"
#include "kernel/probe.h"
#include "kernel/shortage.h"
#include "user/libspin/ni_limits.h"

#define STATE_SECTION ".data"

struct spin_hpu_mem {
	int fd;
	struct spin_memory memory;
};

/* Creates an array of one value, mapped by user space and accessed directly by programs. */
static int make_map(const char *name, size_t bytes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), (uint32_t)(bytes + 7) / 8 * 8, 1, &opts);
}

int spin_hpu_mem__alloc(struct spin_nic *nic, size_t bytes, struct spin_hpu_mem **out)
{
	struct spin_ni_limits limits = { .bytes = sizeof(limits) };
	int err = spin_nic__limits(nic, &limits);
	struct spin_hpu_mem *mem;
	char reason[SPIN_ERROR_BYTES];

	*out = NULL;
	if (err)
		return err;
	if (!bytes)
		return spin_fail(-EINVAL, "0 bytes of HPU memory: ask for as many as the handlers' state has");
	if (bytes > limits.max_handler_mem)
		return spin_fail(-E2BIG, "%zu bytes of HPU memory, but the limit (max_handler_mem) is %llu: ask for less", bytes,
				 (unsigned long long)limits.max_handler_mem);
	mem = calloc(1, sizeof(*mem));
	if (!mem)
		return spin_fail(-ENOMEM, "no memory for HPU memory");
	mem->memory.bytes = bytes;
	mem->fd = make_map("spin_hpu_mem", bytes);
	if (mem->fd < 0) {
		err = class__probe(kernel_probe__privileged() ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED, reason, sizeof(reason));
		err = err ? err : kernel_shortage__explain(mem->fd, 0, reason, sizeof(reason));
		err = err ? spin_fail(err, "%s", reason)
			  : spin_fail(mem->fd, "the kernel gives no %zu bytes of HPU memory: %s", bytes, strerror(-mem->fd));
	} else {
		void *addr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, mem->fd, 0);

		if (addr == MAP_FAILED)
			err = spin_fail(-errno, "cannot map HPU memory: %s", strerror(errno));
		else
			mem->memory.addr = addr;
	}
	if (err) {
		spin_hpu_mem__free(mem);
		return err;
	}
	*out = mem;
	return 0;
}

void spin_hpu_mem__free(struct spin_hpu_mem *mem)
{
	if (!mem)
		return;
	section__close(&mem->memory);
	if (mem->fd >= 0)
		close(mem->fd);
	free(mem);
}

void *spin_hpu_mem__addr(struct spin_hpu_mem *mem, size_t *bytes)
{
	if (bytes)
		*bytes = mem->memory.bytes;
	return mem->memory.addr;
}

/*
 * libbpf takes the size of a reused map for that of the section, and would later unmap as many bytes. So libbpf gets a map of the
 * section's own size, whose descriptor dup3() then replaces with that of the HPU memory.
 */
static int replace_state_map(const struct spin_hpu_mem *mem, struct bpf_map *section, const char *who)
{
	int fd = make_map("spin_mem" STATE_SECTION, bpf_map__value_size(section)), err;

	if (fd < 0)
		return spin_fail(fd, "no map for the state of %s: %s", who, strerror(-fd));
	err = bpf_map__reuse_fd(section, fd);
	close(fd);
	if (!err && dup3(mem->fd, bpf_map__fd(section), O_CLOEXEC) < 0)
		err = -errno;
	return err ? spin_fail(err, "%s cannot have this HPU memory: %s", who, strerror(-err)) : 0;
}

static int check_initial_state(const struct spin_ctx_opts *opts, size_t state_bytes, const char *who)
{
	const size_t bytes = opts->initial_state_bytes;

	if (!opts->initial_state && !bytes)
		return 0;
	if (!opts->initial_state || !bytes)
		return spin_fail(-EINVAL, "the initial state of %s is %zu bytes at %s: give both, or neither", who, bytes,
				 opts->initial_state ? "some place" : "NULL");
	if (bytes > SPIN_STATE_MAX)
		return spin_fail(-E2BIG, "the initial state of %s has %zu bytes, but the limit (max_initial_state) is %u", who, bytes,
				 SPIN_STATE_MAX);
	if (bytes > state_bytes)
		return spin_fail(-EINVAL, "the initial state of %s has %zu bytes, its state %zu: give as many or less", who, bytes,
				 state_bytes);
	return 0;
}

int hpu_mem__prepare(const struct spin_ctx_opts *opts, struct bpf_object *bpf, const char *who)
{
	struct bpf_map *section = section__map(bpf, STATE_SECTION);
	size_t bytes = 0;
	char *initial = section ? (char *)bpf_map__initial_value(section, &bytes) : NULL;
	int err;

	if (!initial)
		return spin_fail(-EINVAL, "%s has no state of this version; compile it again with spincc", who);
	err = check_initial_state(opts, bytes, who);
	if (err)
		return err;
	if (!opts->hpu_mem) {
		if (opts->initial_state)
			memcpy(initial, opts->initial_state, opts->initial_state_bytes);
		return 0;
	}
	if (bytes > opts->hpu_mem->memory.bytes)
		return spin_fail(-EINVAL,
				 "the state of %s has %zu bytes, the HPU memory %zu: allocate as many as the largest state "
				 "that is to lie in it",
				 who, bytes, opts->hpu_mem->memory.bytes);
	return replace_state_map(opts->hpu_mem, section, who);
}

void hpu_mem__init_state(const struct spin_ctx_opts *opts)
{
	if (opts->hpu_mem && opts->initial_state)
		memcpy(opts->hpu_mem->memory.addr, opts->initial_state, opts->initial_state_bytes);
}
