/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_INGRESS_H
#define NIC_INGRESS_H

/*
 * The ingress link, on which packets come one after the other, and the inbound engine's way into packet memory. A packet for
 * which there is no room holds its context's packets back, or is lost; those of other contexts pass it (A: each context is a class
 * of traffic that the link can pause, IEEE 802.1Qbb). Times are in picoseconds since pspin__open().
 */
#include <hwmodel/traffic.h>

struct device;
struct inflight;
struct offered;

/* A context's packets at the other end of the link. */
struct ingress_line {
	struct offered *first, *last; /* what has not begun to arrive */
	struct inflight *held;        /* waits for packet memory; NULL: none */
	uint64_t due_ps;              /* when it would have arrived */
};

struct ingress {
	uint64_t offered, next_packet;
	uint64_t free_ps;   /* when the link is free */
	uint64_t busy_ps;   /* time for which it has carried packets */
	uint64_t rest;      /* fraction of a picosecond beyond free_ps, for the next packet */
	uint64_t due_ps;    /* when the next packet arrives */
	uint64_t stored_ps; /* when the last packet was stored */
	struct pspin *next; /* context of the next packet, which has its event; NULL: none */
	uint64_t event;     /* number of that event: an earlier one was replaced by another context's packet */
	int loses;
};

/* As pspin__offer(). A packet whose time has passed arrives at once. Copies the frame. */
int ingress__offer(struct pspin *nic, const struct pspin_offer *offer);
/* Packet memory was freed: admits packets that are held back. */
void ingress__room(struct device *device);
/* Drops the packets offered to a context that have not arrived. */
void ingress__close(struct pspin *nic);

#endif
