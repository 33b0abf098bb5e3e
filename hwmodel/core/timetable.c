/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hwmodel/core/timetable.h"

#include <string.h>

/* The first entry that ends behind this cycle. Most is asked of the last ones. */
static unsigned first_behind(const struct timetable *table, uint64_t cycle)
{
	unsigned at = table->count;

	while (at > 0 && table->taken[at - 1].to > cycle)
		at--;
	return at;
}

uint64_t timetable__take(struct timetable *table, uint64_t cycle, uint64_t cycles)
{
	unsigned at;

	if (table->count == TIMETABLE_ENTRIES) { /* the first half is long gone */
		table->count /= 2;
		memmove(table->taken, table->taken + table->count, table->count * sizeof(table->taken[0]));
	}
	for (at = first_behind(table, cycle); at < table->count && table->taken[at].from < cycle + cycles; at++)
		cycle = table->taken[at].to;
	if (at && table->taken[at - 1].to == cycle) {
		table->taken[at - 1].to += cycles;
		return cycle;
	}
	memmove(table->taken + at + 1, table->taken + at, (table->count - at) * sizeof(table->taken[0]));
	table->taken[at].from = cycle;
	table->taken[at].to = cycle + cycles;
	table->count++;
	return cycle;
}

int timetable__delay(struct timetable *table, uint64_t cycle)
{
	unsigned at = first_behind(table, cycle);

	if (at == table->count || table->taken[at].from > cycle)
		return 0;
	table->taken[at].to++;
	for (at++; at < table->count && table->taken[at].from < table->taken[at - 1].to; at++) {
		table->taken[at].from++;
		table->taken[at].to++;
	}
	return 1;
}

uint64_t timetable__free(const struct timetable *table, uint64_t cycle)
{
	for (unsigned at = first_behind(table, cycle); at < table->count && table->taken[at].from <= cycle; at++)
		cycle = table->taken[at].to;
	return cycle;
}
