/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens and closes rings (<spin/libspin_ring.h>), which deliver a context's packets to the application by AF_XDP instead of the host's
 * stack. A ring has a socket for each receive queue, and a BPF program between the interface's dispatcher and the context's program. Called
 * by applications; ctx.c frees the ring of a context that is destroyed. If a step fails, the earlier steps are undone.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "user/libspin/card/card.h"
#include "user/libspin/hpu/hpus.h"
#include "user/libspin/interface.h"
#include "user/libspin/ring/private.h"
#include "user/libspin/ring/ring.h"
#include "user/libspin/root.h"

#define HEADROOM_BYTES 256u            /* at the start of a frame, used by the kernel (XDP_PACKET_HEADROOM) */
#define LINK_BYTES     (14u + 2u * 4u) /* Ethernet and two VLAN tags */

static const char *const mode_names[] = { "auto", "copy", "zero-copy" };

const char *spin_ring_mode_name(enum spin_ring_mode mode)
{
	return (unsigned)mode < sizeof(mode_names) / sizeof(mode_names[0]) ? mode_names[mode] : NULL;
}

/* --- checks --- */

/* Can the context have a ring? Returns 0, or -errno with a reason. */
static int check_context(const struct spin_ctx *ctx)
{
	if (ctx->remote || ctx->guard || ctx->streams)
		return spin_fail(-EOPNOTSUPP, "%s is on a socket, which is where its packets go: a ring is for contexts of an interface",
				 ctx->name);
	if (!ctx->nic || !ctx->nic->ifindex)
		return spin_fail(-EINVAL, "%s has no interface whose queues could have a ring: create it with one", ctx->name);
	if (ctx->card)
		return card__cannot(ctx, "ring: its packets do not come by the host");
	if (ctx->is_shared)
		return spin_fail(-EOPNOTSUPP,
				 "%s is for an interface that is shared with programs of others: a ring needs one of its own (without "
				 "--share)",
				 ctx->name);
	if (ctx->ring_delivery)
		return spin_fail(-EALREADY, "%s has a ring already", ctx->name);
	if (ctx->messages)
		return spin_fail(-EOPNOTSUPP,
				 "%s takes messages, which are delivered to matching entries: read them there (spin_ctx__host_memory()), a "
				 "ring is for datagrams",
				 ctx->name);
	if (ctx->loads)
		return spin_fail(-EOPNOTSUPP,
				 "%s has its packets spread over CPUs, where their receive queue is not known: a ring needs CPUs or queues "
				 "as HPUs",
				 ctx->name);
	if (ctx->places > 1 || (ctx->places && ctx->place[0].nic != ctx->nic))
		return spin_fail(-EOPNOTSUPP, "%s is on several interfaces, and a ring has the queues of one: create a context for each",
				 ctx->name);
	return 0;
}

static int copy_options(const struct spin_ring_opts *from, struct spin_ring_opts *to)
{
	memset(to, 0, sizeof(*to));
	if (from && from->bytes < sizeof(from->bytes))
		return spin_fail(-EINVAL, "spin_ring_opts: set bytes to sizeof(struct spin_ring_opts)");
	if (from)
		memcpy(to, from, from->bytes < sizeof(*to) ? from->bytes : sizeof(*to));
	if (!to->frames)
		to->frames = SPIN_RING_FRAMES;
	if (!spin_ring_mode_name(to->mode))
		return spin_fail(-EINVAL, "there is no mode %d of rings", (int)to->mode);
	if (to->frames > SPIN_RING_FRAMES_MAX || to->frames & (to->frames - 1))
		return spin_fail(-EINVAL, "%u frames: a ring has a power of two of them, at most %u", to->frames, SPIN_RING_FRAMES_MAX);
	if (to->frame_bytes && to->frame_bytes != 2048 && to->frame_bytes != 4096)
		return spin_fail(-EINVAL, "frame_bytes is %u: a frame has 2048 or 4096, or 0 for what the MTU needs", to->frame_bytes);
	return 0;
}

