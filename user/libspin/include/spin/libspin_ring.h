/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_RING_H
#define LIBSPIN_RING_H

/*
 * Rings: packets that a context's handlers deliver go to memory of the application instead of the host's sockets (AF_XDP). The application
 * reads them there without the kernel's stack and, while packets keep arriving, without system calls.
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
 * Packets that handlers drop, answer or send are dropped, answered and sent as without a ring. Packets that a host would refuse (for
 * example for a wrong checksum) go to the host. spin_ctx__counters() counts each by its reason as without a ring: SUCCESS and PROCEEDED
 * are delivered packets.
 */
#include <spin/libspin.h>

struct spin_ring;

enum spin_ring_mode {
	SPIN_RING_AUTO,      /* zero-copy, or copies if the driver does not support zero-copy */
	SPIN_RING_COPY,      /* the kernel copies each packet into the ring once: any interface, native and generic mode */
	SPIN_RING_ZERO_COPY, /* the driver receives into the ring: native mode, some drivers */
};
const char *spin_ring_mode_name(enum spin_ring_mode mode); /* "auto", "copy", "zero-copy"; NULL: no such mode */

#define SPIN_RING_FRAMES     4096u    /* per queue, by default */
#define SPIN_RING_FRAMES_MAX 1048576u /* per queue */

struct spin_ring_opts {
	size_t bytes; /* sizeof(struct spin_ring_opts); fields beyond it count as zero */
	enum spin_ring_mode mode;
	unsigned first_queue; /* first receive queue with a ring; packets of other queues go to the host */
	unsigned queues;      /* number of queues from first_queue on; 0: all */
	unsigned frames;      /* packets per queue that can wait for their reader; a power of two; 0: SPIN_RING_FRAMES */
	/* memory per packet: 2048 or 4096, of which the kernel uses 256; 0: what the MTU needs. Longer frames go to the host */
	unsigned frame_bytes;
};

/*
 * Gives the context a ring, also while it is attached and packets arrive: each packet goes to the ring or to the host. The memory, frames *
 * frame_bytes for each queue, is locked. A context has at most one ring, and a queue can have the ring of only one context: the ring of
 * another is refused with that context's name, but without a ring other contexts may use the same queue. opts may be NULL: all zero. Must
 * be called in the network namespace of the interface.
 *
 * -EBUSY: a queue already has a ring, of another context or process. -EALREADY: this context has one. -EOPNOTSUPP: handlers that
 * take messages (their data is in the matching entries), packets spread over CPUs (their queue is not known there), contexts of spind and
 * of sockets (the socket is the delivery), of a card, or of an interface that is shared with other programs (spin_nic__set_share()), a
 * context on several interfaces, or a driver without zero-copy when zero-copy is requested. -EINVAL: options; a context without an
 * interface. -E2BIG: queues beyond the 64th. -ENOBUFS: more memory than this process may lock.
 */
int spin_ring__create(struct spin_ctx *ctx, const struct spin_ring_opts *opts, struct spin_ring **out);
/*
 * Destroys the ring; packets then go to the host. Packets not yet received are lost, and frames that the application looks at become
 * invalid. Destroying a context destroys its ring.
 */
void spin_ring__destroy(struct spin_ring *ring);

/* A packet as the handlers left it. The frame lies in the ring and may be written to; it is valid until the function returns. */
struct spin_ring_packet {
	uint8_t *frame; /* from the Ethernet header on */
	uint32_t frame_bytes;
	uint32_t payload_at;    /* as for handlers: after the header of UDP or TCP, at the ICMP header, or after the EtherType */
	uint32_t payload_bytes; /* without padding of the frame */
	uint32_t queue;
	uint32_t ip_version;               /* 4 or 6; 0: not IP, and the following fields are 0 */
	uint32_t src_addr[4], dst_addr[4]; /* network byte order, IPv4 in word 0 */
	uint16_t src_port, dst_port;       /* host byte order; 0 for ICMP */
	uint32_t unused;
};

#define SPIN_RING_BATCH 64u /* maximum number of packets in one call of the function */

/*
 * Passes the packets that have arrived to fn, at most SPIN_RING_BATCH at a time, each once, in the order of its queue, and then returns
 * their frames to the kernel. Returns the number of packets, at most `frames` for each queue; more may have arrived by then. Makes no
 * system call, unless a driver with zero-copy needs a wakeup. fn must not call functions of the ring except spin_ring__stats(), and must
 * not destroy its context.
 *
 * Only one thread at a time may read a queue. spin_ring__receive() reads all queues, spin_ring__receive_queue() one, by number, so that
 * each queue can have its own thread. A child process does not have the memory (fork(2)). If the interface goes away, no more packets
 * arrive, and poll(2) does not return; spin_ctx__alive() reports it. -EINVAL: the ring does not have this queue.
 */
typedef void (*spin_ring_fn)(void *arg, const struct spin_ring_packet *packets, unsigned count);
int spin_ring__receive(struct spin_ring *ring, spin_ring_fn fn, void *arg);
int spin_ring__receive_queue(struct spin_ring *ring, unsigned queue, spin_ring_fn fn, void *arg);

/* A descriptor that polls readable when packets are there: for all queues, or for one (-EINVAL: no such queue). Owned by the ring. */
int spin_ring__fd(const struct spin_ring *ring);
int spin_ring__queue_fd(const struct spin_ring *ring, unsigned queue);

/* COPY or ZERO_COPY. *reason is why AUTO has become COPY, else NULL; valid as long as the ring. reason may be NULL. */
enum spin_ring_mode spin_ring__mode(const struct spin_ring *ring, const char **reason);
/* The number of queues; *first_queue is the first one. */
unsigned spin_ring__queues(const struct spin_ring *ring, unsigned *first_queue);

/*
 * Counts of all queues since the ring was created. When everything has been received, delivered = received + lost. May be called from any
 * thread.
 */
struct spin_ring_stats {
	uint64_t delivered; /* packets given to the ring */
	uint64_t received;  /* of these, passed to the application */
	uint64_t lost;      /* of these, dropped because every frame of the queue was waiting for its reader */
	/* packets that handlers delivered and that went to the host and its sockets: */
	uint64_t unbound;  /* the ring does not have their queue */
	uint64_t too_long; /* frames longer than the ring's */
};
int spin_ring__stats(const struct spin_ring *ring, struct spin_ring_stats *out);

#endif
