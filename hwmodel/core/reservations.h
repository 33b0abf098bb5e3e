/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_RESERVATIONS_H
#define HWMODEL_CORE_RESERVATIONS_H

/*
 * Reservation table of a port that serves one transfer at a time. Requests may come out of order of time: each one gets the first free
 * interval that is long enough, from its own cycle on. Used for the read port of L2 packet memory (soc/l2.c), for program memory
 * (icache.c), and for the L1 ports of commands and the paths of their reads (soc/commands.c).
 */
#include <stdint.h>

#define RESERVATIONS_MAX 2048u /* when full, the older half is dropped; half exceeds what all HPUs and copies have in flight */

/* All zero: nothing is reserved. */
struct reservations {
	struct {
		uint64_t from, to;
	} taken[RESERVATIONS_MAX]; /* sorted by cycle, not overlapping; `to` is exclusive */
	unsigned count;
};

/* Reserves `cycles` consecutive cycles, from `cycle` on or later. Returns the first of them. */
uint64_t reservations__reserve(struct reservations *reservations, uint64_t cycle, uint64_t cycles);

/*
 * Another access takes this one cycle. The reservation that holds it, and those that follow without a gap, move a cycle later. Returns
 * 0 if no reservation holds the cycle.
 */
int reservations__delay(struct reservations *reservations, uint64_t cycle);

/* Returns the first cycle from `cycle` on that is not reserved. */
uint64_t reservations__next_free(const struct reservations *reservations, uint64_t cycle);

#endif