/* If frame_bytes is 0, chooses the smallest frame that holds the interface's MTU. Longer packets go to the host's stack. */
static int choose_frames(const struct spin_nic *nic, struct spin_ring_opts *opts)
{
	struct iface iface;
	int err = opts->frame_bytes ? 0 : iface__read(nic, &iface);

	if (!err && !opts->frame_bytes)
		opts->frame_bytes = iface.mtu + LINK_BYTES <= 2048 - HEADROOM_BYTES ? 2048 : 4096;
	return err;
}

/* If the number of queues is 0, takes all from first_queue on, and sets *all. */
static int choose_queues(const struct spin_nic *nic, struct spin_ring_opts *opts, int *all)
{
	uint32_t count = 0;
	int err;

	*all = !opts->queues;
	if (*all) {
		err = queues__count(nic, &count);
		if (err)
			return err;
		if (opts->first_queue >= count)
			return spin_fail(-EINVAL, "%s has no queue %u", nic->name, opts->first_queue);
		opts->queues = count - opts->first_queue;
	}
	if (opts->first_queue >= SPIN_RING_QUEUES_MAX || opts->queues > SPIN_RING_QUEUES_MAX - opts->first_queue)
		return spin_fail(-E2BIG, "queues %u to %u: a ring can have queues 0 to %u; set first_queue and queues", opts->first_queue,
				 opts->first_queue + opts->queues - 1, SPIN_RING_QUEUES_MAX - 1);
	return 0;
}

/* libxdp identifies the interface by name, in the thread's namespace. */
static int check_namespace(const struct spin_nic *nic)
{
	if (if_nametoindex(nic->name) == (unsigned)nic->ifindex)
		return 0;
	return spin_fail(-ENODEV, "%s is not in this thread's network namespace, or gone: make the ring in the namespace of the interface",
			 nic->name);
}

/* Fails with the name of the context of this process that has the queue. The caller holds the interface's lock. */
static int check_conflicts(const struct spin_ctx *ctx, const struct spin_ring_opts *opts)
{
	for (const struct spin_ring *other = ctx->nic->rings; other; other = other->next) {
		const unsigned first = opts->first_queue > other->first_queue ? opts->first_queue : other->first_queue;

		if (first < opts->first_queue + opts->queues && first < other->first_queue + other->queues)
			return spin_fail(
				-EBUSY,
				"the packets of queue %u of %s go to the ring of %s: give this one other queues (first_queue, queues), "
				"or read both contexts' packets from their sockets",
				first, ctx->nic->name, other->ctx->name);
	}
	return 0;
}

/* --- queues --- */

static void close_queues(struct spin_ring *ring)
{
	while (ring->queues)
		ring_queue__close(&ring->queue[--ring->queues]);
}

/*
 * Opens the sockets in one mode; none stays open on failure. all: the application asked for all queues. An interface may use fewer than it
 * can have, so the first one that does not exist then ends the ring instead of failing.
 */
static int open_queues(struct spin_ring *ring, const struct spin_ring_opts *opts, enum spin_ring_mode mode, int all)
{
	const struct ring_queue_options options = { .mode = mode, .frames = opts->frames, .frame_bytes = opts->frame_bytes };
	int err;

	while (ring->queues < opts->queues) {
		err = ring_queue__open(&ring->queue[ring->queues], ring->ctx->nic, opts->first_queue + ring->queues, &options, ring->reason,
				       sizeof(ring->reason));
		if (err == -EINVAL && all && ring->queues)
			break;
		if (err) {
			close_queues(ring);
			return err;
		}
		ring->queues++;
	}
	ring->reason[0] = '\0';
	ring->mode = mode;
	return 0;
}

