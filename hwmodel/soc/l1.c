/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/calendar.h"
#include "hwmodel/soc/l1.h"

#define L1_AMO_OF_CORES 2u  /* cycles; of longer ones a core alone would not know the end (rv32_config) */
#define PORT_UNITS      100 /* of the incoming port's time, per cycle */

struct bank {
	uint64_t free; /* it serves again from then on */
	uint64_t asks; /* who waits, by bits */
	struct arbiter arbiter;
};

struct asked {
	uint64_t cycle;
	enum rv32_access kind;
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
	uint64_t last_asked; /* cycle */

	struct beats *beats; /* by cycle, modulo L1_AHEAD */
	uint64_t beats_end;  /* the last one's cycle, and 1 */
	uint64_t free;       /* all banks serve again from then on */

	unsigned inputs; /* of a bank: the HPUs and, after them, the incoming port */
	unsigned waiting;
	struct asked *asked; /* by input */

	uint64_t port_free; /* of the incoming port, in PORT_UNITS */
	uint64_t port_busy; /* for so many PORT_UNITS */
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
	l1->inputs = target__threads(target) + 1;
	l1->port_units[RV32_LOAD] = target->remote_port_load;
	l1->port_units[RV32_STORE] = target->remote_port_store;
	l1->port_units[RV32_AMO] = target->remote_port_amo;
	l1->banks = calloc(l1->bank_count, sizeof(*l1->banks));
	l1->beats = calloc(L1_AHEAD, sizeof(*l1->beats));
	l1->asked = calloc(l1->inputs, sizeof(*l1->asked));
	if (!l1->banks || !l1->beats || !l1->asked) {
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
	free(l1->asked);
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

int l1__rests(const struct l1 *l1, uint64_t cycle)
{
	return l1->amo_cycles <= L1_AMO_OF_CORES && !l1->waiting && cycle >= l1->beats_end && cycle >= l1->free;
}

/* The first cycle from this one on in which no beat takes the bank. */
static uint64_t without_beats(const struct l1 *l1, uint64_t cycle, uint32_t bank)
{
	uint64_t bit = group_bit(l1, bank);

	while (cycle < l1->beats_end && l1->beats[cycle % L1_AHEAD].cycle == cycle && l1->beats[cycle % L1_AHEAD].groups & bit)
		cycle++;
	return cycle;
}

/* The first cycle, not before this one, in which it can serve. */
static uint64_t ready(const struct l1 *l1, uint64_t cycle, uint32_t number)
{
	return without_beats(l1, cycle > l1->banks[number].free ? cycle : l1->banks[number].free, number);
}

/* When it serves again that serves such an access in this cycle. */
static uint64_t free_after(const struct l1 *l1, uint32_t number, uint64_t at, enum rv32_access kind)
{
	uint64_t free = at + 1;

	for (uint32_t i = 1; kind == RV32_AMO && i < l1->amo_cycles; i++)
		free = without_beats(l1, free, number) + 1;
	return free;
}

/* It serves until `free`, who has waited so long. */
static void take(struct l1 *l1, struct bank *bank, uint64_t free, uint64_t waited)
{
	bank->free = free;
	if (free > l1->free)
		l1->free = free;
	l1->conflicts += waited;
}

uint64_t l1__access(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind, unsigned who, uint64_t alone_before,
		    uint64_t *again)
{
	uint32_t number = bank_of(l1, offset);
	struct bank *bank = &l1->banks[number];
	uint64_t at = ready(l1, cycle, number), free = free_after(l1, number, at, kind);

	calendar__asked(&l1->last_asked, cycle);
	if (!bank->asks && (free <= alone_before || (at == cycle && kind != RV32_AMO && alone_before))) {
		bank->arbiter.turn = who;
		take(l1, bank, free, at - cycle);
		return at;
	}
	*again = bank->asks ? 0 : at + 1;
	l1->asked[who] = (struct asked){ cycle, kind };
	bank->asks |= UINT64_C(1) << who;
	l1->waiting++;
	return L1_WAITS;
}

uint32_t l1__bank(const struct l1 *l1, uint32_t offset)
{
	return bank_of(l1, offset);
}

/* Of those that wait at the bank, who asked up to this cycle. */
static uint64_t asks_up_to(const struct l1 *l1, uint64_t asks, uint64_t cycle)
{
	uint64_t which = 0;

	for (; asks; asks &= asks - 1)
		if (l1->asked[__builtin_ctzll(asks)].cycle <= cycle)
			which |= asks & -asks;
	return which;
}

int l1__grant(struct l1 *l1, uint64_t cycle, uint32_t number, uint64_t *again)
{
	struct bank *bank = &l1->banks[number];
	uint64_t asks = asks_up_to(l1, bank->asks, cycle), at = ready(l1, cycle, number);
	int who = -1;

	if (asks && at == cycle) {
		who = arbiter__grant(&bank->arbiter, l1->inputs, asks, 1);
		take(l1, bank, free_after(l1, number, cycle, l1->asked[who].kind), cycle - l1->asked[who].cycle);
		bank->asks &= ~(UINT64_C(1) << who);
		l1->waiting--;
	}
	*again = bank->asks ? ready(l1, cycle + 1, number) + 1 : 0;
	return who;
}

uint64_t l1__incoming(struct l1 *l1, uint64_t cycle, enum rv32_access kind)
{
	uint64_t at = cycle * PORT_UNITS > l1->port_free ? cycle * PORT_UNITS : l1->port_free;
	uint64_t units = l1->port_units[kind == RV32_AMO ? RV32_AMO : kind == RV32_STORE ? RV32_STORE : RV32_LOAD];

	l1->port_free = at + units;
	l1->port_busy += units;
	return at / PORT_UNITS;
}

uint64_t l1__port_busy(const struct l1 *l1)
{
	return l1->port_busy / PORT_UNITS;
}

uint64_t l1__conflicts(const struct l1 *l1)
{
	return l1->conflicts;
}
