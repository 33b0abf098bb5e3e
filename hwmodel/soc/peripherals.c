/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A cluster's devices besides memory: the DMA engine for own transfers of the cores (HPUs), and the event unit, in which HPUs sleep until
 * another wakes them (peripherals.h). Called by bus.c.
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/copies.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/peripherals.h"
#include "hwmodel/soc/threads.h"
#include "hwmodel/soc/timing.h"

/*
 * --- the cluster DMA ---
 *
 * Data is copied at the launch. The id reads as done when the engine has finished. All HPUs and the packet copies of the cluster share
 * the engine, in the order of their requests.
 */

_Static_assert(PSPIN_DMA_LAUNCH == HPU_DMA + DMA_LAUNCH, "the public name of the register that launches");

enum { DMA_SOURCE, DMA_SOURCE_HIGH, DMA_DEST, DMA_DEST_HIGH, DMA_BYTES };

struct transfer {
	enum memory_region from, to;
	unsigned from_cluster, to_cluster;
	uint32_t reads, writes; /* lines of its source and of its destination */
	uint32_t beats;         /* from the first line read to the last line written, one per cycle */
};

static int is_own(const struct hpu *hpu, enum memory_region region, unsigned cluster)
{
	return region == MEMORY_L1 && cluster == hpu->cluster;
}

/* Cycles from the launch to the end beyond the beats, on an idle machine. */
static uint64_t latency(const struct hpu *hpu, const struct transfer *t)
{
	const struct pspin_target *target = hpu->target;

	if (t->from == MEMORY_L2_PACKET)
		return target->dma_l2_packet;
	if (t->from == MEMORY_L2_HANDLER)
		return target->dma_l2_handler;
	if (t->to != MEMORY_L1)
		return target->dma_to_l2;
	return is_own(hpu, t->from, t->from_cluster) && is_own(hpu, t->to, t->to_cluster) ? target->dma_own_l1 : target->dma_remote_l1;
}

/* Cycles for the beats. */
static uint64_t beat_cycles(const struct hpu *hpu, const struct transfer *t)
{
	const struct pspin_target *target = hpu->target;

	if (!is_own(hpu, t->from, t->from_cluster) || !is_own(hpu, t->to, t->to_cluster))
		return t->beats;
	return target->dma_own_l1_per_beat * (t->beats < target->dma_own_l1_beats ? target->dma_own_l1_beats : t->beats);
}

/* Takes banks of a cluster's L1 for the beats; at another cluster's not earlier than an access sent at the launch would arrive. */
static void enter_beats(struct hpu *hpu, unsigned cluster, uint64_t first, uint64_t launched, uint32_t addr, uint32_t beats)
{
	const uint64_t reaches = launched + (cluster == hpu->cluster ? 0 : hpu->target->remote_reach);

	if (first < reaches)
		first = reaches;
	for (uint32_t i = 0; i < beats; i++)
		l1__reserve_beat(hpu->soc->l1[cluster], first + i, addr % L1_STRIDE + i * (uint32_t)hpu->target->beat_bytes);
}

/*
 * Takes the banks for the transfer; A: reads first. Writes: like those of packet copies (RTL: accesses of eight HPUs in kvstore's
 * burst).
 */
static void take_banks(struct hpu *hpu, const struct transfer *t, uint64_t launched, uint64_t start, uint64_t done)
{
	if (t->from == MEMORY_L1)
		enter_beats(hpu, t->from_cluster, start + 1, launched, hpu->dma_reg[DMA_SOURCE], t->reads);
	if (t->to == MEMORY_L1)
		enter_beats(hpu, t->to_cluster, done - COPY_ANSWER_CYCLES - t->writes, launched, hpu->dma_reg[DMA_DEST], t->writes);
	soc__share_l1(hpu->soc);
}

/* Schedules a transfer launched in this cycle. Returns when it is done. */
static uint64_t schedule(struct hpu *hpu, const struct transfer *t, uint64_t cycle)
{
	struct dma *dma = &hpu->soc->dmas[hpu->cluster];
	uint64_t start, done;

	copies__admit_all(hpu->soc->copies, cycle, hpu->cluster);
	start = cycle > dma->free ? cycle : dma->free;
	if (t->from != MEMORY_L1 && t->reads)
		start = l2__read(hpu->soc->l2, dma, t->from,
				 pages__split(hpu->dma_reg[DMA_SOURCE], t->reads, (uint32_t)hpu->target->beat_bytes), start, t->reads);
	dma->free = dma->launched = start + beat_cycles(hpu, t);
	done = start + 1 + latency(hpu, t) + beat_cycles(hpu, t);
	if (done <= dma->done) /* in order: the engine's ids are the cluster's */
		done = dma->done + 1;
	dma->done = done;
	dma->leaves[dma->next++ % hpu->target->dma_transfers] = done;
	take_banks(hpu, t, cycle, start, done);
	return done;
}

/* Lines are read and written whole; the first line written may need two lines read. */
static void count_beats(const struct hpu *hpu, struct transfer *t, uint32_t bytes)
{
	const uint32_t line = (uint32_t)hpu->target->beat_bytes;
	const uint32_t source = hpu->dma_reg[DMA_SOURCE] % line, dest = hpu->dma_reg[DMA_DEST] % line;
	uint32_t first = bytes < line - dest ? bytes : line - dest;

	if (!bytes)
		return;
	t->reads = (source + bytes + line - 1) / line;
	t->writes = (dest + bytes + line - 1) / line;
	t->beats = (source + first + line - 1) / line - 1 + t->writes;
}

/*
 * May the transfer access this memory? The own L1's alias is an address of cores only (RTL: dmac_wrap.sv knows only its cluster's
 * base). Programs that were timed on the RTL use it nevertheless, and are treated as if it existed.
 */
