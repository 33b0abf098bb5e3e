/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Gives the connections of TCP sockets to contexts (streams.h): marks sockets, enters connections into the maps of bpf/streams.bpf.c, and
 * attaches and detaches contexts. Called by spind and ctx.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "bpf/abi/guard.h"
#include "kernel/cpus.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"
#include "user/libspin/streams/private.h"
#include "user/libspin/streams/streams.h"

/* The caller holds the lock. */
static int alloc_slot(struct streams *s)
{
	uint8_t taken[SPIN_STREAM_SLOTS] = { 0 };

	for (const struct streams *at = streams_shared.list; at; at = at->next)
		taken[at->slot] = 1;
	for (uint32_t slot = 1; slot < SPIN_STREAM_SLOTS; slot++)
		if (!taken[slot]) {
			s->slot = slot;
			s->next = streams_shared.list;
			streams_shared.list = s;
			return 0;
		}
	return spin_fail(-ENOSPC, "%u contexts have sockets of TCP, the most there can be", SPIN_STREAM_SLOTS - 1);
}

/* Enters what the context will use of its limits: nothing yet. */
static int add_used(const struct streams *s)
{
	struct spin_guard_counts *none = calloc((size_t)kernel_cpus__possible(), sizeof(*none));
	const struct spin_guard_events_window window = { 0 }; /* else it would be that of the slot's last context */
	int err = none ? bpf_map_update_elem(streams_shared.used_fd, &s->slot, none, BPF_ANY) : -ENOMEM;

	if (!err)
		err = bpf_map_update_elem(streams_shared.windows_fd, &s->slot, &window, BPF_ANY);

	free(none);
	return err ? spin_fail(err, "the context's limits cannot be kept: %s", strerror(-err)) : 0;
}

void streams__add_counts(const struct spin_ctx *ctx, struct spin_guard_sum *sum)
{
	const int cpus = kernel_cpus__possible();
	struct spin_guard_counts *used = calloc((size_t)cpus, sizeof(*used));

	if (used && ctx->streams->slot && !bpf_map_lookup_elem(streams_shared.used_fd, &ctx->streams->slot, used))
		for (int cpu = 0; cpu < cpus; cpu++) {
			sum->over += used[cpu].over + used[cpu].noisy;
			sum->busy_ns += used[cpu].busy_ns;
		}
	sum->busy_ns += __atomic_load_n(&ctx->streams->completions_ns, __ATOMIC_RELAXED);
	free(used);
}

/* A connection stays in the maps when its context ends, and the kernel refuses to add a socket with a verdict program again (-EBUSY). */
static int add_socket(int map_fd, uint64_t cookie, uint64_t fd)
{
	uint64_t value;

	return bpf_map_lookup_elem(map_fd, &cookie, &value) ? bpf_map_update_elem(map_fd, &cookie, &fd, BPF_ANY) : 0;
}

/* Gives a connection that exists already to the context. */
static int add_connection(const struct streams *s, int socket_fd)
{
	const struct spin_stream_known known = { .owner = { s->id, s->slot } };
	const uint64_t fd = (uint64_t)socket_fd;
	int err = 0;

	bpf_map_delete_elem(streams_shared.owner_fd, &socket_fd); /* inherited from a context that has ended: spin_streams__install() */
	if (bpf_map_update_elem(streams_shared.known_fd, &s->cookie, &known, BPF_NOEXIST))
		return spin_fail(-errno, "the connection cannot have handlers: %s",
				 errno == EEXIST ? "another context has it" : strerror(errno));
	if (add_socket(streams_shared.kept_fd, s->cookie, fd) || add_socket(streams_shared.socks_fd, s->cookie, fd))
		err = spin_fail(-errno, "the connection cannot have handlers: %s", strerror(errno));
	/* not in spin_stream_owner: if the socket listened later, its connections would inherit the mark */
	if (!err && bpf_map_update_elem(streams_shared.limited_fd, &socket_fd, &known.owner, BPF_ANY))
		err = spin_fail(-errno, "the connection cannot have limits: %s", strerror(errno));
	if (err)
		bpf_map_delete_elem(streams_shared.known_fd, &s->cookie);
	return err;
}

/* Returns 1 if an existing context has marked the socket. */
static int is_marked(int socket_fd, struct spin_stream_owner *owner)
{
	int is = 0;

	if (bpf_map_lookup_elem(streams_shared.owner_fd, &socket_fd, owner))
		return 0;
	pthread_mutex_lock(&streams_shared.lock);
	for (const struct streams *at = streams_shared.list; at; at = at->next)
		is |= at->id == owner->context && at->slot == owner->slot;
	pthread_mutex_unlock(&streams_shared.lock);
	return is;
}

int spin_streams__install(struct spin_ctx *ctx, int socket_fd, int is_listening, const struct spin_guards *guards)
{
	struct streams *s = ctx->streams;
	struct spin_stream_owner owner;
	socklen_t bytes = sizeof(s->cookie);
	int err;

	s->id = spin_guard__id(ctx);
	s->is_listening = is_listening;
	pthread_mutex_lock(&streams_shared.lock);
	err = streams_shared__init(guards);
	pthread_mutex_unlock(&streams_shared.lock);
	if (err)
		return err;
	if (getsockopt(socket_fd, SOL_SOCKET, SO_COOKIE, &s->cookie, &bytes))
		return spin_fail(-errno, "the socket has no number: %s", strerror(errno));
	if (is_marked(socket_fd, &owner))
		return spin_fail(-EEXIST, "the socket has the handlers of context %u already", owner.context);
	pthread_mutex_lock(&streams_shared.lock);
	err = alloc_slot(s);
	pthread_mutex_unlock(&streams_shared.lock);
	if (!err)
		err = add_used(s);
	if (!err)
		err = streams_complete__begin(s);
	if (err)
		return err;
	owner = (struct spin_stream_owner){ s->id, s->slot };
	if (is_listening && bpf_map_update_elem(streams_shared.owner_fd, &socket_fd, &owner, BPF_ANY))
		return spin_fail(-errno, "the socket cannot be marked: %s", strerror(errno));
	return is_listening ? 0 : add_connection(s, socket_fd);
}

