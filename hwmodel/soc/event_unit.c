/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/event_unit.h"
#include "hwmodel/soc/soc.h"
#include "hwmodel/soc/threads.h"

#define ENTRIES     8u /* of the dispatch FIFO; nothing minds one too many */
#define WAKE_CYCLES 3u /* A: from a pop of what is there, or from a push to who sleeps, to the answer; read, not measured */

struct sleeper {
	uint32_t mask; /* of the events that wake it */
	unsigned next; /* entry that it looks at */
	int sleeps;
	uint64_t woken; /* the cycle of its answer */
};

struct event_unit {
	uint32_t value[ENTRIES], team[ENTRIES]; /* HPUs that have not popped it, a bit each */
	uint32_t next_team;                     /* of what is pushed from now on */
	unsigned end;                           /* entry that is pushed next */
	struct sleeper hpu[SOC_CLUSTER_HPUS_MAX];
};

struct event_unit *event_unit__new(void)
{
	return calloc(1, sizeof(struct event_unit));
}

void event_unit__free(struct event_unit *unit)
{
	free(unit);
}

static struct event_unit *unit_of(const struct hpu *hpu)
{
	return hpu->soc->event_units[hpu->cluster];
}

int event_unit__sleeps(const struct hpu *hpu)
{
	return unit_of(hpu)->hpu[hpu->index].sleeps;
}

/* An entry for this HPU. 0: there is none, or its event does not count. */
static int find(const struct event_unit *unit, struct sleeper *sleeper, unsigned index)
{
	while (!(unit->team[sleeper->next] >> index & 1)) {
		if (sleeper->next == unit->end)
			return 0;
		sleeper->next = (sleeper->next + 1) % ENTRIES;
	}
	return sleeper->mask >> EVENT_UNIT_DISPATCH_EVENT & 1;
}

static enum rv32_bus_status pop(struct hpu *hpu, struct rv32_bus_request *req)
{
	struct event_unit *unit = unit_of(hpu);
	struct sleeper *sleeper = &unit->hpu[hpu->index];
	uint64_t answer = req->cycle + WAKE_CYCLES;

	if (!find(unit, sleeper, hpu->index)) {
		if (hpu->pipeline && !hpu__may(hpu, req->cycle))
			return RV32_BUS_STOP;
		sleeper->sleeps = 1;
		if (hpu->pipeline)
			threads__park(hpu, PARK_TASK, req->cycle, UINT64_MAX);
		else
			hpu->away = 1;
		return RV32_BUS_STOP;
	}
	if (answer < sleeper->woken)
		answer = sleeper->woken;
	req->value = unit->value[sleeper->next];
	req->wait_cycles = (uint32_t)(answer - req->cycle - 1);
	req->wait_cause = RV32_CYC_BLOCKED;
	unit->team[sleeper->next] &= ~(1u << hpu->index);
	sleeper->next = (sleeper->next + 1) % ENTRIES;
	return RV32_BUS_OK;
}

static void push(struct hpu *by, uint32_t value, uint64_t cycle)
{
	struct event_unit *unit = unit_of(by);
	struct hpu *first = by - by->index;

	unit->value[unit->end] = value;
	unit->team[unit->end] = unit->next_team;
	unit->end = (unit->end + 1) % ENTRIES;
	for (unsigned i = 0; i < target__threads(by->target); i++) {
		struct sleeper *sleeper = &unit->hpu[i];

		if (!sleeper->sleeps || !find(unit, sleeper, i))
			continue;
		sleeper->sleeps = 0;
		sleeper->woken = cycle + WAKE_CYCLES;
		if (first[i].pipeline) {
			threads__ready(&first[i], sleeper->woken);
			continue;
		}
		first[i].away = 0;
		soc__wake(by->soc, &first[i], cycle + 1);
	}
}

static enum rv32_bus_status store(struct hpu *hpu, const struct rv32_bus_request *req, uint32_t off)
{
	struct event_unit *unit = unit_of(hpu);
	uint32_t *mask = &unit->hpu[hpu->index].mask;

	switch (off) {
	case EVENT_UNIT_MASK:
		*mask = req->value;
		break;
	case EVENT_UNIT_MASK_AND:
		*mask &= ~req->value;
		break;
	case EVENT_UNIT_MASK_OR:
		*mask |= req->value;
		break;
	case EVENT_UNIT_DISPATCH:
		push(hpu, req->value, req->cycle);
		break;
	case EVENT_UNIT_TEAM:
		unit->next_team = req->value;
		break;
	default:
		return RV32_BUS_FAULT;
	}
	return RV32_BUS_OK;
}

enum rv32_bus_status event_unit__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	if (req->size_bytes != 4 || (req->kind != RV32_LOAD && req->kind != RV32_STORE))
		return RV32_BUS_FAULT;
	if (!hpu__may_near(hpu, req->cycle))
		return RV32_BUS_STOP;
	if (req->kind == RV32_STORE)
		return store(hpu, req, off);
	if (off == EVENT_UNIT_DISPATCH)
		return pop(hpu, req);
	if (off != EVENT_UNIT_MASK)
		return RV32_BUS_FAULT;
	req->value = unit_of(hpu)->hpu[hpu->index].mask;
	return RV32_BUS_OK;
}
