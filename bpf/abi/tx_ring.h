/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_TX_RING_H
#define BPF_TX_RING_H

/*
 * Layout of the tx rings, one per CPU, in which packets that handlers send (SPIN_PUTS) wait until they leave. XDP sends one packet for each
 * that it received. For several the frame becomes a small template, which the kernel copies to a devmap, and a program on the way out makes
 * a waiting packet of each copy. Also here: the interfaces that packets leave by, a neighbour cache, and statistics. Shared by the BPF
 * programs (bpf/actions/out.h, bpf/out.bpf.c) and libspin, which creates the rings and reads statistics.
 */
#include <spin/context.h>

/*
 * Buffers of a ring, a power of two. The packets that leave for one received frame are a group. A group holds its buffers until the kernel
 * has sent the copies of that frame (out.h). The kernel's bulk queue to an interface holds 16 copies. So for each interface whose packets a
 * CPU handles, at most the rest of one group, 15 more copies and the next group are in flight.
 */
#define SPIN_TX_DESCS     256u
#define SPIN_TX_DESCS_RUN 32u /* per run, which includes the replay of parked packets; one acknowledgement may be added */
#define SPIN_OUT_OWNERS   64u /* contexts of a process that send packets */

/* One buffer: a packet to send, how to build it, and, in the first one of a group, the state of the group. */
struct spin_tx_desc {
	uint32_t direct; /* 1: sent back to the packet's source, so the Ethernet header is already right */
	/* first packet of a group only: copies of the clone template (out.h) */
	uint32_t owner;       /* context that owns the group */
	uint32_t came, count; /* copies seen so far; packets of the group, which are consecutive */
	/* how to build the packet from request.put: see put.h */
	uint32_t kind, from, bytes;
	uint32_t detail;           /* get: bytes requested; atomic: the operation */
	uint32_t ip_bytes, is_ip4; /* of the received packet, as is request.ip_at */
	struct spin_request request;
	uint8_t slack[128]; /* the verifier can prove where a piece begins, but not that the last one ends in the frame */
};

/* The packets of the current run: [first, first + count). */
struct spin_tx_ring {
	uint32_t first, count;
};

/* How many copies of each context's clone templates became a packet. */
struct spin_outs_made {
	uint64_t copies[SPIN_OUT_OWNERS];
};

/*
 * Clone template: a minimal frame that replaces the received one, and of which the kernel makes a copy for each packet of the group. It
 * says in which buffer the first of them is. Type 0 distinguishes it from frames that leave unchanged.
 */
struct spin_clone_template {
	uint8_t addresses[12];
	uint16_t type; /* 0 */
	uint16_t unused;
	uint32_t first; /* index in the ring */
	uint8_t rest[12];
};

_Static_assert(sizeof(struct spin_clone_template) == 32, "the shortest frame");

/*
 * Egress devmaps. Each interface has one per size below, all entries of which are this interface. A group uses the smallest devmap that
 * fits; surplus copies are dropped. 34: SPIN_TX_DESCS_RUN packets, an acknowledgement, and the frame if it cannot be the last copy (out.h).
 */
#define SPIN_EGRESS_SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(24) X(34)
#define SPIN_EGRESS_DEVMAPS  20u /* devmaps per interface */
#define SPIN_EGRESS_DEVS     16u /* interfaces per context */

/* An interface that packets of handlers may leave through. */
struct spin_egress_dev {
	uint32_t ifindex; /* 0: none */
	uint32_t no_room; /* 1: a copy cannot grow beyond the received frame (generic mode) */
};

/* Neighbour cache, for targets that bpf_fib_lookup() does not resolve (requests/neigh.c). */
#define SPIN_HOPS 1024u

/* Key of the neighbour cache: a target on an interface. */
struct spin_neigh_key {
	uint32_t addr[4]; /* as in struct spin_process */
	uint32_t ifindex, ip_version;
};

/* Value of the neighbour cache: the Ethernet addresses of a frame to that target. */
struct spin_neigh {
	uint8_t to[6], from[6]; /* Ethernet addresses */
	uint32_t mtu;
	uint32_t used; /* 1: used since libspin last checked */
};

/* Packets that handlers sent, per CPU. */
struct spin_out_stats {
	uint64_t returned; /* sent in the received frame */
	uint64_t copies;   /* queued as copies of the received frame */
	uint64_t asked;    /* passed to libspin */
	uint64_t no_room;  /* lost: libspin's ring was full */
	uint64_t unused[4];
};

#endif