/* Opens the queues, in zero-copy mode if the options allow it, else copying. ring->reason then says why not zero-copy. */
static int open_in_mode(struct spin_ring *ring, const struct spin_ring_opts *opts, int all)
{
	const struct spin_nic *nic = ring->ctx->nic;
	const int is_generic = nic->wanted == SPIN_MODE_GENERIC || nic->used == SPIN_MODE_GENERIC;
	char reason[sizeof(ring->reason)] = "";
	int err;

	if (opts->mode != SPIN_RING_COPY) {
		err = is_generic ? -EOPNOTSUPP : open_queues(ring, opts, SPIN_RING_ZERO_COPY, all);
		if (!err)
			return 0;
		if (is_generic)
			snprintf(ring->reason, sizeof(ring->reason), "%s runs handlers in generic mode, which copies", nic->name);
		if (opts->mode == SPIN_RING_ZERO_COPY || err == -EBUSY || err == -ENETDOWN)
			return spin_fail(err, "%s%s", ring->reason, err == -EOPNOTSUPP ? ": let the ring copy (auto or copy)" : "");
		memcpy(reason, ring->reason, sizeof(reason));
	}
	err = open_queues(ring, opts, SPIN_RING_COPY, all);
	if (err)
		return spin_fail(err, "%s", ring->reason);
	memcpy(ring->reason, reason, sizeof(reason));
	return 0;
}

/* Makes the ring's program deliver to the sockets, and creates the epoll descriptor on which the application waits for all of them. */
static int connect_queues(struct spin_ring *ring)
{
	int err = 0;

	ring->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (ring->epoll_fd < 0)
		return spin_fail(-errno, "no descriptor for a ring: %s", strerror(errno));
	for (unsigned i = 0; i < ring->queues && !err; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };
		int fd = ring_queue__fd(&ring->queue[i]);

		if (epoll_ctl(ring->epoll_fd, EPOLL_CTL_ADD, fd, &event))
			err = spin_fail(-errno, "the sockets of a ring cannot be polled: %s", strerror(errno));
		else
			err = ring_deliver__bind(&ring->deliver, ring->queue[i].number, fd);
	}
	return err;
}

/* --- create and destroy --- */

/* Makes the dispatcher call another program for the context, if it is attached. The caller holds the interface's lock. */
static int set_entry_program(const struct spin_ctx *ctx, int prog_fd)
{
	return ctx->places ? root__replace(ctx->nic->root, ctx->place[0].slot, prog_fd) : 0;
}

static void unlink_ring(struct spin_ring *ring)
{
	struct spin_ring **at = &ring->ctx->nic->rings;

	while (*at != ring)
		at = &(*at)->next;
	*at = ring->next;
}

static void close_ring(struct spin_ring *ring)
{
	close_queues(ring);
	if (ring->epoll_fd >= 0)
		close(ring->epoll_fd);
	ring_deliver__close(&ring->deliver);
	free(ring->queue);
	free(ring);
}

/* Opens everything that a ring consists of. The caller holds the interface's lock, so that two rings cannot request the same queue. */
static int open_ring(struct spin_ring *ring, struct spin_ring_opts *opts, int all)
{
	int err = check_conflicts(ring->ctx, opts);

	if (!err)
		err = open_in_mode(ring, opts, all);
	if (!err)
		err = ring_deliver__open(&ring->deliver, ring->ctx, opts->frame_bytes - HEADROOM_BYTES);
	if (!err)
		err = connect_queues(ring);
	if (!err)
		err = set_entry_program(ring->ctx, ring__program_fd(ring));
	return err;
}

int spin_ring__create(struct spin_ctx *ctx, const struct spin_ring_opts *opts, struct spin_ring **out)
{
	struct spin_ring_opts wanted;
	struct spin_ring *ring;
	int all, err;

	*out = NULL;
	err = check_context(ctx);
	if (!err)
		err = copy_options(opts, &wanted);
	if (!err)
		err = check_namespace(ctx->nic);
	if (!err)
		err = choose_frames(ctx->nic, &wanted);
	if (!err)
		err = choose_queues(ctx->nic, &wanted, &all);
	if (err)
		return err;
	ring = calloc(1, sizeof(*ring));
	if (ring)
		ring->queue = calloc(wanted.queues, sizeof(*ring->queue));
	if (!ring || !ring->queue) {
		free(ring);
		return spin_fail(-ENOMEM, "no memory for a ring");
	}
	ring->ctx = ctx;
	ring->epoll_fd = -1;
	ring->first_queue = wanted.first_queue;
	pthread_mutex_lock(&ctx->nic->lock);
	err = open_ring(ring, &wanted, all);
	if (!err) {
		ring->next = ctx->nic->rings;
		ctx->nic->rings = ring;
		ctx->ring_delivery = ring;
	}
	pthread_mutex_unlock(&ctx->nic->lock);
	if (err) {
		close_ring(ring);
		return err;
	}
	*out = ring;
	return 0;
}

