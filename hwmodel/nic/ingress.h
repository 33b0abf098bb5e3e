/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_INGRESS_H
#define NIC_INGRESS_H

/*
 * The wire that packets come by, one behind the other, and the inbound engine's way into packet memory. A packet for which
 * there is no room holds its context's packets back, or is lost; those of other contexts pass it (A: each context is a class of
 * traffic that the link can pause, IEEE 802.1Qbb).
 */
#include <hwmodel/traffic.h>

struct device;
struct inflight;
struct offered;

/* A context's packets at the other end. */
struct ingress_line {
	struct offered *first, *last; /* what has not begun to arrive */
	struct inflight *held;        /* for want of packet memory; */
	uint64_t due_ps;              /* it would have arrived then */
};

struct ingress {
	uint64_t offered, next_packet;
	uint64_t free_ps;   /* when the wire is free, */
	uint64_t busy_ps;   /* has carried packets */
	uint64_t rest;      /* and how much of a picosecond beyond */
	uint64_t due_ps;    /* of who is coming: when it would arrive */
	uint64_t stored_ps; /* of the last one that arrived */
	struct pspin *next; /* whose next one has its event; NULL: nobody's */
	uint64_t event;     /* of that: an earlier number is of one that came to be later than another context's */
	int loses;
};

/* As pspin__offer(); at a time that has passed it comes at once. */
int ingress__offer(struct pspin *nic, const struct pspin_offer *offer);
/* There may be room for one that is held back. */
void ingress__room(struct device *device);
/* What a context was offered is forgotten. */
void ingress__close(struct pspin *nic);

#endif
