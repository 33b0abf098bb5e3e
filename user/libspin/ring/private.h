/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_RING_PRIVATE_H
#define USER_LIBSPIN_RING_PRIVATE_H

/*
 * Shared by the files of ring/. A ring delivers a context's packets to the application past the kernel's stack. It consists of the AF_XDP
 * sockets of some receive queues (queue.c) and the BPF programs that deliver to them (deliver.c).
 */
#include <xdp/xsk.h>

#include "bpf/abi/ring.h"
#include "user/libspin/internal.h"

#pragma GCC visibility push(default)
#include <spin/libspin_ring.h>
#pragma GCC visibility pop

/* One receive queue: an AF_XDP socket with its own memory, which has `frames` buffers of frame_bytes each. */
struct ring_queue {
	uint32_t number;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion; /* never used: nothing is sent */
	struct xsk_ring_cons rx;
	uint8_t *memory;
	size_t memory_bytes;
	uint32_t frames, frame_bytes;
	uint64_t received; /* written by the reader, read by any thread */
};

/* Options for opening a queue. */
struct ring_queue_options {
	enum spin_ring_mode mode; /* COPY or ZERO_COPY */
	uint32_t frames, frame_bytes;
};

/*
 * Opens the socket of receive queue `number` and gives all frames to the kernel. Returns 0, or -errno with a message in `reason`; -EINVAL:
 * the interface has no such queue; -EBUSY: another socket still has it after half a second.
 */
int ring_queue__open(struct ring_queue *q, const struct spin_nic *nic, uint32_t number, const struct ring_queue_options *options,
		     char *reason, size_t reason_bytes);
void ring_queue__close(struct ring_queue *q);
int ring_queue__fd(const struct ring_queue *q);
/* Sets *lost to the number of packets dropped because no frame was free. Returns 0, or -errno without a reason. */
int ring_queue__lost(const struct ring_queue *q, uint64_t *lost);
/*
 * Calls fn with batches of received packets, at most q->frames in all, without waiting. Returns how many. A batch is valid only during fn.
 */
int ring_queue__receive(struct ring_queue *q, spin_ring_fn fn, void *arg);

/*
 * The BPF programs of a ring. There are two equal ones, each of which runs the context's program in the same element of an array: while the
 * context's rule changes, both are in use (ring__add()).
 */
struct ring_deliver {
	struct bpf_object *bpf;
	struct spin_memory bss;
	const struct spin_ring_counts *counts;
	int prog_fd[2];            /* prog_fd[i] runs element i of ringed_fd */
	int ringed_fd, sockets_fd; /* the array of context programs; the XSKMAP */
	unsigned entry;            /* index in use */
};

/*
 * Loads the programs for a context. longest_bytes: the longest frame that fits into a buffer. Returns 0, or -errno with a reason, here and
 * below. ring_deliver__close() must be called in either case.
 */
int ring_deliver__open(struct ring_deliver *d, const struct spin_ctx *ctx, uint32_t longest_bytes);
void ring_deliver__close(struct ring_deliver *d);
/* Makes program number `entry` of the ring run prog_fd, a context's program. */
int ring_deliver__set(const struct ring_deliver *d, unsigned entry, int prog_fd);
/* Delivers the packets of this receive queue to the socket. */
int ring_deliver__bind(const struct ring_deliver *d, uint32_t queue, int socket_fd);

/* A ring, with its sockets and programs. */
struct spin_ring {
	struct spin_ctx *ctx;
	struct spin_ring *next; /* of the same interface */
	struct ring_deliver deliver;
	struct ring_queue *queue;
	unsigned first_queue, queues;
	int epoll_fd;
	enum spin_ring_mode mode;
	char reason[SPIN_ERROR_BYTES]; /* why AUTO has become COPY; "": it has not */
};

#endif
