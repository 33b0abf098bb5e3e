/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An HPU's front end of the cluster DMA. The data is copied at the launch; the
 * id reads as done when the engine has finished, which all HPUs and the packet
 * copies of the cluster share.
 */
#include <string.h>

#include "dma.h"
#include "l1.h"
#include "l2.h"
#include "scheduler.h"

enum { DMA_SOURCE, DMA_SOURCE_HIGH, DMA_DEST, DMA_DEST_HIGH, DMA_BYTES };

struct transfer {
	enum memory_region from, to;
	unsigned from_cluster, to_cluster;
	uint32_t beats;
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
	return is_own(hpu, t->from, t->from_cluster) && is_own(hpu, t->to, t->to_cluster) ? target->dma_own_l1 :
											   target->dma_remote_l1;
}

/* Cycles of its beats. */
static uint64_t moving(const struct hpu *hpu, const struct transfer *t)
{
	const struct pspin_target *target = hpu->target;

	if (!is_own(hpu, t->from, t->from_cluster) || !is_own(hpu, t->to, t->to_cluster))
		return t->beats;
	return target->dma_own_l1_per_beat * (t->beats < target->dma_own_l1_beats ? target->dma_own_l1_beats : t->beats);
}

/* The banks that it takes; A: reads first, writes up to its end. */
static void enter_beats(struct hpu *hpu, const struct transfer *t, uint64_t start, uint64_t done)
{
	const uint32_t beat_bytes = (uint32_t)hpu->target->beat_bytes;

	for (uint32_t i = 0; i < t->beats; i++) {
		uint32_t off = i * beat_bytes;

		if (t->from == MEMORY_L1)
			l1__beat(hpu->soc->l1[t->from_cluster], start + 1 + i, hpu->dma_reg[DMA_SOURCE] % L1_STRIDE + off);
		if (t->to == MEMORY_L1)
			l1__beat(hpu->soc->l1[t->to_cluster], done - t->beats + i, hpu->dma_reg[DMA_DEST] % L1_STRIDE + off);
	}
}

/* Launched in this cycle: when it is done. */
static uint64_t schedule(struct hpu *hpu, const struct transfer *t, uint64_t cycle)
{
	struct dma *dma = scheduler__dma(hpu->soc->schedulers[hpu->cluster]);
	uint64_t start = cycle > dma->free ? cycle : dma->free, done;

	if (t->from == MEMORY_L2_PACKET && t->beats)
		start = l2__burst(hpu->soc->l2, start, t->beats);
	dma->free = start + moving(hpu, t);
	done = start + 1 + latency(hpu, t) + moving(hpu, t);
	dma->leaves[dma->next++ % hpu->target->dma_transfers] = done;
	enter_beats(hpu, t, start, done);
	return done;
}

static int may(const struct hpu *hpu, enum memory_region region, uint32_t addr, uint32_t bytes)
{
	if (region == MEMORY_L2_PACKET)
		return addr >= hpu->task.packet_l2 && addr + bytes <= hpu->l2_packet_end;
	return region == MEMORY_L1 || region == MEMORY_L2_HANDLER;
}

static enum rv32_bus_status launch(struct hpu *hpu, struct rv32_bus_request *req)
{
	const struct dma *dma = scheduler__dma(hpu->soc->schedulers[hpu->cluster]);
	uint32_t bytes = hpu->dma_reg[DMA_BYTES];
	uint64_t at = dma->leaves[dma->next % hpu->target->dma_transfers], done, before;
	struct transfer t = {0};
	uint8_t *source, *dest;

	t.from = storage__find(hpu->memory, hpu->dma_reg[DMA_SOURCE], bytes, hpu->cluster, &source, &t.from_cluster);
	t.to = storage__find(hpu->memory, hpu->dma_reg[DMA_DEST], bytes, hpu->cluster, &dest, &t.to_cluster);
	if (hpu->dma_reg[DMA_SOURCE_HIGH] || hpu->dma_reg[DMA_DEST_HIGH] ||
	    !may(hpu, t.from, hpu->dma_reg[DMA_SOURCE], bytes) ||
	    !may(hpu, t.to, hpu->dma_reg[DMA_DEST], bytes))
		return RV32_BUS_FAULT;
	if (at < req->cycle)
		at = req->cycle;
	if (!hpu__may(hpu, at))
		return RV32_BUS_STOP;
	t.beats = (uint32_t)((bytes + hpu->target->beat_bytes - 1) / hpu->target->beat_bytes);
	memmove(dest, source, bytes);
	before = hpu->dma_done[hpu->dma_last % HPU_DMA_MAX];
	done = schedule(hpu, &t, at);
	hpu->dma_last++;
	hpu->dma_done[hpu->dma_last % HPU_DMA_MAX] = done > before ? done : before; /* in order */
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

	for (unsigned i = 0; i < HPU_DMA_MAX && hpu->dma_done[id % HPU_DMA_MAX] > cycle; i++)
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
