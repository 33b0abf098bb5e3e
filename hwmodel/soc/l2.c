/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/core/reservations.h"
#include "hwmodel/soc/calendar.h"
#include "hwmodel/soc/l2.h"

struct l2 {
	struct reservations bursts; /* of copies, on the read port */
	uint64_t asked, last_load;
	uint64_t read_busy;
	void (*delayed)(void *arg, uint64_t cycle); /* beats of copies */
	void *arg;
};

struct l2 *l2__new(void)
{
	return calloc(1, sizeof(struct l2));
}

void l2__free(struct l2 *l2)
{
	free(l2);
}

void l2__tell(struct l2 *l2, void (*delayed)(void *arg, uint64_t cycle), void *arg)
{
	l2->delayed = delayed;
	l2->arg = arg;
}

/* One per cycle, and beats of copies give way, but in turn: to two loads in two cycles they do not. */
uint64_t l2__load(struct l2 *l2, uint64_t cycle)
{
	const uint64_t next = l2->last_load + 1;

	calendar__asked(&l2->asked, cycle);
	if (cycle <= next && l2->last_load)
		cycle = reservations__next_free(&l2->bursts, next) > next ? next + 1 : next;
	l2->last_load = cycle;
	l2->read_busy++;
	if (reservations__delay(&l2->bursts, l2->last_load) && l2->delayed)
		l2->delayed(l2->arg, l2->last_load);
	return l2->last_load;
}

uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats)
{
	l2->read_busy += beats;
	return reservations__take(&l2->bursts, cycle, beats);
}

uint64_t l2__read_busy(const struct l2 *l2)
{
	return l2->read_busy;
}
