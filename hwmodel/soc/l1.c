/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "calendar.h"
#include "l1.h"

#define HPUS_MAX 16
#define ROUND_CYCLES 16 /* A: who comes again so soon after it was served has kept its place in the round robin */
#define PORT_UNITS 100 /* of the incoming port's time, per cycle */

struct bank {
	uint64_t free;     /* who comes next is served then */
	uint64_t last_at;  /* who is the last in a round of those that wait is served, or was, in this cycle */
	unsigned last;
	uint64_t remote_at; /* the incoming port was served */
	uint64_t asked[HPUS_MAX]; /* when each HPU came the last time, and 1 */
};

/* The beats of one cycle: a bit for each group of banks that one takes. */
struct beats {
	uint64_t cycle, groups;
};

struct l1 {
	struct bank *banks;
	uint32_t bank_count, group_banks, groups;
	uint32_t amo_cycles;
	uint64_t conflicts;
	uint64_t asked;

	struct beats *beats; /* by cycle, modulo L1_AHEAD */
	uint64_t beats_end;  /* the last one's cycle, and 1 */

	uint64_t port_free;  /* of the incoming port, in PORT_UNITS */
	uint64_t head;
	uint64_t port_units[RV32_AMO + 1];
};

struct l1 *l1__new(const struct pspin_target *target)
{
	struct l1 *l1 = calloc(1, sizeof(*l1));

	if (!l1)
		return NULL;
	l1->bank_count = (uint32_t)target->l1_banks;
	l1->group_banks = (uint32_t)target->beat_bytes / 4;
	l1->groups = l1->bank_count / l1->group_banks;
	l1->amo_cycles = (uint32_t)target->l1_amo;
	l1->port_units[RV32_LOAD] = target->remote_port_load;
	l1->port_units[RV32_STORE] = target->remote_port_store;
	l1->port_units[RV32_AMO] = target->remote_port_amo;
	l1->banks = calloc(l1->bank_count, sizeof(*l1->banks));
	l1->beats = calloc(L1_AHEAD, sizeof(*l1->beats));
	if (!l1->banks || !l1->beats) {
		l1__free(l1);
		return NULL;
	}
	return l1;
}

void l1__free(struct l1 *l1)
{
	if (!l1)
		return;
	free(l1->banks);
	free(l1->beats);
	free(l1);
}

static uint32_t bank_of(const struct l1 *l1, uint32_t offset)
{
	return offset / 4 & (l1->bank_count - 1);
}

/* More groups than bits share them. */
static uint64_t group_bit(const struct l1 *l1, uint32_t bank)
{
	return UINT64_C(1) << bank / l1->group_banks % 64;
}

void l1__beat(struct l1 *l1, uint64_t cycle, uint32_t offset)
{
	struct beats *beats = &l1->beats[cycle % L1_AHEAD];

	if (beats->cycle != cycle)
		*beats = (struct beats){ .cycle = cycle };
	beats->groups |= group_bit(l1, bank_of(l1, offset));
	if (cycle >= l1->beats_end)
		l1->beats_end = cycle + 1;
}

int l1__has_beats(const struct l1 *l1, uint64_t cycle)
{
	return cycle < l1->beats_end;
}

/* The first cycle from this one on in which no beat takes the bank. */
static uint64_t without_beats(const struct l1 *l1, uint64_t cycle, uint32_t bank)
{
	uint64_t bit = group_bit(l1, bank);

	while (cycle < l1->beats_end && l1->beats[cycle % L1_AHEAD].cycle == cycle &&
	       l1->beats[cycle % L1_AHEAD].groups & bit)
		cycle++;
	return cycle;
}

/* Who comes waits for all before it: HPUs come again only when they were served, so that is round robin. */
static uint64_t serve(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind, unsigned who)
{
	uint32_t number = bank_of(l1, offset);
	struct bank *bank = &l1->banks[number];
	uint64_t at = without_beats(l1, cycle > bank->free ? cycle : bank->free, number);

	if (who >= bank->last || bank->last_at + ROUND_CYCLES < cycle) {
		bank->last = who;
		bank->last_at = at;
	}
	bank->asked[who] = cycle + 1;
	bank->free = at + 1;
	for (uint32_t i = 1; kind == RV32_AMO && i < l1->amo_cycles; i++)
		bank->free = without_beats(l1, bank->free, number) + 1;
	l1->conflicts += at - cycle;
	return at;
}

uint64_t l1__access(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind, unsigned hpu)
{
	calendar__asked(&l1->asked, cycle);
	return serve(l1, cycle, offset, kind, hpu);
}

/* After the port was served each HPU is, that is there all the time, though it may just not wait. */
static uint64_t round_ends(const struct bank *bank, uint64_t cycle)
{
	uint64_t ends = bank->remote_at + 1;

	for (unsigned i = 0; i < HPUS_MAX; i++)
		ends += bank->asked[i] + ROUND_CYCLES > cycle;
	return ends;
}

/*
 * In a round the port comes after the last HPU. Those of the next round who have been told their cycles already keep them,
 * and who comes after them is a cycle later instead.
 */
uint64_t l1__remote(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind)
{
	uint32_t number = bank_of(l1, offset);
	struct bank *bank = &l1->banks[number];
	uint32_t cycles = kind == RV32_AMO ? l1->amo_cycles : 1;
	uint64_t at;

	calendar__asked(&l1->asked, cycle);
	if (bank->free <= cycle) {
		at = without_beats(l1, cycle, number);
		bank->free = at + cycles;
	} else {
		at = bank->last_at >= cycle ? bank->last_at + 1 : bank->free;
		if (cycle <= bank->remote_at + 1 && at < round_ends(bank, cycle))
			at = round_ends(bank, cycle);
		bank->free += cycles;
	}
	bank->remote_at = at;
	l1->head = at + 1;
	l1->conflicts += at - cycle;
	return at;
}

uint64_t l1__head(const struct l1 *l1)
{
	return l1->head;
}

uint64_t l1__incoming(struct l1 *l1, uint64_t cycle, enum rv32_access kind)
{
	uint64_t at = cycle * PORT_UNITS > l1->port_free ? cycle * PORT_UNITS : l1->port_free;

	l1->port_free = at + l1->port_units[kind == RV32_AMO ? RV32_AMO : kind == RV32_STORE ? RV32_STORE : RV32_LOAD];
	return at / PORT_UNITS;
}

uint64_t l1__conflicts(const struct l1 *l1)
{
	return l1->conflicts;
}