void ring__free(struct spin_ring *ring)
{
	struct spin_ctx *ctx;

	if (!ring)
		return;
	ctx = ring->ctx;
	pthread_mutex_lock(&ctx->nic->lock);
	set_entry_program(ctx, ctx->prog_fd);
	ctx->ring_delivery = NULL;
	unlink_ring(ring);
	pthread_mutex_unlock(&ctx->nic->lock);
	if (ctx->places)
		root__wait(ctx->nic->root);
	close_ring(ring);
}

void spin_ring__destroy(struct spin_ring *ring)
{
	ring__free(ring);
}

/* --- reading --- */

int spin_ring__receive(struct spin_ring *ring, spin_ring_fn fn, void *arg)
{
	int count = 0;

	for (unsigned i = 0; i < ring->queues; i++)
		count += ring_queue__receive(&ring->queue[i], fn, arg);
	return count;
}

static struct ring_queue *find_queue(const struct spin_ring *ring, unsigned queue)
{
	if (queue - ring->first_queue < ring->queues)
		return &ring->queue[queue - ring->first_queue];
	spin_fail(-EINVAL, "the ring of %s has queues %u to %u, and not %u", ring->ctx->name, ring->first_queue,
		  ring->first_queue + ring->queues - 1, queue);
	return NULL;
}

int spin_ring__receive_queue(struct spin_ring *ring, unsigned queue, spin_ring_fn fn, void *arg)
{
	struct ring_queue *q = find_queue(ring, queue);

	return q ? ring_queue__receive(q, fn, arg) : -EINVAL;
}

int spin_ring__fd(const struct spin_ring *ring)
{
	return ring->epoll_fd;
}

int spin_ring__queue_fd(const struct spin_ring *ring, unsigned queue)
{
	const struct ring_queue *q = find_queue(ring, queue);

	return q ? ring_queue__fd(q) : -EINVAL;
}

enum spin_ring_mode spin_ring__mode(const struct spin_ring *ring, const char **reason)
{
	if (reason)
		*reason = ring->reason[0] ? ring->reason : NULL;
	return ring->mode;
}

unsigned spin_ring__queues(const struct spin_ring *ring, unsigned *first_queue)
{
	if (first_queue)
		*first_queue = ring->first_queue;
	return ring->queues;
}

int spin_ring__stats(const struct spin_ring *ring, struct spin_ring_stats *out)
{
	const int cpus = kernel_cpus__possible();
	uint64_t lost;
	int err;

	*out = (struct spin_ring_stats){ 0 };
	/* read `received` before `delivered`, so that it is never the larger one */
	for (unsigned i = 0; i < ring->queues; i++) {
		out->received += __atomic_load_n(&ring->queue[i].received, __ATOMIC_RELAXED);
		err = ring_queue__lost(&ring->queue[i], &lost);
		if (err)
			return spin_fail(err, "the kernel does not say what the ring of %s has lost: %s", ring->ctx->name, strerror(-err));
		out->lost += lost;
	}
	for (int cpu = 0; cpu < cpus && cpu < SPIN_HPUS_MAX; cpu++) {
		const struct spin_ring_counts *counts = &ring->deliver.counts[cpu];

		out->delivered += __atomic_load_n(&counts->delivered, __ATOMIC_RELAXED);
		out->unbound += __atomic_load_n(&counts->unbound, __ATOMIC_RELAXED);
		out->too_long += __atomic_load_n(&counts->too_long, __ATOMIC_RELAXED);
	}
	return 0;
}
