/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Timing of the banks of a cluster's L1 memory, and of its incoming port for the other clusters (l1.h). Called by the HPUs' bus (bus.c) for
 * accesses that may have to wait, and by copies, DMA and commands for the banks that their beats take.
 */
#include <stdlib.h>

#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/timing.h"

struct bank {
	uint64_t free;     /* when it can serve again */
	uint64_t requests; /* inputs that wait, one bit each */
	struct arbiter arbiter;
};

struct request {
	uint64_t cycle;
	enum rv32_access kind;
};

/* The beats of one cycle: a bit for each group of banks that a beat takes. */
struct beats {
	uint64_t cycle, groups;
};

struct l1 {
	struct bank *banks;
	uint32_t bank_count, group_banks, groups;
	uint32_t amo_cycles;
	uint64_t conflicts;
	uint64_t last_request; /* cycle */

	struct beats *beats; /* by cycle, modulo L1_AHEAD */
	uint64_t beats_end;  /* cycle after the last beat */
	uint64_t free;       /* when all banks can serve again */

	unsigned inputs; /* inputs of a bank: the HPUs and, after them, the incoming port */
	unsigned waiting;
	struct request *request; /* by input */

	uint64_t port_free; /* of the incoming port, in PORT_UNITS */
	uint64_t port_busy; /* busy time, in PORT_UNITS */
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
	l1->request = calloc(l1->inputs, sizeof(*l1->request));
	if (!l1->banks || !l1->beats || !l1->request) {
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
	free(l1->request);
	free(l1);
}

static uint32_t bank_of(const struct l1 *l1, uint32_t offset)
{
	return offset / 4 & (l1->bank_count - 1);
}

/* With more than 64 groups several share a bit. */
static uint64_t group_bit(const struct l1 *l1, uint32_t bank)
{
	return UINT64_C(1) << bank / l1->group_banks % 64;
}

void l1__reserve_beat(struct l1 *l1, uint64_t cycle, uint32_t offset)
{
	struct beats *beats = &l1->beats[cycle % L1_AHEAD];

	if (beats->cycle != cycle)
		*beats = (struct beats){ .cycle = cycle };
	beats->groups |= group_bit(l1, bank_of(l1, offset));
	if (cycle >= l1->beats_end)
		l1->beats_end = cycle + 1;
}

int l1__is_idle(const struct l1 *l1, uint64_t cycle)
{
	return l1->amo_cycles <= L1_AMO_OF_CORES && !l1->waiting && cycle >= l1->beats_end && cycle >= l1->free;
}

/* Returns the first cycle from this one on in which no beat takes the bank. */
static uint64_t without_beats(const struct l1 *l1, uint64_t cycle, uint32_t bank)
{
	uint64_t bit = group_bit(l1, bank);

	while (cycle < l1->beats_end && l1->beats[cycle % L1_AHEAD].cycle == cycle && l1->beats[cycle % L1_AHEAD].groups & bit)
		cycle++;
	return cycle;
}

uint64_t l1__reserve_next_beat(struct l1 *l1, uint64_t cycle, uint32_t offset)
{
	cycle = without_beats(l1, cycle, bank_of(l1, offset));
	l1__reserve_beat(l1, cycle, offset);
	return cycle;
}

/* Returns the first cycle from this one on in which the bank can serve. */
static uint64_t bank_ready(const struct l1 *l1, uint64_t cycle, uint32_t number)
{
	return without_beats(l1, cycle > l1->banks[number].free ? cycle : l1->banks[number].free, number);
}

/* Returns when a bank that serves such an access at `at` can serve again. */
static uint64_t free_after(const struct l1 *l1, uint32_t number, uint64_t at, enum rv32_access kind)
{
	uint64_t free = at + 1;

	for (uint32_t i = 1; kind == RV32_AMO && i < l1->amo_cycles; i++)
		free = without_beats(l1, free, number) + 1;
	return free;
}

/* The bank serves an access that has waited for `waited` cycles, until `free`. */
static void serve(struct l1 *l1, struct bank *bank, uint64_t free, uint64_t waited)
{
	bank->free = free;
	if (free > l1->free)
		l1->free = free;
	l1->conflicts += waited;
}

/*
 * Requests the bank of this offset for `input`. Returns the cycle in which the bank serves it, if that is known at once: no other
 * request comes before `alone_before` and it is served by then; or the bank is free and the access is not an AMO (assumed: of loads and
 * stores that reach a free bank in one cycle the lowest index goes first; not with `alone_before` 0). Else returns L1_WAITS.
 * *again: the cycle in which serve_bank() must be called for the cycle before; 0: it is already set for the bank.
 */
static uint64_t request_bank(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind, unsigned input, uint64_t alone_before,
			     uint64_t *again)
{
	uint32_t number = bank_of(l1, offset);
	struct bank *bank = &l1->banks[number];
	uint64_t at = bank_ready(l1, cycle, number), free = free_after(l1, number, at, kind);

	assert_in_order(&l1->last_request, cycle);
	if (!bank->requests && (free <= alone_before || (at == cycle && kind != RV32_AMO && alone_before))) {
		bank->arbiter.turn = input;
		serve(l1, bank, free, at - cycle);
		return at;
	}
	*again = bank->requests ? 0 : at + 1;
	l1->request[input] = (struct request){ cycle, kind };
	bank->requests |= UINT64_C(1) << input;
	l1->waiting++;
	return L1_WAITS;
}

/* Returns the inputs among `requests` that arrived up to this cycle. */
static uint64_t requests_up_to(const struct l1 *l1, uint64_t requests, uint64_t cycle)
{
	uint64_t which = 0;

	for (; requests; requests &= requests - 1)
		if (l1->request[__builtin_ctzll(requests)].cycle <= cycle)
			which |= requests & -requests;
	return which;
}

/*
 * Returns the waiting input that the bank serves in this cycle; -1: none. PULP's round robin does not know the order of arrival: an
 * input that was served alone keeps its turn, so a lock's waiter goes before the owner that unlocks. *again: as above.
 */
static int serve_bank(struct l1 *l1, uint64_t cycle, uint32_t number, uint64_t *again)
{
	struct bank *bank = &l1->banks[number];
	uint64_t requests = requests_up_to(l1, bank->requests, cycle), at = bank_ready(l1, cycle, number);
	int input = -1;

	if (requests && at == cycle) {
		input = arbiter__grant(&bank->arbiter, l1->inputs, requests, 1);
		serve(l1, bank, free_after(l1, number, cycle, l1->request[input].kind), cycle - l1->request[input].cycle);
		bank->requests &= ~(UINT64_C(1) << input);
		l1->waiting--;
	}
	*again = bank->requests ? bank_ready(l1, cycle + 1, number) + 1 : 0;
	return input;
}

/* Returns when the incoming port passes this access on to its bank. */
static uint64_t pass_port(struct l1 *l1, uint64_t cycle, enum rv32_access kind)
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

/*
 * --- arbitration, by events ---
 *
 * The winner of a cycle is chosen when all its requests are known: by an event of the next cycle. The winner's HPU continues in the
 * cycle that serves it, so before all others.
 */

static void remote_served(struct soc *soc, unsigned cluster, uint64_t cycle);

#define BANK_BITS 32

/* Event: one cycle of a bank. It serves one of those that wait for it. */
static void arbitrate(void *arg, uint64_t cycle, uint64_t what)
{
	struct soc *soc = arg;
	unsigned cluster = (unsigned)(what >> BANK_BITS);
	struct hpu *hpus = &soc->hpus[cluster * target__threads(soc->target)];
	uint64_t again;
	int input = serve_bank(soc->l1[cluster], cycle - 1, (uint32_t)what, &again);

	if (again)
		events__add(&soc->events, again, arbitrate, soc, what);
	if (input == (int)target__threads(soc->target)) {
		remote_served(soc, cluster, cycle - 1);
	} else if (input >= 0) {
		soc__grant(&hpus[input], cycle - 1 - hpus[input].wait_cycles, cycle - 1);
	}
}

uint64_t l1__request(struct soc *soc, uint64_t cycle, unsigned cluster, unsigned input, uint32_t offset, enum rv32_access kind,
		     uint64_t alone_before)
{
	struct l1 *l1 = soc->l1[cluster];
	uint64_t again = 0, at = request_bank(l1, cycle, offset, kind, input, alone_before, &again);

	if (at == L1_WAITS && again)
		events__add(&soc->events, again, arbitrate, soc, (uint64_t)cluster << BANK_BITS | bank_of(l1, offset));
	return at;
}

/* --- accesses from other clusters: through the port, in order, to the bank; the first in the port blocks the others --- */

/* An event's argument: cluster, kind and offset of the access. */
#define OFFSET_BITS  22
#define KIND_BITS    3
#define CLUSTER_BITS 6
_Static_assert(1u << OFFSET_BITS == L1_STRIDE && L1_CLUSTERS_MAX <= 1u << CLUSTER_BITS, "an access fits");

static uint64_t encode_access(unsigned cluster, uint32_t offset, enum rv32_access kind)
{
	return ((uint64_t)cluster << KIND_BITS | kind) << OFFSET_BITS | offset;
}

static unsigned l1_index(uint64_t what)
{
	return (unsigned)(what >> (OFFSET_BITS + KIND_BITS));
}

static enum rv32_access kind_of(uint64_t what)
{
	return what >> OFFSET_BITS & ((1u << KIND_BITS) - 1);
}

/* The first access in the port requests its bank. */
static void reach_bank(struct hpu *hpu, uint64_t cycle)
{
	l1__request(hpu->soc, cycle, l1_index(hpu->sent), target__threads(hpu->target), hpu->sent & (L1_STRIDE - 1), kind_of(hpu->sent), 0);
}

/* Event: an HPU's access to another cluster's L1 arrives there, and queues for the port. */
static void enter_port(void *arg, uint64_t cycle, uint64_t what)
{
	struct hpu *hpu = arg;
	struct l1_port *port = &hpu->soc->l1_ports[l1_index(what)];

	hpu->sent = what;
	hpu->behind = NULL;
	if (port->first)
		port->last->behind = hpu;
	else
		port->first = hpu;
	port->last = hpu;
	if (port->first == hpu)
		reach_bank(hpu, cycle);
}

static void remote_served(struct soc *soc, unsigned cluster, uint64_t cycle)
{
	struct l1_port *port = &soc->l1_ports[cluster];
	struct hpu *hpu = port->first;

	port->wait_cycles += cycle - hpu->wait_cycles;
	soc__grant(hpu, cycle - hpu->wait_cycles, cycle);
	port->first = hpu->behind;
	if (port->first)
		reach_bank(port->first, cycle + 1);
}

static void reach_port(void *arg, uint64_t cycle, uint64_t what)
{
	struct hpu *hpu = arg;
	uint64_t at = pass_port(hpu->soc->l1[l1_index(what)], cycle, kind_of(what));

	hpu->wait_cycles = cycle;
	if (at > cycle)
		events__add(&hpu->soc->events, at, enter_port, hpu, what);
	else
		enter_port(hpu, cycle, what);
}

void l1__request_remote(struct hpu *hpu, uint64_t cycle, unsigned cluster, uint32_t offset, enum rv32_access kind)
{
	hpu->pending = 1;
	events__add(&hpu->soc->events, cycle + hpu->target->remote_reach, reach_port, hpu, encode_access(cluster, offset, kind));
}
