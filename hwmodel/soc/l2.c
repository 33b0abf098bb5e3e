/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "calendar.h"
#include "l2.h"

#define TURNS 1024u  /* at least one for each HPU, who each have one at a time */
#define BURSTS 1024u /* that are known, of those not yet over */

/* An access's turn in the port, and the gap behind it: one lighter access fits in there. */
struct turn {
	uint64_t from, end;
	int filled;
};

/* Of a copy, on packet memory's read port. */
struct burst {
	uint64_t from, end;
};

struct l2 {
	const struct pspin_target *target;
	uint64_t asked;
	struct turn turn[TURNS]; /* from first on, modulo TURNS */
	uint64_t first, count, end;
	uint64_t ready; /* for who was not waiting when it was free */
	struct burst burst[BURSTS];
	uint64_t first_burst, bursts;
	uint64_t read_end;  /* of the last burst */
	uint64_t last_load; /* on the read port */
	uint64_t port_busy, read_busy;
};

struct l2 *l2__new(const struct pspin_target *target)
{
	struct l2 *l2 = calloc(1, sizeof(*l2));

	if (l2)
		l2->target = target;
	return l2;
}

void l2__free(struct l2 *l2)
{
	free(l2);
}

static uint32_t gap_cycles(const struct pspin_target *target, enum memory_region region, enum rv32_access kind)
{
	switch (kind) {
	case RV32_STORE:
	case RV32_SC:
		return (uint32_t)target->l2_gap_store;
	case RV32_AMO:
		return (uint32_t)(region == MEMORY_L2_PACKET ? target->l2_gap_amo_packet : target->l2_gap_amo_handler);
	default:
		return (uint32_t)(region == MEMORY_L2_PACKET ? target->l2_gap_load_packet : target->l2_gap_load_handler);
	}
}

/*
 * The port's cycle for it: in the first gap that is left and longer than its own, else behind all others. Who did not wait
 * when the port became free finds it so `late` cycles later.
 */
static uint64_t take_turn(struct l2 *l2, uint64_t cycle, uint32_t gap, uint32_t late)
{
	uint64_t at;

	while (l2->count && l2->turn[l2->first % TURNS].end <= cycle) {
		l2->first++;
		l2->count--;
	}
	for (uint64_t i = l2->first; i < l2->first + l2->count; i++) {
		struct turn *turn = &l2->turn[i % TURNS];

		at = cycle > turn->from + 1 ? cycle : turn->from + 1;
		if (turn->filled || turn->end - turn->from <= gap || at + gap > turn->end)
			continue;
		turn->filled = 1;
		return at;
	}
	if (l2->count == TURNS) { /* more than there are HPUs: nobody waits for the oldest */
		l2->first++;
		l2->count--;
	}
	at = cycle > l2->end ? cycle : l2->end;
	if (cycle >= l2->end && at < l2->ready)
		at = l2->ready;
	l2->end = at + gap;
	l2->ready = l2->end + late;
	l2->turn[(l2->first + l2->count++) % TURNS] = (struct turn){ at, l2->end, 0 };
	l2->port_busy += gap;
	return at;
}

/* Loads come between two bursts, one per cycle. Copies are not slowed (pspin_load.md 3, 5). */
static uint64_t read_packet(struct l2 *l2, uint64_t cycle)
{
	uint64_t at = cycle > l2->last_load ? cycle : l2->last_load + 1;

	while (l2->bursts && l2->burst[l2->first_burst % BURSTS].end <= l2->asked) {
		l2->first_burst++;
		l2->bursts--;
	}
	for (uint64_t i = l2->first_burst; i < l2->first_burst + l2->bursts; i++) {
		const struct burst *burst = &l2->burst[i % BURSTS];

		if (cycle <= burst->from || cycle >= burst->end)
			continue;
		if (at < burst->end)
			at = burst->end;
	}
	l2->last_load = at;
	l2->read_busy++;
	return at;
}

uint64_t l2__wait(struct l2 *l2, uint64_t cycle, enum memory_region region, enum rv32_access kind)
{
	uint64_t at;

	calendar__asked(&l2->asked, cycle);
	at = take_turn(l2, cycle, gap_cycles(l2->target, region, kind),
		       kind == RV32_LOAD && region != MEMORY_L2_PACKET ? (uint32_t)l2->target->l2_late_load_handler : 0);
	if (region == MEMORY_L2_PACKET && (kind == RV32_LOAD || kind == RV32_LR))
		at = read_packet(l2, at);
	return at - cycle;
}

uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats)
{
	uint64_t from = cycle > l2->read_end ? cycle : l2->read_end;

	l2->read_end = from + beats;
	if (l2->bursts == BURSTS) {
		l2->first_burst++;
		l2->bursts--;
	}
	l2->burst[(l2->first_burst + l2->bursts++) % BURSTS] = (struct burst){ from, l2->read_end };
	l2->read_busy += beats;
	return from;
}

uint64_t l2__port_busy(const struct l2 *l2)
{
	return l2->port_busy;
}

uint64_t l2__read_busy(const struct l2 *l2)
{
	return l2->read_busy;
}
