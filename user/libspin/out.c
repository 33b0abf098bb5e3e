/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the contexts of a process that send packets have in common. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "kernel/cpus.h"
#include "kernel/probe.h"
#include "user/libspin/load_failure.h"
#include "user/libspin/out_private.h"

extern const char out_image[], out_image_end[];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned holders;
	unsigned generation; /* of what was loaded */
	uint64_t owners;     /* one bit each */
	struct bpf_object *bpf;
	int program_fd, outs_fd, boxes_fd, made_fd;
} out;

static const char *const shared[] = { "spin_outs", "spin_outboxes" };

static int load_logged(const char *log)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_out", .kernel_log_buf = (char *)log,
		    .kernel_log_size = VERIFIER_LOG_BYTES);
	struct bpf_program *prog;
	struct bpf_map *map;
	int err;

	out.bpf = bpf_object__open_mem(out_image, (size_t)(out_image_end - out_image), &opts);
	prog = out.bpf ? bpf_object__find_program_by_name(out.bpf, "spin_out") : NULL;
	map = out.bpf ? bpf_object__find_map_by_name(out.bpf, shared[0]) : NULL;
	if (!prog || !map || bpf_program__set_autoload(prog, true) || bpf_map__set_max_entries(map, SPIN_OUTS))
		return spin_fail(-EINVAL, "the program that sends packets of handlers is of another version: build libspin anew");
	class__take_fragments(out.bpf);
	err = load_failure__load_own(out.bpf, log, kernel_probe__privileged() ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED,
				     "the program that sends handlers' packets");
	if (err)
		return err;
	out.program_fd = bpf_program__fd(prog);
	out.outs_fd = bpf_map__fd(map);
	out.generation++;
	out.boxes_fd = bpf_object__find_map_fd_by_name(out.bpf, shared[1]);
	out.made_fd = bpf_object__find_map_fd_by_name(out.bpf, "spin_outs_made");
	return out.boxes_fd < 0 || out.made_fd < 0 ? spin_fail(-EINVAL, "libspin is put together wrongly: build it anew") : 0;
}

static int load(void)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	int err = log ? load_logged(log) : spin_fail(-ENOMEM, "no memory for the program that sends handlers' packets");

	free(log);
	return err;
}

static void release(void)
{
	if (--out.holders)
		return;
	bpf_object__close(out.bpf);
	out.bpf = NULL;
}

int out__hold(unsigned *owner)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (!out.holders++)
		err = load();
	if (!err && out.owners == UINT64_MAX)
		err = spin_fail(-ENOSPC, "this process has %u contexts that send packets, the most there can be", SPIN_OUT_OWNERS);
	if (err) {
		release();
	} else {
		*owner = (unsigned)__builtin_ctzll(~out.owners);
		out.owners |= 1ull << *owner;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

void out__release(unsigned owner)
{
	pthread_mutex_lock(&lock);
	out.owners &= ~(1ull << owner);
	release();
	pthread_mutex_unlock(&lock);
}

int out__program_fd(unsigned *generation)
{
	*generation = out.generation;
	return out.program_fd;
}

int out__share(struct bpf_object *bpf)
{
	const int fds[] = { out.outs_fd, out.boxes_fd };
	const uint32_t bytes[] = { sizeof(struct spin_out), sizeof(struct spin_outbox) };

	for (unsigned i = 0; i < 2; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(bpf, shared[i]);
		int err = map && bpf_map__value_size(map) == bytes[i] ? bpf_map__reuse_fd(map, fds[i]) : -ENOENT;

		if (err)
			return err;
	}
	return 0;
}

uint64_t out__count(unsigned owner)
{
	const int cpus = kernel_cpus__possible();
	struct spin_outs_made *made = cpus > 0 ? calloc((size_t)cpus, sizeof(*made)) : NULL;
	uint32_t zero = 0;
	uint64_t sum = 0;

	if (made && !bpf_map_lookup_elem(out.made_fd, &zero, made))
		for (int i = 0; i < cpus; i++)
			sum += made[i].copies[owner];
	free(made);
	return sum;
}
