/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_WIRE_H
#define NIC_WIRE_H

/*
 * The wire that packets come by, one behind the other, and the inbound engine's way into packet memory. A packet for which
 * there is no room holds the wire back, or is lost.
 */
#include <hwmodel/traffic.h>

struct flight;
struct offered;

struct wire {
	struct offered *first, *last; /* what has not begun to arrive */
	uint64_t next_packet;
	uint64_t free_ps;     /* when the wire is free, */
	uint64_t rest;        /* and how much of a picosecond beyond */
	uint64_t due_ps;      /* of the first one: when it would arrive */
	uint64_t stored_ps;   /* of the last one that arrived */
	int is_coming;        /* it has its event, or is held back: */
	struct flight *held;
	int loses;
};

/* As pspin__offer(); at a time that has passed it comes at once. */
int wire__offer(struct pspin *nic, const struct pspin_offer *offer);
/* There may be room for the one that is held back. */
void wire__room(struct pspin *nic);
void wire__close(struct pspin *nic);

#endif
