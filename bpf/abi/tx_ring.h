/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_OUTS_H
#define BPF_OUTS_H

/*
 * The ring of packets that handlers send (SPIN_PUTS): one ring per CPU, in which a packet waits until it leaves. Shared by the BPF
 * programs and libspin.
 */
#include <spin/context.h>

/*
 * A power of two. Only groups whose copies are on their way keep their buffers: the kernel's queue to an interface holds 16
 * copies, so that is what is left of one group, 15 more, and the next group; for each of some interfaces, where
 * packets of several are given to one CPU.
 */
#define SPIN_OUTS       256u
#define SPIN_OUTS_RUN   32u /* of one run, which goes on with what was parked; an acknowledgement comes to them */
#define SPIN_OUT_OWNERS 64u /* contexts of a process that send */

struct spin_tx_desc {
	uint32_t direct; /* 1: its target is where the packet came from, so its Ethernet header is right */
	/* of the first one of a group: copies of the clone template (out.h) */
	uint32_t owner;       /* whose they are */
	uint32_t came, count; /* copies so far; packets, which stand one behind the other */
	/* what is to be made of request.put: see put.h */
	uint32_t kind, from, bytes;
	uint32_t detail;           /* of a get the bytes asked for, of an atomic its kind */
	uint32_t ip_bytes, is_ip4; /* of the packet that came; request.ip_at, too */
	struct spin_request request;
	uint8_t slack[128]; /* the verifier knows where a piece begins, not that the last one ends in the frame */
};

/* Which of them are of the packet at hand: [first, first + count). */
struct spin_tx_ring {
	uint32_t first, count;
};

/* How many copies of each context's clone templates became a packet. */
struct spin_outs_made {
	uint64_t copies[SPIN_OUT_OWNERS];
};

/*
 * Instead of the frame that came, small: what the copies are to become. A frame that is to leave as it
 * is has another type here.
 */
struct spin_clone_template {
	uint8_t addresses[12];
	uint16_t type; /* 0 */
	uint16_t unused;
	uint32_t first; /* in the ring */
	uint8_t rest[12];
};

_Static_assert(sizeof(struct spin_clone_template) == 32, "the shortest frame");

/*
 * Ways out: for each interface devmaps with so many entries, all of them this interface. A group takes the
 * smallest one that it fits into; copies that are left over are dropped.
 */
#define SPIN_WAY_SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(24) X(34)
#define SPIN_WAYS         20u /* of an interface */
#define SPIN_WAY_PLACES   16u /* interfaces of a context */

struct spin_way {
	uint32_t ifindex; /* 0: none */
	uint32_t no_room; /* 1: copies have no more room than the frame that came (generic mode) */
};

/* The way to a target, where the kernel tells programs none (requests/hop.c). */
#define SPIN_HOPS 1024u

struct spin_hop_key {
	uint32_t addr[4]; /* as in struct spin_process */
	uint32_t ifindex, ip_version;
};

struct spin_hop {
	uint8_t to[6], from[6]; /* Ethernet addresses */
	uint32_t mtu;
	uint32_t used; /* 1: since it was looked at */
};

/* What became of packets that handlers sent; of each CPU. */
struct spin_out_stats {
	uint64_t returned; /* left in the frame that came */
	uint64_t copies;   /* were to leave in copies of it */
	uint64_t asked;    /* were given to the host's library */
	uint64_t no_room;  /* lost: its ring was full */
	uint64_t unused[4];
};

#endif
