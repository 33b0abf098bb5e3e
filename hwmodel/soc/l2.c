/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "calendar.h"
#include "l2.h"

#define BURSTS 1024u /* that are known, of those not yet over */

/* Of a copy, on packet memory's read port. */
struct burst {
	uint64_t from, end;
};

struct l2 {
	uint64_t asked;
	struct burst burst[BURSTS]; /* a ring, by cycle; they do not overlap */
	uint64_t first_burst, bursts;
	uint64_t last_load; /* on the read port */
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
	uint64_t at = cycle > l2->last_load ? cycle : l2->last_load + 1;

	calendar__asked(&l2->asked, cycle);
	while (l2->bursts && l2->burst[l2->first_burst % BURSTS].end <= l2->asked) {
		l2->first_burst++;
		l2->bursts--;
	}
	for (uint64_t i = l2->first_burst; i < l2->first_burst + l2->bursts; i++) {
		const struct burst *burst = &l2->burst[i % BURSTS];

		if (at >= burst->from && at < burst->end)
			at = burst->end;
	}
	l2->last_load = at;
	l2->read_busy++;
	return at;
}

/* One that is asked for later may go before one that will not be there until then. */
uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats)
{
	uint64_t from = cycle, end, i;

	if (l2->bursts == BURSTS) {
		l2->first_burst++;
		l2->bursts--;
	}
	end = l2->first_burst + l2->bursts++;
	for (i = end; i > l2->first_burst && l2->burst[(i - 1) % BURSTS].end > cycle; i--)
		;
	for (; i < end && from + beats > l2->burst[i % BURSTS].from; i++)
		from = l2->burst[i % BURSTS].end;
	for (uint64_t last = end; last > i; last--)
		l2->burst[last % BURSTS] = l2->burst[(last - 1) % BURSTS];
	l2->burst[i % BURSTS] = (struct burst){ from, from + beats };
	l2->read_busy += beats;
	return from;
}

uint64_t l2__read_busy(const struct l2 *l2)
{
	return l2->read_busy;
}
