/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Guards of contexts (guard.h): loads one per context. attach.c gives the dispatcher its program instead of the context's. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include <spin/hpu.h>

#include "bpf/abi/guard.h"
#include "kernel/cpus.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/failure.h"

extern const char guard_image[], guard_image_end[];

struct guard {
	struct bpf_object *bpf;
	struct spin_memory bss;
	const struct spin_guard_counts *counts;
	int prog_fd, guarded_fd, socket_fd;
	uint32_t id;
};

int spin_guard__new_addresses(int *map_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "spin_guard_loca", 16, 4, SPIN_GUARD_ADDRESSES, &opts);

	*map_fd = fd;
	return fd < 0 ? spin_fail(fd, "cannot make the map of this host's addresses: %s", strerror(-fd)) : 0;
}

static int load(struct guard *guard, int local_fd)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_guard", .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG_BYTES);
	struct bpf_map *local;
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for a guard");
	guard->bpf = bpf_object__open_mem(guard_image, (size_t)(guard_image_end - guard_image), &opts);
	local = guard->bpf ? bpf_object__find_map_by_name(guard->bpf, "spin_guard_local") : NULL;
	err = local ? bpf_map__reuse_fd(local, local_fd) : -EINVAL;
	if (err) {
		err = spin_fail(err, "cannot prepare the guard of a socket: %s", strerror(-err));
	} else {
		class__take_fragments(guard->bpf);
		err = load_failure__load_own(guard->bpf, log, SPIN_CLASS_TRUSTED, "the guard of a socket");
	}
	free(log);
	return err ? err : section__open(guard->bpf, ".bss", "the guard of a socket", &guard->bss);
}

/* Finds what load() has made, and connects it with the context's program and the socket. */
static int connect_guard(struct guard *guard, const struct spin_ctx *ctx, int socket_fd)
{
	const struct bpf_program *prog = bpf_object__find_program_by_name(guard->bpf, "spin_guard");
	struct bpf_prog_info info = { 0 };
	uint32_t zero = 0, info_bytes = sizeof(info);
	uint64_t value = (uint64_t)socket_fd;

	guard->counts = section__variable(guard->bpf, ".bss", &guard->bss, "spin_guard_counts", sizeof(*guard->counts) * SPIN_HPUS_MAX);
	guard->prog_fd = prog ? bpf_program__fd(prog) : -1;
	guard->guarded_fd = bpf_object__find_map_fd_by_name(guard->bpf, "spin_guarded");
	guard->socket_fd = bpf_object__find_map_fd_by_name(guard->bpf, "spin_guard_socket");
	if (guard->prog_fd < 0 || !guard->counts || guard->guarded_fd < 0 || guard->socket_fd < 0)
		return spin_fail(-EINVAL, "the guard of a socket is of another version: build libspin again");
	if (bpf_map_update_elem(guard->guarded_fd, &zero, &ctx->prog_fd, BPF_ANY))
		return spin_fail(-errno, "the guard of a socket cannot take the context: %s", strerror(errno));
	if (bpf_map_update_elem(guard->socket_fd, &zero, &value, BPF_ANY))
		return spin_fail(errno == EOPNOTSUPP || errno == EINVAL ? -EOPNOTSUPP : -errno,
				 "the kernel takes no such socket into a sockmap (%s), so handlers cannot be held to its datagrams",
				 strerror(errno));
	if (bpf_obj_get_info_by_fd(guard->prog_fd, &info, &info_bytes))
		return spin_fail(-errno, "the guard of a socket cannot be queried: %s", strerror(errno));
	guard->id = info.id;
	return 0;
}

void guard__free(struct guard *guard)
{
	if (!guard)
		return;
	section__close(&guard->bss);
	bpf_object__close(guard->bpf);
	free(guard);
}

int spin_guard__install(struct spin_ctx *ctx, int socket_fd, int local_fd)
{
	struct guard *guard = calloc(1, sizeof(*guard));
	int err;

	if (!guard)
		return spin_fail(-ENOMEM, "no memory for a guard");
	if (ctx->messages || ctx->requests) {
		free(guard);
		return spin_fail(-EOPNOTSUPP,
				 "%s takes messages or sends packets of its own, which handlers of a socket may not: they answer in the "
				 "packet that came",
				 ctx->name);
	}
	err = load(guard, local_fd);
	if (!err)
		err = connect_guard(guard, ctx, socket_fd);
	if (err) {
		guard__free(guard);
		return err;
	}
	ctx->guard = guard;
	return 0;
}

int guard__program_fd(const struct guard *guard)
{
	return guard->prog_fd;
}

int guard__replace(struct guard *guard, int prog_fd)
{
	uint32_t zero = 0;

	if (bpf_map_update_elem(guard->guarded_fd, &zero, &prog_fd, BPF_ANY))
		return spin_fail(-errno, "the guard of a socket cannot take the new handlers: %s", strerror(errno));
	return 0;
}

int spin_guard__has_socket(const struct spin_ctx *ctx)
{
	uint64_t cookie;
	uint32_t zero = 0;

	return ctx->guard && !bpf_map_lookup_elem(ctx->guard->socket_fd, &zero, &cookie);
}

void spin_guard__counts(const struct spin_ctx *ctx, uint64_t *left, uint64_t *refused)
{
	const int cpus = kernel_cpus__possible();

	*left = *refused = 0;
	for (int cpu = 0; ctx->guard && cpu < cpus; cpu++) {
		*left += __atomic_load_n(&ctx->guard->counts[cpu].left, __ATOMIC_RELAXED);
		*refused += __atomic_load_n(&ctx->guard->counts[cpu].refused, __ATOMIC_RELAXED);
	}
}

uint32_t spin_guard__id(const struct spin_ctx *ctx)
{
	return ctx->guard ? ctx->guard->id : 0;
}