static int may_access(const struct hpu *hpu, enum memory_region region, uint32_t addr, uint32_t bytes)
{
	if (hpu->soc->dma_takes_no_alias && addr - L1_OWN < L1_STRIDE)
		return 0;
	if (region == MEMORY_L2_PACKET)
		return hpu->begun && addr >= hpu->task.packet_l2 && addr + bytes <= hpu->l2_packet_end;
	return region == MEMORY_L1 || region == MEMORY_L2_HANDLER;
}

/* Starts the transfer that the HPU's DMA registers describe. Its data is moved at once; when it is done is computed. */
static enum rv32_bus_status launch(struct hpu *hpu, struct rv32_bus_request *req)
{
	const struct dma *dma = &hpu->soc->dmas[hpu->cluster];
	uint32_t bytes = hpu->dma_reg[DMA_BYTES];
	uint64_t at = dma->leaves[dma->next % hpu->target->dma_transfers];
	struct transfer t = { 0 };
	uint8_t *source, *dest;

	t.from = storage__find(hpu->memory, hpu->dma_reg[DMA_SOURCE], bytes, hpu->cluster, &source, &t.from_cluster);
	t.to = storage__find(hpu->memory, hpu->dma_reg[DMA_DEST], bytes, hpu->cluster, &dest, &t.to_cluster);
	if (hpu->dma_reg[DMA_SOURCE_HIGH] || hpu->dma_reg[DMA_DEST_HIGH] || !may_access(hpu, t.from, hpu->dma_reg[DMA_SOURCE], bytes) ||
	    !may_access(hpu, t.to, hpu->dma_reg[DMA_DEST], bytes))
		return RV32_BUS_FAULT;
	if (at < req->cycle)
		at = req->cycle;
	if (!lookahead__allows(hpu, at))
		return RV32_BUS_STOP;
	count_beats(hpu, &t, bytes);
	memmove(dest, source, bytes);
	hpu->dma_last++;
	hpu->dma_done[hpu->dma_last % DMA_TRANSFERS_MAX] = schedule(hpu, &t, at);
	req->value = hpu->dma_last;
	if (at > req->cycle) {
		req->wait_cycles = (uint32_t)(at - req->cycle);
		req->wait_cause = RV32_CYC_DMA;
	}
	return RV32_BUS_OK;
}

/* Returns the id of the last transfer that is done; they finish in order. */
static uint32_t done_id(const struct hpu *hpu, uint64_t cycle)
{
	uint32_t id = hpu->dma_last;

	for (unsigned i = 0; i < DMA_TRANSFERS_MAX && hpu->dma_done[id % DMA_TRANSFERS_MAX] > cycle; i++)
		id--;
	return id;
}

enum rv32_bus_status dma__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	if (off & 3 || (req->kind != RV32_LOAD && req->kind != RV32_STORE))
		return RV32_BUS_FAULT;
	if (off < sizeof(hpu->dma_reg)) {
		if (req->kind == RV32_STORE)
			hpu->dma_reg[off / 4] = req->value;
		else
			req->value = hpu->dma_reg[off / 4];
		return RV32_BUS_OK;
	}
	if (req->kind == RV32_STORE)
		return RV32_BUS_OK;
	if (off == DMA_LAUNCH)
		return launch(hpu, req);
	req->value = off == DMA_DONE ? done_id(hpu, req->cycle) : 0;
	return RV32_BUS_OK;
}

/* --- the event unit --- */

#define ENTRIES 8u /* of the dispatch FIFO; overflow is not checked */

struct sleeper {
	uint32_t mask; /* the events that wake it */
	unsigned next; /* the entry that it reads next */
	int sleeps;
	uint64_t woken; /* the cycle of its answer */
};

struct event_unit {
	uint32_t value[ENTRIES], team[ENTRIES]; /* team: HPUs that have not popped the entry, one bit each */
	uint32_t next_team;                     /* team of the words pushed from now on */
	unsigned end;                           /* entry for the next push */
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

/* Finds an entry for this HPU. Returns 0 if there is none, or its event is masked. */
static int find(const struct event_unit *unit, struct sleeper *sleeper, unsigned index)
{
	while (!(unit->team[sleeper->next] >> index & 1)) {
		if (sleeper->next == unit->end)
			return 0;
		sleeper->next = (sleeper->next + 1) % ENTRIES;
	}
	return sleeper->mask >> EVENT_UNIT_DISPATCH_EVENT & 1;
}

/* Takes the next entry for this HPU from the event unit. Without one the HPU sleeps and repeats the load when it is woken. */
static enum rv32_bus_status pop(struct hpu *hpu, struct rv32_bus_request *req)
{
	struct event_unit *unit = unit_of(hpu);
	struct sleeper *sleeper = &unit->hpu[hpu->index];
	uint64_t answer = req->cycle + EVENT_UNIT_WAKE_CYCLES;

	if (!find(unit, sleeper, hpu->index)) {
		if (hpu->pipeline && !lookahead__allows(hpu, req->cycle))
			return RV32_BUS_STOP;
		sleeper->sleeps = 1;
		if (hpu->pipeline)
			threads__park(hpu, PARK_TASK, req->cycle, UINT64_MAX);
		else
			hpu->pending = 1;
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

/* Adds an entry for a team of HPUs and wakes those of them that sleep. */
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
		sleeper->woken = cycle + EVENT_UNIT_WAKE_CYCLES;
		if (first[i].pipeline) {
			threads__ready(&first[i], sleeper->woken);
			continue;
		}
		first[i].pending = 0;
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
	if (!lookahead__allows_l1(hpu, req->cycle))
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
