/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef CORE_TIMETABLE_H
#define CORE_TIMETABLE_H

/*
 * When a port that does one thing at a time is taken. Who asks for it may ask for a later cycle than those who ask next: each
 * gets the first time that is free and long enough.
 */
#include <stdint.h>

#define TIMETABLE_ENTRIES 2048u /* of which the latest half at least are known: more than all HPUs and copies have under way */

/* All zero: it was never taken. */
struct timetable {
	struct {
		uint64_t from, to;
	} taken[TIMETABLE_ENTRIES]; /* by cycle; they do not overlap */
	unsigned count;
};

/* Takes it for so many cycles, from this one on or later: from when. */
uint64_t timetable__take(struct timetable *table, uint64_t cycle, uint64_t cycles);

/*
 * Something else is done in this cycle: what has taken it then goes on a cycle later, and so does what follows at once. 0: nothing
 * has taken it.
 */
int timetable__delay(struct timetable *table, uint64_t cycle);

/* The first cycle, not before this one, in which it is not taken. */
uint64_t timetable__free(const struct timetable *table, uint64_t cycle);

#endif
