/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reservation table of a port that serves one transfer at a time (reservations.h): finds the first free cycles for a transfer. Called by
 * icache.c, soc/l2.c and soc/commands.c. Lookup is a linear search from the end; insertion keeps the table sorted.
 */
#include "hwmodel/core/reservations.h"

#include <string.h>

/*
 * Returns the index of the first reservation that ends after this cycle. Searches from the end, since most requests are for the latest
 * cycles.
 */
static unsigned first_behind(const struct reservations *reservations, uint64_t cycle)
{
	unsigned at = reservations->count;

	while (at > 0 && reservations->taken[at - 1].to > cycle)
		at--;
	return at;
}

uint64_t reservations__reserve(struct reservations *reservations, uint64_t cycle, uint64_t cycles)
{
	unsigned at;

	if (reservations->count == RESERVATIONS_MAX) { /* the older half is in the past */
		reservations->count /= 2;
		memmove(reservations->taken, reservations->taken + reservations->count,
			reservations->count * sizeof(reservations->taken[0]));
	}
	for (at = first_behind(reservations, cycle); at < reservations->count && reservations->taken[at].from < cycle + cycles; at++)
		cycle = reservations->taken[at].to;
	if (at && reservations->taken[at - 1].to == cycle) {
		reservations->taken[at - 1].to += cycles;
		return cycle;
	}
	memmove(reservations->taken + at + 1, reservations->taken + at, (reservations->count - at) * sizeof(reservations->taken[0]));
	reservations->taken[at].from = cycle;
	reservations->taken[at].to = cycle + cycles;
	reservations->count++;
	return cycle;
}

int reservations__delay(struct reservations *reservations, uint64_t cycle)
{
	unsigned at = first_behind(reservations, cycle);

	if (at == reservations->count || reservations->taken[at].from > cycle)
		return 0;
	reservations->taken[at].to++;
	for (at++; at < reservations->count && reservations->taken[at].from < reservations->taken[at - 1].to; at++) {
		reservations->taken[at].from++;
		reservations->taken[at].to++;
	}
	return 1;
}

uint64_t reservations__next_free(const struct reservations *reservations, uint64_t cycle)
{
	for (unsigned at = first_behind(reservations, cycle); at < reservations->count && reservations->taken[at].from <= cycle; at++)
		cycle = reservations->taken[at].to;
	return cycle;
}
