/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads a guard for each context on a socket: a BPF program in front of its handlers that lets them see only that socket's packets
 * (guard.h). There is one for datagrams and one for TCP segments. spind installs it; attach.c gives the interface's dispatcher the guard
 * instead of the context's program.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include <spin/hpu.h>

#include "bpf/abi/guard.h"
#include "kernel/cpus.h"
#include "kernel/features.h"
#include "kernel/probe.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/failure.h"

extern const char guard_image[], guard_image_end[], guard_tcp_image[], guard_tcp_image_end[];

struct guard {
	struct bpf_object *bpf;
	struct spin_memory bss;
	const struct spin_guard_counts *counts;
	uint32_t *room;
	int prog_fd, port_fd, guarded_fd, socket_fd;
	uint32_t id;
};

int spin_guards__open(struct spin_guards *guards, unsigned percent, unsigned events)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int err;

	guards->percent = percent;
	guards->events = events;
	guards->addresses_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "spin_guard_loca", 16, 4, SPIN_GUARD_ADDRESSES, &opts);
	guards->changes_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "spin_guard_chan", 4, sizeof(uint64_t), 1, NULL);
	guards->cpus_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "spin_guard_cpus", 4, sizeof(struct spin_guard_cpu), 1, NULL);
	err = guards->addresses_fd < 0 ? guards->addresses_fd : guards->changes_fd < 0 ? guards->changes_fd : guards->cpus_fd;
	if (err >= 0)
		return 0;
	spin_guards__close(guards);
	return spin_fail(err, "cannot make the maps of a network namespace's guards: %s", strerror(-err));
}

void spin_guards__close(struct spin_guards *guards)
{
	int *const fds[] = { &guards->addresses_fd, &guards->changes_fd, &guards->cpus_fd };

	for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void spin_guards__changed(const struct spin_guards *guards, uint64_t changes)
{
	uint32_t zero = 0;

	bpf_map_update_elem(guards->changes_fd, &zero, &changes, BPF_ANY);
}

/* Returns the bytes that this many events a second take in the ring buffer per window, at least one event; each has an 8-byte header. */
static uint64_t event_bytes(unsigned events)
{
	const uint64_t each = (sizeof(struct spin_event) + 8 + 7) / 8 * 8, windows = 1000000000 / SPIN_GUARD_EVENTS_NS;

	return (events + windows - 1) / windows * each;
}

void guard__limits(const struct spin_guards *guards, struct spin_guard_share *out)
{
	out->percent = guards->percent;
	out->event_bytes = event_bytes(guards->events);
}

/* Before loading: sets the shared maps, the context's event queue, and its limits. */
static int prepare(struct bpf_object *bpf, const struct spin_guards *guards, int events_fd)
{
	struct bpf_map *addresses = bpf_object__find_map_by_name(bpf, "spin_guard_local");
	struct bpf_map *changes = bpf_object__find_map_by_name(bpf, "spin_guard_changes");
	struct bpf_map *cpus = bpf_object__find_map_by_name(bpf, "spin_guard_cpus"), *constants = section__map(bpf, ".rodata");
	struct bpf_map *events = bpf_object__find_map_by_name(bpf, "spin_guard_events");
	struct spin_memory mem = { 0 };
	struct spin_guard_share *share;
	int err;

	mem.addr = constants ? (char *)bpf_map__initial_value(constants, &mem.bytes) : NULL;
	share = section__variable(bpf, ".rodata", &mem, "spin_guard_share", sizeof(*share));
	if (!addresses || !changes || !cpus || !share || !events)
		return -EINVAL;
	guard__limits(guards, share);
	err = bpf_map__reuse_fd(addresses, guards->addresses_fd);
	if (!err)
		err = bpf_map__reuse_fd(changes, guards->changes_fd);
	if (!err)
		err = bpf_map__reuse_fd(events, events_fd);
	return err ? err : bpf_map__reuse_fd(cpus, guards->cpus_fd);
}

static const char *program_name(const struct spin_ctx *ctx)
{
	return ctx__takes_segments(ctx) ? "spin_guard_tcp" : "spin_guard";
}

static struct bpf_object *open_image(const struct spin_ctx *ctx, const struct bpf_object_open_opts *opts)
{
	if (ctx__takes_segments(ctx))
		return bpf_object__open_mem(guard_tcp_image, (size_t)(guard_tcp_image_end - guard_tcp_image), opts);
	return bpf_object__open_mem(guard_image, (size_t)(guard_image_end - guard_image), opts);
}

/* Streams have no packets to guard (streams/): only spin_guard_port is loaded, which tells whether the socket is open. */
static int load(struct guard *guard, const struct spin_guards *guards, const struct spin_ctx *ctx)
{
	char *log = calloc(1, VERIFIER_LOG_BYTES);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "spin_guard", .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG_BYTES);
	int err;

	if (!log)
		return spin_fail(-ENOMEM, "no memory for a guard");
	guard->bpf = open_image(ctx, &opts);
	err = guard->bpf ? prepare(guard->bpf, guards, ctx->events_fd) : -EINVAL;
	if (err) {
		err = spin_fail(err, "cannot prepare the guard of a socket: %s", strerror(-err));
	} else {
		class__take_fragments(guard->bpf);
		bpf_program__set_autoload(bpf_object__find_program_by_name(guard->bpf, "spin_guard_port"), true);
		bpf_program__set_autoload(bpf_object__find_program_by_name(guard->bpf, program_name(ctx)), !ctx->streams);
		err = load_failure__load_own(guard->bpf, log, SPIN_CLASS_TRUSTED, "the guard of a socket");
	}
	free(log);
	return err ? err : section__open(guard->bpf, ".bss", "the guard of a socket", &guard->bss);
}

