/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The AF_XDP socket of one receive queue: opens it, and passes received packets to the application's callback. Called by ring.c; only one
 * thread at a time receives. A frame is a buffer for one packet. At any time each is in exactly one place: the fill ring (free frames for
 * the kernel), the kernel, the receive ring (packets for this process), or the application's callback.
 */
#include <errno.h>
#include <linux/if_xdp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <spin/wire.h>

#include "user/libspin/ring/packet.h"
#include "user/libspin/ring/private.h"

#define FREE_TIMEOUT_MS 500 /* how long to wait for a queue to become free, and how often to check */
#define POLL_MS         5
#define PREFETCH_AHEAD  4u /* packets whose headers are prefetched while one is parsed */

/* Writes to `reason` what an error of the socket calls means for the user. Returns the error. */
static int explain(int err, const struct spin_nic *nic, uint32_t number, const struct ring_queue_options *options, char *reason,
		   size_t reason_bytes)
{
	switch (err) {
	case -EBUSY:
		snprintf(
			reason, reason_bytes,
			"queue %u of %s has an AF_XDP socket already, of another process: give this ring other queues (first_queue, queues)",
			number, nic->name);
		break;
	case -EOPNOTSUPP:
		snprintf(reason, reason_bytes,
			 options->mode == SPIN_RING_ZERO_COPY ? "the driver of %s has no zero-copy for AF_XDP"
							      : "the driver of %s takes no AF_XDP sockets",
			 nic->name);
		break;
	case -EINVAL:
		snprintf(reason, reason_bytes, "%s uses no queue %u: `ethtool -l %s` says how many it has", nic->name, number, nic->name);
		break;
	case -ENETDOWN:
		snprintf(reason, reason_bytes, "%s is down, and takes no ring: do `ip link set %s up`", nic->name, nic->name);
		break;
	case -ENOBUFS:
		snprintf(reason, reason_bytes,
			 "a ring's memory is locked, and this process may lock no more: raise `ulimit -l`, or take fewer frames");
		break;
	case -ENOMEM:
		snprintf(reason, reason_bytes, "no memory for %u frames of %u bytes: take fewer", options->frames, options->frame_bytes);
		break;
	case -EAFNOSUPPORT:
		snprintf(reason, reason_bytes, "this kernel has no AF_XDP (CONFIG_XDP_SOCKETS): leave the ring out");
		break;
	case -EPERM:
		snprintf(reason, reason_bytes, "AF_XDP sockets need CAP_NET_RAW: run as root");
		break;
	default:
		snprintf(reason, reason_bytes, "queue %u of %s takes no AF_XDP socket: %s", number, nic->name, strerror(-err));
	}
	return err;
}

/* Gives all frames to the kernel. The fill ring is empty and has as many entries as there are frames, so they fit. */
static void fill_all(struct ring_queue *q)
{
	uint32_t at = 0;

	xsk_ring_prod__reserve(&q->fill, q->frames, &at);
	for (uint32_t i = 0; i < q->frames; i++)
		*xsk_ring_prod__fill_addr(&q->fill, at + i) = (uint64_t)i * q->frame_bytes;
	xsk_ring_prod__submit(&q->fill, q->frames);
}

static int open_socket(struct ring_queue *q, const struct spin_nic *nic, enum spin_ring_mode mode)
{
	/* libspin has its own program; libxdp must not load one */
	const struct xsk_socket_config config = {
		.rx_size = q->frames,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_USE_NEED_WAKEUP | (mode == SPIN_RING_ZERO_COPY ? XDP_ZEROCOPY : XDP_COPY),
	};

	return xsk_socket__create(&q->socket, nic->name, q->number, q->umem, &q->rx, NULL, &config);
}

static int open_once(struct ring_queue *q, const struct spin_nic *nic, enum spin_ring_mode mode)
{
	const struct xsk_umem_config config = { .fill_size = q->frames, .comp_size = 1, .frame_size = q->frame_bytes };
	int err = xsk_umem__create(&q->umem, q->memory, q->memory_bytes, &q->fill, &q->completion, &config);

	if (err)
		return err;
	fill_all(q);
	err = open_socket(q, nic, mode);
	if (err) {
		xsk_umem__delete(q->umem);
		q->umem = NULL;
	}
	return err;
}