int streams__attach(struct spin_ctx *ctx)
{
	struct streams *s = ctx->streams;
	const uint32_t none = 0;

	if (s->attached)
		return spin_fail(-EALREADY, "%s is attached already", ctx->name);
	streams_complete__lock(s);
	s->ending = 0;
	streams_complete__unlock(s);
	/* clear what a program that was running during the last detach may have left */
	for (uint32_t i = 0; s->is_listening && i < SPIN_STREAMS_MAX; i++)
		if (__atomic_exchange_n(&s->stream[i].cookie, 0, __ATOMIC_ACQ_REL))
			bpf_map_update_elem(s->fd.taken, &i, &none, BPF_ANY);
	/* a map of maps makes the kernel wait for running programs, so it is only changed where it is needed */
	if (streams_shared.has_event_limit && bpf_map_update_elem(streams_shared.events_fd, &s->slot, &s->fd.events, BPF_ANY))
		return spin_fail(-errno, "the events of %s cannot be limited: %s", ctx->name, strerror(errno));
	if (bpf_map_update_elem(streams_shared.counts_fd, &s->slot, &none, BPF_ANY) ||
	    bpf_map_update_elem(streams_shared.states_fd, &s->slot, &s->fd.seen, BPF_ANY) ||
	    bpf_map_update_elem(streams_shared.programs_fd, &s->slot, &s->fd.prog, BPF_ANY) ||
	    bpf_map_update_elem(streams_shared.attached_fd, &s->slot, &s->id, BPF_ANY))
		return spin_fail(-errno, "connections cannot be given to %s: %s", ctx->name, strerror(errno));
	s->attached = 1;
	return 0;
}

/* Calls fn for each connection of the context. Another one may have had its slot before. */
static void for_each_connection(const struct streams *s, void (*fn)(void *arg, uint64_t cookie), void *arg)
{
	struct spin_stream_known known;
	uint64_t key, next;
	int more = !bpf_map_get_next_key(streams_shared.known_fd, NULL, &next);

	for (uint32_t n = 0; more && n < 2 * SPIN_STREAMS_OF_HOST; n++) {
		key = next;
		more = !bpf_map_get_next_key(streams_shared.known_fd, &key, &next);
		if (!bpf_map_lookup_elem(streams_shared.known_fd, &key, &known) && known.owner.slot == s->slot &&
		    known.owner.context == s->id)
			fn(arg, key);
	}
}

/*
 * Leaves the connection in the maps, so that the verdict program passes its data: a socket that is removed from them stops reading from
 * TCP.
 */
static void forget_connection(void *arg, uint64_t cookie)
{
	(void)arg;
	bpf_map_delete_elem(streams_shared.known_fd, &cookie);
}

void streams__detach(struct spin_ctx *ctx)
{
	const uint32_t none = 0;
	struct streams *s = ctx->streams;

	if (!s->attached)
		return;
	s->attached = 0;
	__atomic_fetch_add(&s->seen->without, 1, __ATOMIC_SEQ_CST); /* before the first byte that no handler sees */
	bpf_map_update_elem(streams_shared.attached_fd, &s->slot, &none, BPF_ANY);
	bpf_map_delete_elem(streams_shared.programs_fd, &s->slot);
	for_each_connection(s, forget_connection, NULL);
	bpf_map_update_elem(streams_shared.counts_fd, &s->slot, &none, BPF_ANY);
	streams_complete__lock(s);
	s->ending = 1;
	streams_complete__unlock(s);
	streams_complete__all(s); /* without the lock, because a hostile program could hold it for long */
}

int streams__attached(const struct spin_ctx *ctx)
{
	return ctx->streams->attached;
}

static void count_open(void *arg, uint64_t cookie)
{
	unsigned *count = arg;
	uint64_t value;

	*count += !bpf_map_lookup_elem(streams_shared.socks_fd, &cookie, &value);
}

unsigned spin_streams__count(const struct spin_ctx *ctx)
{
	unsigned count = 0;

	if (ctx->streams && ctx->streams->attached)
		for_each_connection(ctx->streams, count_open, &count);
	return count;
}

void streams__free(struct streams *s)
{
	if (!s)
		return;
	if (streams_shared.news && s->slot) /* also of a context that was never attached: a connection is known before */
		for_each_connection(s, forget_connection, NULL);
	pthread_mutex_lock(&streams_shared.lock);
	for (struct streams **at = &streams_shared.list; *at; at = &(*at)->next)
		if (*at == s) {
			bpf_map_delete_elem(streams_shared.states_fd, &s->slot);
			bpf_map_delete_elem(streams_shared.used_fd, &s->slot);
			if (streams_shared.has_event_limit)
				bpf_map_delete_elem(streams_shared.events_fd, &s->slot);
			*at = s->next;
			break;
		}
	pthread_mutex_unlock(&streams_shared.lock);
	streams_complete__end(s);
	if (s->stream)
		munmap(s->stream, sizeof(*s->stream) * SPIN_STREAMS_MAX);
	if (s->seen)
		munmap(s->seen, sizeof(*s->seen));
	free(s);
}
