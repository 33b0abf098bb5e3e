/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a context has for TCP streams: its programs and maps, before and after they are loaded, and while they are replaced (streams.h).
 * Called by ctx.c, load/ and swap/ for every context; most functions do nothing for those without streams.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "kernel/cpus.h"
#include "user/libspin/internal.h"
#include "user/libspin/streams/private.h"
#include "user/libspin/streams/streams.h"

#define UNITS "spin_units"

int spin_streams__fit(const struct spin_object *obj)
{
	const struct spin_meta *meta = &obj->meta;

	if (meta->registration.delivery == SPIN_DELIVER_SEGMENTS)
		return spin_fail(
			-EOPNOTSUPP,
			"%s takes TCP segments as they arrive, and not the bytes of a stream: register .delivery = SPIN_DELIVER_STACK",
			meta->name);
	if (meta->registration.delivery != SPIN_DELIVER_STACK)
		return spin_fail(-EOPNOTSUPP, "%s takes messages, and those come by UDP: attach it to a socket of UDP", meta->name);
	if (meta->registration.puts)
		return spin_fail(-EOPNOTSUPP, "%s sends packets (SPIN_PUTS), and a stream has none that they could leave in", meta->name);
	if (meta->registration.user_header_bytes)
		return spin_fail(-EOPNOTSUPP,
				 "%s registers user_header_bytes, and a stream's first bytes may come one by one: look at them in the "
				 "payload handler",
				 meta->name);
	return 0;
}

uint32_t streams__units(void)
{
	const int cpus = kernel_cpus__possible();
	const uint32_t units = (uint32_t)cpus * SPIN_UNITS_OF_CPU, room = SPIN_HPUS_MAX - (uint32_t)cpus;

	return units < room ? units : room;
}

static const char *const map_names[] = { "spin_streams", "spin_stream_on", UNITS };

uint64_t streams__map_entries(const struct bpf_map *map, int is_stream)
{
	for (size_t i = 0; i < sizeof(map_names) / sizeof(map_names[0]); i++)
		if (!strcmp(bpf_map__name(map), map_names[i]))
			return !is_stream ? 0 : !strcmp(map_names[i], UNITS) ? streams__units() : 1;
	return 1;
}

int streams__prepare(struct spin_ctx *ctx)
{
	struct bpf_program *stream = bpf_object__find_program_by_name(ctx->bpf, "spin_stream");
	struct bpf_program *end = bpf_object__find_program_by_name(ctx->bpf, "spin_stream_end");
	struct bpf_map *map = NULL;
	int err = 0;

	for (size_t i = 0; i < sizeof(map_names) / sizeof(map_names[0]) && !err; i++) {
		map = bpf_object__find_map_by_name(ctx->bpf, map_names[i]);
		if (map)
			err = bpf_map__set_autocreate(map, ctx->takes_streams);
		else if (ctx->takes_streams)
			err = -ENOENT;
	}
	if (err || !ctx->takes_streams)
		return err;
	if (!stream || !end)
		return -ENOENT;
	if (!streams__units()) {
		ctx->failure_reported = 1;
		return spin_fail(-E2BIG,
				 "this machine has %d CPUs, and with so many no HPU is left for streams: attach %s to sockets of UDP",
				 kernel_cpus__possible(), ctx->name);
	}
	bpf_program__set_autoload(stream, true);
	bpf_program__set_autoload(end, true);
	map = bpf_object__find_map_by_name(ctx->bpf, UNITS);
	return bpf_map__set_max_entries(map, streams__units());
}

static void *map_memory(int map_fd, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int streams__open(struct spin_ctx *ctx)
{
	const struct bpf_program *stream = bpf_object__find_program_by_name(ctx->bpf, "spin_stream");
	const struct bpf_program *end = bpf_object__find_program_by_name(ctx->bpf, "spin_stream_end");
	int on_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_stream_on"), zero = 0;
	struct streams *s;

	if (!ctx->takes_streams)
		return 0;
	s = ctx->streams = calloc(1, sizeof(*s));
	if (!s)
		return spin_fail(-ENOMEM, "no memory for the streams of %s", ctx->name);
	pthread_mutex_init(&s->run, NULL);
	pthread_mutex_init(&s->queue_lock, NULL);
	pthread_cond_init(&s->queued_some, NULL);
	s->fd.end = bpf_program__fd(end);
	s->fd.prog = bpf_program__fd(stream);
	s->fd.taken = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_streams_taken");
	s->fd.units_taken = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_units_taken");
	s->fd.seen = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_streams_seen");
	s->fd.events = ctx->events_fd;
	s->stream = map_memory(bpf_object__find_map_fd_by_name(ctx->bpf, "spin_streams"), sizeof(*s->stream) * SPIN_STREAMS_MAX);
	s->seen = map_memory(s->fd.seen, sizeof(*s->seen));
	if (!s->stream || !s->seen)
		return spin_fail(-errno, "the streams of %s cannot be mapped: %s", ctx->name, strerror(errno));
	if (bpf_map_update_elem(on_fd, &zero, &s->fd.prog, BPF_ANY))
		return spin_fail(-errno, "the program of %s for streams cannot be connected: %s", ctx->name, strerror(errno));
	return 0;
}

/* Waits until no program runs that has read the slot before: the kernel does so when an entry of a map of maps is replaced. */
static void wait_for_programs(const struct streams *s)
{
	bpf_map_update_elem(streams_shared.states_fd, &s->slot, &s->fd.seen, BPF_ANY);
}

/* next's maps are the same as ctx's, under other descriptors, except for those that only a running program has. */
int streams__replace(struct spin_ctx *ctx, struct spin_ctx *next)
{
	struct streams *s = ctx->streams, *other = next->streams;
	const struct streams_fds old = s->fd;

	if (s->attached && bpf_map_update_elem(streams_shared.programs_fd, &s->slot, &other->fd.prog, BPF_ANY))
		return spin_fail(-errno, "the streams of %s cannot be given the new handlers: %s", ctx->name, strerror(errno));
	streams_complete__lock(s);
	s->fd = other->fd;
	streams_complete__unlock(s);
	other->fd = old;
	if (s->attached) /* not before: while the old program runs, it finds the rest of a piece by its own program array */
		wait_for_programs(s);
	return 0;
}
