/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "../core/timetable.h"
#include "calendar.h"
#include "l2.h"

struct l2 {
	struct timetable bursts; /* of copies, on the read port */
	uint64_t asked, last_load;
	uint64_t read_busy;
};

struct l2 *l2__new(void)
{
	return calloc(1, sizeof(struct l2));
}

void l2__free(struct l2 *l2)
{
	free(l2);
}

/* Loads come behind the bursts that were let in before them, one per cycle. Copies are not slowed (pspin_load.md 3, 5). */
uint64_t l2__load(struct l2 *l2, uint64_t cycle)
{
	calendar__asked(&l2->asked, cycle);
	l2->last_load = timetable__free(&l2->bursts, cycle > l2->last_load ? cycle : l2->last_load + 1);
	l2->read_busy++;
	return l2->last_load;
}

uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats)
{
	l2->read_busy += beats;
	return timetable__take(&l2->bursts, cycle, beats);
}

uint64_t l2__read_busy(const struct l2 *l2)
{
	return l2->read_busy;
}
