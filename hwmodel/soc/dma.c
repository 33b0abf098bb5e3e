/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An HPU's front end of the cluster DMA. The data is copied at the launch; the
 * id reads as done when the engine has finished, which all HPUs and the packet
 * copies of the cluster share. It takes them in the order in which they come.
 */
#include <string.h>

#include "hwmodel/soc/dma.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/scheduler.h"

_Static_assert(PSPIN_DMA_LAUNCH == HPU_DMA + DMA_LAUNCH, "the public name of the register that launches");

enum { DMA_SOURCE, DMA_SOURCE_HIGH, DMA_DEST, DMA_DEST_HIGH, DMA_BYTES };

struct transfer {
	enum memory_region from, to;
	unsigned from_cluster, to_cluster;
	uint32_t reads, writes; /* lines of its source and of its destination */
	uint32_t beats;         /* from the first line that is read to the last that is written, one per cycle */
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

/* Cycles of its beats. */
static uint64_t moving(const struct hpu *hpu, const struct transfer *t)
{
	const struct pspin_target *target = hpu->target;

	if (!is_own(hpu, t->from, t->from_cluster) || !is_own(hpu, t->to, t->to_cluster))
		return t->beats;
	return target->dma_own_l1_per_beat * (t->beats < target->dma_own_l1_beats ? target->dma_own_l1_beats : t->beats);
}

/* Beats at a cluster's L1, at another's no sooner than an access would get there that sets out at the launch. */
static void enter_beats(struct hpu *hpu, unsigned cluster, uint64_t first, uint64_t launched, uint32_t addr, uint32_t beats)
{
	const uint64_t reaches = launched + (cluster == hpu->cluster ? 0 : hpu->target->remote_reach);

	if (first < reaches)
		first = reaches;
	for (uint32_t i = 0; i < beats; i++)
		l1__beat(hpu->soc->l1[cluster], first + i, addr % L1_STRIDE + i * (uint32_t)hpu->target->beat_bytes);
}

/* The banks that it takes; A: reads first, writes up to its end. */
static void take_banks(struct hpu *hpu, const struct transfer *t, uint64_t launched, uint64_t start, uint64_t done)
{
	if (t->from == MEMORY_L1)
		enter_beats(hpu, t->from_cluster, start + 1, launched, hpu->dma_reg[DMA_SOURCE], t->reads);
	if (t->to == MEMORY_L1)
		enter_beats(hpu, t->to_cluster, done - t->writes, launched, hpu->dma_reg[DMA_DEST], t->writes);
	soc__asks_for_l1(hpu->soc);
}

/* Launched in this cycle: when it is done. */
static uint64_t schedule(struct hpu *hpu, const struct transfer *t, uint64_t cycle)
{
	struct dma *dma = scheduler__dma(hpu->soc->schedulers[hpu->cluster]);
	uint64_t start = cycle > dma->free ? cycle : dma->free, done;

	if (t->from == MEMORY_L2_PACKET && t->reads)
		start = l2__burst(hpu->soc->l2, start, t->reads);
	dma->free = dma->launched = start + moving(hpu, t);
	done = start + 1 + latency(hpu, t) + moving(hpu, t);
	if (done <= dma->done) /* in order: ids are the cluster's */
		done = dma->done + 1;
	dma->done = done;
	dma->leaves[dma->next++ % hpu->target->dma_transfers] = done;
	take_banks(hpu, t, cycle, start, done);
	return done;
}

/* Lines are read and written whole; the first one may have to wait for two. */
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
 * The own L1's alias is an address of cores: the DMA's is another (RTL: dmac_wrap.sv knows its cluster's base alone). Programs that
 * were timed on the RTL name it all the same, and count as if it was there.
 */
static int may(const struct hpu *hpu, enum memory_region region, uint32_t addr, uint32_t bytes)
{
	if (hpu->soc->dma_takes_no_alias && addr - L1_OWN < L1_STRIDE)
		return 0;
	if (region == MEMORY_L2_PACKET)
		return hpu->begun && addr >= hpu->task.packet_l2 && addr + bytes <= hpu->l2_packet_end;
	return region == MEMORY_L1 || region == MEMORY_L2_HANDLER;
}

static enum rv32_bus_status launch(struct hpu *hpu, struct rv32_bus_request *req)
{
	const struct dma *dma = scheduler__dma(hpu->soc->schedulers[hpu->cluster]);
	uint32_t bytes = hpu->dma_reg[DMA_BYTES];
	uint64_t at = dma->leaves[dma->next % hpu->target->dma_transfers];
	struct transfer t = { 0 };
	uint8_t *source, *dest;

	t.from = storage__find(hpu->memory, hpu->dma_reg[DMA_SOURCE], bytes, hpu->cluster, &source, &t.from_cluster);
	t.to = storage__find(hpu->memory, hpu->dma_reg[DMA_DEST], bytes, hpu->cluster, &dest, &t.to_cluster);
	if (hpu->dma_reg[DMA_SOURCE_HIGH] || hpu->dma_reg[DMA_DEST_HIGH] || !may(hpu, t.from, hpu->dma_reg[DMA_SOURCE], bytes) ||
	    !may(hpu, t.to, hpu->dma_reg[DMA_DEST], bytes))
		return RV32_BUS_FAULT;
	if (at < req->cycle)
		at = req->cycle;
	if (!hpu__may(hpu, at))
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

/* The last transfer that is done: they finish in order. */
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
