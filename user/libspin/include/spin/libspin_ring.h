/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_RING_H
#define LIBSPIN_RING_H

/*
 * Rings: what a context's handlers deliver goes to memory of the application instead of the host's sockets (AF_XDP). It is read there
 * without the kernel's stack, and while packets come without a system call.
 *
 *	struct spin_ring *ring;
 *
 *	spin_ctx__create(nic, object, &rule, &ctx);
 *	spin_ring__create(ctx, NULL, &ring);
 *	spin_ctx__attach(ctx);
 *	for (;;) {
 *		int count = spin_ring__receive(ring, packets_came, arg);
 *
 *		if (!count) {
 *			struct pollfd fd = { .fd = spin_ring__fd(ring), .events = POLLIN };
 *
 *			poll(&fd, 1, -1);
 *		}
 *	}
 *
 * Packets that handlers drop, answer or send are dropped, answered and sent as without a ring. Packets that a host would refuse (a wrong
 * checksum, say) go on to the host. spin_ctx__counters() counts each by its reason as without a ring: SUCCESS and PROCEEDED are what is delivered.
 */
#include <spin/libspin.h>

struct spin_ring;

enum spin_ring_mode {
	SPIN_RING_AUTO,      /* zero-copy, or copies where the driver has no zero-copy */
	SPIN_RING_COPY,      /* the kernel copies each packet to the ring, once: any interface, native and generic mode */
	SPIN_RING_ZERO_COPY, /* the driver receives into the ring: native mode, some drivers */
};
const char *spin_ring_mode_name(enum spin_ring_mode mode); /* "auto", "copy", "zero-copy"; NULL: there is no such */

#define SPIN_RING_FRAMES     4096u    /* of a queue, by default */
#define SPIN_RING_FRAMES_MAX 1048576u /* of a queue */

struct spin_ring_opts {
	size_t bytes; /* sizeof(struct spin_ring_opts); fields behind it count as zero */
	enum spin_ring_mode mode;
	unsigned first_queue; /* of the interface's receive queues; packets of others go on to the host */
	unsigned queues;      /* from first_queue on; 0: all */
	unsigned frames;      /* packets of each queue that wait for their reader; a power of two; 0: SPIN_RING_FRAMES */
	/* of memory for each: 2048 or 4096, of which 256 are the kernel's; 0: what the MTU needs. Longer frames go on to the host */
	unsigned frame_bytes;
};

/*
 * Gives the context a ring, also while it is attached and packets come: each goes to the ring or to the host. The memory, frames *
 * frame_bytes for each queue, is locked. A context has at most one ring, and a queue's packets go to the ring of at most one context: that
 * of others is refused with its name, and without a ring they use the same queue freely. opts may be NULL: all zero. Call it in
 * the network namespace of the interface.
 *
 * -EBUSY: a queue has a ring already, of another context or process. -EALREADY: this context has one. -EOPNOTSUPP: handlers that
 * take messages (their data is in the matching entries), packets spread over CPUs (their queue is not known there), contexts of spind and
 * of sockets (the socket is the delivery), of a card, or of an interface that is shared with programs of others (spin_nic__set_share()), a
 * context on several interfaces, or one whose driver has no zero-copy when that is asked for. -EINVAL: options; a context without an
 * interface. -E2BIG: queues beyond the 64th. -ENOBUFS: more memory than this process may lock.
 */
int spin_ring__create(struct spin_ctx *ctx, const struct spin_ring_opts *opts, struct spin_ring **out);
/*
 * From now on packets go to the host. What was not received is gone, and so are frames that the application looks at. A context
 * takes its ring along when it is destroyed.
 */
void spin_ring__destroy(struct spin_ring *ring);

/* A packet as the handlers left it. It lies in the ring, and may be written to; it is valid until the function returns. */
struct spin_ring_packet {
	uint8_t *frame; /* from the Ethernet header on */
	uint32_t frame_bytes;
	uint32_t payload_at;    /* as of handlers: behind UDP's header, at the ICMP header, or behind the EtherType */
	uint32_t payload_bytes; /* without padding of the frame */
	uint32_t queue;
	uint32_t ip_version;               /* 4 or 6; 0: no IP, and the rest is 0 */
	uint32_t src_addr[4], dst_addr[4]; /* network byte order, IPv4 in word 0 */
	uint16_t src_port, dst_port;       /* host byte order; 0 of ICMP */
	uint32_t unused;
};

#define SPIN_RING_BATCH 64u /* packets that the function gets at a time */

/*
 * Gives what has come to fn, at most SPIN_RING_BATCH packets at a time, each once, in the order of its queue, and then their frames back
 * to the kernel. Returns how many there were, at most `frames` of each queue; there may be more by then. No system call, unless a driver
 * with zero-copy asks to be woken. fn may not call functions of the ring but spin_ring__stats(), nor end its context.
 *
 * One thread at a time for a queue: spin_ring__receive() is for all of them, spin_ring__receive_queue() for one by its number, so that
 * each can have its thread. The memory is not a child's (fork(2)). If the interface goes away nothing comes any more, and poll(2) does not
 * return for that: spin_ctx__alive() says it. -EINVAL: the ring does not have this queue.
 */
typedef void (*spin_ring_fn)(void *arg, const struct spin_ring_packet *packets, unsigned count);
int spin_ring__receive(struct spin_ring *ring, spin_ring_fn fn, void *arg);
int spin_ring__receive_queue(struct spin_ring *ring, unsigned queue, spin_ring_fn fn, void *arg);

/* A descriptor that polls readable when packets are there: of all queues, or of one (-EINVAL: it has no such). Owned by the ring. */
int spin_ring__fd(const struct spin_ring *ring);
int spin_ring__queue_fd(const struct spin_ring *ring, unsigned queue);

/* COPY or ZERO_COPY; *reason: the reason if AUTO has become COPY, else NULL; valid as long as the ring. reason may be NULL. */
enum spin_ring_mode spin_ring__mode(const struct spin_ring *ring, const char **reason);
/* Its queues: the first one's number, and how many. */
unsigned spin_ring__queues(const struct spin_ring *ring, unsigned *first_queue);

/*
 * Of all queues, since the ring was created. When all has been received: delivered = received + lost. From any thread.
 */
struct spin_ring_stats {
	uint64_t delivered; /* packets given to the ring */
	uint64_t received;  /* of these, given to the application */
	uint64_t lost;      /* of these, dropped: every frame of the queue waited for its reader */
	/* and what handlers delivered that went on to the host, and to its sockets */
	uint64_t unbound;  /* of a queue that the ring does not have */
	uint64_t too_long; /* frames longer than the ring's */
};
int spin_ring__stats(const struct spin_ring *ring, struct spin_ring_stats *out);

#endif
