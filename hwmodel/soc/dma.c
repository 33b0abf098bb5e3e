/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An HPU's front end of the cluster DMA. The data is copied at the launch; the
 * id reads as done when the idle engine would have finished.
 */
#include <string.h>

#include "soc.h"

enum { DMA_SOURCE, DMA_SOURCE_HIGH, DMA_DEST, DMA_DEST_HIGH, DMA_BYTES };

/* Cycles from the launch to the end, by the ends and the length. */
static uint32_t duration(const struct hpu *hpu, enum memory_region from, unsigned from_cluster,
			 enum memory_region to, unsigned to_cluster, uint32_t bytes)
{
	const struct pspin_target *target = hpu->target;
	uint32_t beats = (bytes + target->beat_bytes - 1) / target->beat_bytes;

	if (from == MEMORY_L2_PACKET)
		return target->dma_l2_packet + beats;
	if (from == MEMORY_L2_HANDLER)
		return target->dma_l2_handler + beats;
	if (to != MEMORY_L1)
		return target->dma_to_l2 + beats;
	if (from_cluster == hpu->cluster && to_cluster == hpu->cluster) {
		if (beats < target->dma_own_l1_beats)
			beats = target->dma_own_l1_beats;
		return target->dma_own_l1 + target->dma_own_l1_per_beat * beats;
	}
	return target->dma_remote_l1 + beats;
}

static int may(const struct hpu *hpu, enum memory_region region, uint32_t addr, uint32_t bytes)
{
	if (region == MEMORY_L2_PACKET)
		return addr >= hpu->task.packet_l2 && addr + bytes <= hpu->l2_packet_end;
	return region == MEMORY_L1 || region == MEMORY_L2_HANDLER;
}

static enum rv32_bus_status launch(struct hpu *hpu, struct rv32_bus_request *req)
{
	uint32_t bytes = hpu->dma_reg[DMA_BYTES];
	unsigned from_cluster, to_cluster;
	enum memory_region from, to;
	uint8_t *source, *dest;
	uint64_t done, before;

	from = storage__find(hpu->memory, hpu->dma_reg[DMA_SOURCE], bytes, hpu->cluster, &source,
			     &from_cluster);
	to = storage__find(hpu->memory, hpu->dma_reg[DMA_DEST], bytes, hpu->cluster, &dest,
			   &to_cluster);
	if (hpu->dma_reg[DMA_SOURCE_HIGH] || hpu->dma_reg[DMA_DEST_HIGH] ||
	    !may(hpu, from, hpu->dma_reg[DMA_SOURCE], bytes) ||
	    !may(hpu, to, hpu->dma_reg[DMA_DEST], bytes))
		return RV32_BUS_FAULT;
	if (!hpu__may(hpu, req->cycle))
		return RV32_BUS_STOP;
	memmove(dest, source, bytes);
	before = hpu->dma_done[hpu->dma_last % HPU_DMA_MAX];
	done = req->cycle + 1 + duration(hpu, from, from_cluster, to, to_cluster, bytes);
	hpu->dma_last++;
	hpu->dma_done[hpu->dma_last % HPU_DMA_MAX] = done > before ? done : before; /* in order */
	req->value = hpu->dma_last;
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