/* Marks the socket, and with it the connections that it accepts from now on. Returns 0, or sets errno. */
static int mark(const struct guard *guard, int socket_fd)
{
	const uint32_t one = 1;

	return bpf_map_update_elem(bpf_object__find_map_fd_by_name(guard->bpf, "spin_guard_mark"), &socket_fd, &one, BPF_ANY);
}

/* Looks up what load() has created, and connects it to the context's program and the socket. */
static int connect_guard(struct guard *guard, const struct spin_ctx *ctx, int socket_fd)
{
	const struct bpf_program *prog = bpf_object__find_program_by_name(guard->bpf, program_name(ctx));
	const struct bpf_program *port = bpf_object__find_program_by_name(guard->bpf, "spin_guard_port");
	struct bpf_prog_info info = { 0 };
	uint32_t zero = 0, info_bytes = sizeof(info);
	uint64_t value = (uint64_t)socket_fd;

	guard->counts = section__variable(guard->bpf, ".bss", &guard->bss, "spin_guard_counts", sizeof(*guard->counts) * SPIN_HPUS_MAX);
	guard->room = section__variable(guard->bpf, ".bss", &guard->bss, "spin_guard_room", sizeof(*guard->room));
	guard->prog_fd = prog ? bpf_program__fd(prog) : -1;
	guard->port_fd = port ? bpf_program__fd(port) : -1;
	guard->guarded_fd = bpf_object__find_map_fd_by_name(guard->bpf, "spin_guard_prog");
	guard->socket_fd = bpf_object__find_map_fd_by_name(guard->bpf, "spin_guard_socket");
	if ((guard->prog_fd < 0 && !ctx->streams) || guard->port_fd < 0 || !guard->counts || !guard->room || guard->guarded_fd < 0 ||
	    guard->socket_fd < 0)
		return spin_fail(-EINVAL, "the guard of a socket is of another version: build libspin again");
	guard__set_room(guard, ctx->needs_tailroom);
	if (!ctx->streams && bpf_map_update_elem(guard->guarded_fd, &zero, &ctx->prog_fd, BPF_ANY))
		return spin_fail(-errno, "the guard of a socket cannot take the context: %s", strerror(errno));
	if (bpf_map_update_elem(guard->socket_fd, &zero, &value, BPF_ANY))
		return spin_fail(errno == EOPNOTSUPP || errno == EINVAL ? -EOPNOTSUPP : -errno,
				 "the kernel takes no such socket into a sockmap (%s), so handlers cannot be held to its packets",
				 strerror(errno));
	if (ctx__takes_segments(ctx) && mark(guard, socket_fd))
		return spin_fail(-errno, "the socket cannot be marked: %s", strerror(errno));
	if (bpf_obj_get_info_by_fd(ctx->streams ? guard->port_fd : guard->prog_fd, &info, &info_bytes))
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

int spin_guard__install(struct spin_ctx *ctx, int socket_fd, const struct spin_guards *guards)
{
	struct guard *guard = calloc(1, sizeof(*guard));
	int err;

	if (!guard)
		return spin_fail(-ENOMEM, "no memory for a guard");
	if (ctx__takes_segments(ctx) && !kernel_probe__may_goto()) {
		free(guard);
		return spin_fail(-ENOSYS, "handlers on sockets of TCP need Linux %s", kernel_feature__version(KERNEL_JUMBO));
	}
	if (ctx->messages || ctx->requests) {
		free(guard);
		return spin_fail(-EOPNOTSUPP,
				 "%s takes messages or sends packets of its own, which handlers of a socket may not: they answer in the "
				 "packet that came",
				 ctx->name);
	}
	err = load(guard, guards, ctx);
	if (!err)
		err = connect_guard(guard, ctx, socket_fd);
	if (err) {
		guard__free(guard);
		return err;
	}
	ctx->guard = guard;
	return 0;
}

uint64_t spin_guard__map_bytes(const struct spin_object *obj)
{
	if (spin_object__meta(obj)->registration.delivery != SPIN_DELIVER_SEGMENTS)
		return 0;
	return SPIN_GUARD_CLOSING * (sizeof(struct spin_guard_tuple) + sizeof(uint32_t));
}

int guard__program_fd(const struct guard *guard)
{
	return guard->prog_fd;
}

void guard__set_room(const struct guard *guard, int needs_tailroom)
{
	__atomic_store_n(guard->room, needs_tailroom != 0, __ATOMIC_RELEASE);
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
	uint8_t frame[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);

	return ctx->guard && !bpf_prog_test_run_opts(ctx->guard->port_fd, &opts) && opts.retval == ctx->rule.dst_port;
}

void spin_guard__counts(const struct spin_ctx *ctx, struct spin_guard_sum *sum)
{
	const int cpus = kernel_cpus__possible();

	*sum = (struct spin_guard_sum){ 0 };
	for (int cpu = 0; ctx->guard && cpu < cpus; cpu++) {
		const struct spin_guard_counts *counts = &ctx->guard->counts[cpu];

		sum->left += __atomic_load_n(&counts->left, __ATOMIC_RELAXED);
		sum->refused += __atomic_load_n(&counts->refused, __ATOMIC_RELAXED);
		sum->over += __atomic_load_n(&counts->over, __ATOMIC_RELAXED) + __atomic_load_n(&counts->noisy, __ATOMIC_RELAXED);
		sum->busy_ns += __atomic_load_n(&counts->busy_ns, __ATOMIC_RELAXED);
	}
	if (ctx->streams)
		streams__add_counts(ctx, sum);
}

uint32_t spin_guard__id(const struct spin_ctx *ctx)
{
	return ctx->guard ? ctx->guard->id : 0;
}