static int map_memory(struct ring_queue *q)
{
	q->memory_bytes = (size_t)q->frames * q->frame_bytes;
	q->memory = mmap(NULL, q->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (q->memory == MAP_FAILED) {
		q->memory = NULL;
		return -ENOMEM;
	}
	/* otherwise after fork(2) a write would copy pages, and the kernel would continue with the other process's */
	madvise(q->memory, q->memory_bytes, MADV_DONTFORK);
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Retries while the queue is busy: the kernel frees it in a work queue, some time after its last socket was closed. */
int ring_queue__open(struct ring_queue *q, const struct spin_nic *nic, uint32_t number, const struct ring_queue_options *options,
		     char *reason, size_t reason_bytes)
{
	const int64_t until_ms = now_ms() + FREE_TIMEOUT_MS;
	int err;

	*q = (struct ring_queue){ .number = number, .frames = options->frames, .frame_bytes = options->frame_bytes };
	err = map_memory(q);
	if (!err)
		err = open_once(q, nic, options->mode);
	while (err == -EBUSY && now_ms() < until_ms) {
		usleep(POLL_MS * 1000);
		err = open_once(q, nic, options->mode);
	}
	if (!err)
		return 0;
	ring_queue__close(q);
	return explain(err, nic, number, options, reason, reason_bytes);
}

void ring_queue__close(struct ring_queue *q)
{
	if (q->socket)
		xsk_socket__delete(q->socket);
	if (q->umem)
		xsk_umem__delete(q->umem);
	if (q->memory)
		munmap(q->memory, q->memory_bytes);
	*q = (struct ring_queue){ 0 };
}

int ring_queue__fd(const struct ring_queue *q)
{
	return xsk_socket__fd(q->socket);
}

int ring_queue__lost(const struct ring_queue *q, uint64_t *lost)
{
	struct xdp_statistics stats = { 0 };
	socklen_t bytes = sizeof(stats);

	if (getsockopt(ring_queue__fd(q), SOL_XDP, XDP_STATISTICS, &stats, &bytes))
		return -errno;
	*lost = stats.rx_dropped + stats.rx_ring_full;
	return 0;
}

/*
 * Returns the frames of `count` received descriptors, from rx_at on, to the fill ring. A descriptor's address is somewhere in its frame.
 * The fill ring has as many entries as there are frames, so there is room, unless the application has overwritten it; then these frames are
 * lost.
 */
static void refill(struct ring_queue *q, uint32_t rx_at, uint32_t count)
{
	uint32_t at;

	if (xsk_ring_prod__reserve(&q->fill, count, &at) == count) {
		for (uint32_t i = 0; i < count; i++)
			*xsk_ring_prod__fill_addr(&q->fill, at + i) =
				xsk_ring_cons__rx_desc(&q->rx, rx_at + i)->addr & ~(uint64_t)(q->frame_bytes - 1);
		xsk_ring_prod__submit(&q->fill, count);
	}
	xsk_ring_cons__release(&q->rx, count);
}

/*
 * Returns the size of the next batch. A call returns at most `frames` packets, so that it ends even if packets arrive as fast as it reads.
 */
static uint32_t batch_size(const struct ring_queue *q, uint32_t done)
{
	return q->frames - done < SPIN_RING_BATCH ? q->frames - done : SPIN_RING_BATCH;
}

int ring_queue__receive(struct ring_queue *q, spin_ring_fn fn, void *arg)
{
	struct spin_ring_packet packet[SPIN_RING_BATCH];
	uint32_t done = 0, at, count;

	while ((count = xsk_ring_cons__peek(&q->rx, batch_size(q, done), &at)) > 0) {
		for (uint32_t i = 0; i < count && i < PREFETCH_AHEAD; i++)
			__builtin_prefetch(q->memory + xsk_ring_cons__rx_desc(&q->rx, at + i)->addr);
		for (uint32_t i = 0; i < count; i++) {
			const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&q->rx, at + i);

			if (i + PREFETCH_AHEAD < count)
				__builtin_prefetch(q->memory + xsk_ring_cons__rx_desc(&q->rx, at + i + PREFETCH_AHEAD)->addr);
			ring_packet__read(&packet[i], q->memory + desc->addr, desc->len);
			packet[i].queue = q->number;
		}
		fn(arg, packet, count);
		refill(q, at, count);
		done += count;
		__atomic_store_n(&q->received, q->received + count, __ATOMIC_RELAXED);
	}
	if (done && xsk_ring_prod__needs_wakeup(&q->fill))
		recvfrom(ring_queue__fd(q), NULL, 0, MSG_DONTWAIT, NULL, NULL);
	return (int)done;
}
