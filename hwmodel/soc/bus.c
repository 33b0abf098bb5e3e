/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Accesses of a simulated core (HPU) outside the windows on its own L1: selects the memory or register, checks permission, and computes the
 * time. Called by the core through soc->up->on_bus_access(). Latencies are those of an idle machine; ports and banks add the cycles that an
 * access waits.
 *
 * In user mode only the handler's own memory is accessible, as with PsPIN's PMP; other accesses get a bus fault. That PMP opens all of
 * L1 to a handler, and PsPIN's own runtime keeps the first HPU's stack in the reserved KiB. So third-party images may access all of L1;
 * images of spincc are restricted to their own stack.
 */
#include <string.h>

#include "hwmodel/core/icache.h"
#include "hwmodel/core/max.h"
#include "hwmodel/soc/hpu.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/peripherals.h"
#include "hwmodel/soc/timing.h"

/* Latency of one access on an idle machine. */
static uint32_t latency_cycles(const struct pspin_target *target, enum rv32_access kind, enum memory_region region, int is_own)
{
/* clang-format off */
#define BY_KIND(where)                                                        \
	(uint32_t)(kind == RV32_AMO ? target->amo_##where :                  \
		   kind == RV32_STORE || kind == RV32_SC ? target->store_##where : target->load_##where)
	/* clang-format on */
	switch (region) {
	case MEMORY_L2_PACKET:
		return BY_KIND(l2_packet);
	case MEMORY_L1:
		if (is_own) /* outside the windows, but in the same banks */
			return kind == RV32_AMO ? (uint32_t)target->l1_amo : 1;
		return BY_KIND(remote_l1);
	default: /* program memory: assumed like handler memory */
		return BY_KIND(l2_handler);
	}
#undef BY_KIND
}

static void answer_sc(struct hpu *hpu, struct rv32_bus_request *req)
{
	const uint64_t saved = req->value && req->wait_cycles > SC_REFUSED_CYCLES ? SC_REFUSED_CYCLES : 0;
	const uint64_t next = hpu->soc->sc_answered + hpu->target->l2_gap_store, answer = req->cycle + req->wait_cycles;

	hpu->soc->sc_answered = max_u64(answer - saved, next < answer ? next : answer);
	req->wait_cycles = (uint32_t)(hpu->soc->sc_answered - req->cycle);
}

/* Parts of L2's handler memory that hpu_driver.sv opens: this much around the task's, and at the start for constants. */
#define PMP_HANDLER_BYTES   (1u << 20)
#define PMP_CONSTANTS_BYTES (64u * 1024)

/* May the HPU access this memory? As with the RTL's protection, where spincc's images do not need more. */
static int is_allowed(const struct hpu *hpu, const struct rv32_bus_request *req, enum memory_region region)
{
	switch (region) {
	case MEMORY_L1:
		return !req->user_mode || hpu->soc->third_party_image || (req->addr & (L1_STRIDE - 1)) >= L1_PACKETS;
	case MEMORY_L2_PACKET:
		return !req->user_mode || (hpu->begun && req->addr >= hpu->task.packet_l2 && req->addr < hpu->l2_packet_end);
	case MEMORY_L2_HANDLER: /* tables of spincc's images may exceed PsPIN's protection (hwmodel/image/pspin.ld) */
		return !req->user_mode || !hpu->soc->third_party_image ||
		       !((req->addr ^ hpu->task.handler_mem) & ~(PMP_HANDLER_BYTES - 1)) || req->addr - L2_HANDLER < PMP_CONSTANTS_BYTES;
	case MEMORY_PROGRAM:
		return req->kind == RV32_LOAD;
	default:
		return 0;
	}
}

static uint32_t amo(unsigned funct5, uint32_t old, uint32_t operand)
{
	switch (funct5) {
	case 0x00:
		return old + operand;
	case 0x01:
		return operand;
	case 0x04:
		return old ^ operand;
	case 0x08:
		return old | operand;
	case 0x0c:
		return old & operand;
	case 0x10:
		return (int32_t)old < (int32_t)operand ? old : operand;
	case 0x14:
		return (int32_t)old > (int32_t)operand ? old : operand;
	case 0x18:
		return old < operand ? old : operand;
	case 0x1c:
		return old > operand ? old : operand;
	}
	return old;
}

/*
 * For an AMO on L2 or on another cluster's L1 the core gets the bus's response instead of the word, which arrives before it
 * (per2axi_res_channel.sv). This is the response without an error.
 */
#define AMO_RESPONSE 1u

/* Transfers the data of an access, whose time has been computed before. */
static void access_data(struct hpu *hpu, struct rv32_bus_request *req, int is_own_l1, uint8_t *at)
{
	uint32_t old = 0;

	memcpy(&old, at, req->size_bytes);
	switch (req->kind) {
	case RV32_LOAD:
		req->value = old;
		break;
	case RV32_LR:
		hpu->tried = req->addr;
		req->value = old;
		break;
	case RV32_STORE:
		memcpy(at, &req->value, req->size_bytes);
		break;
	case RV32_SC:
		if (hpu->sc_stores)
			memcpy(at, &req->value, 4);
		req->value = !hpu->sc_stores;
		break;
	case RV32_FETCH:
		break;
	case RV32_AMO: {
		uint32_t result = amo(req->amo, old, req->value);

		memcpy(at, &result, 4);
		hpu->soc->amo_words += !is_own_l1 && hpu->soc->returns_amo_word && hpu->begun && old != AMO_RESPONSE;
		req->value = is_own_l1 || hpu->soc->returns_amo_word ? old : AMO_RESPONSE;
		break;
	}
	}
}

/* Returns 1 if the repeated access has been served, and the cycles that it waited. */
static int consume_grant(struct hpu *hpu, uint64_t *wait_cycles)
{
	if (!hpu->grant)
		return 0;
	hpu->grant = 0;
	*wait_cycles = hpu->wait_cycles;
	return 1;
}

/* Requests a bank of the own L1. *wait_cycles: how many cycles the bank is late. */
static enum rv32_bus_status request_bank(struct hpu *hpu, const struct rv32_bus_request *req, uint64_t *wait_cycles)
{
	struct soc *soc = hpu->soc;
	uint64_t at;

	if (consume_grant(hpu, wait_cycles))
		return RV32_BUS_OK;
	if (!lookahead__allows_l1(hpu, req->cycle))
		return RV32_BUS_STOP;
	at = l1__request(soc, req->cycle, hpu->cluster, hpu->index, req->addr, req->kind,
			 soc->lookahead_l1 < soc->next_in_cluster ? soc->lookahead_l1 + 1 : soc->next_in_cluster);
	if (at == L1_WAITS) {
		hpu->wait_cycles = req->cycle;
		hpu->pending = 1;
		return RV32_BUS_STOP;
	}
	*wait_cycles = at - req->cycle;
	return RV32_BUS_OK;
}

/* Requests the access. *wait_cycles: cycles beyond those on an idle machine. With RV32_BUS_STOP they are not known yet. */
static enum rv32_bus_status request(struct hpu *hpu, const struct rv32_bus_request *req, enum memory_region region, unsigned of_cluster,
				    uint64_t *wait_cycles)
{
	struct soc *soc = hpu->soc;

	*wait_cycles = 0;
	if (region == MEMORY_L1 && of_cluster == hpu->cluster) /* outside the windows: another HPU's stack */
		return request_bank(hpu, req, wait_cycles);
	if (consume_grant(hpu, wait_cycles))
		return RV32_BUS_OK;
	if (!lookahead__allows(hpu, req->cycle))
		return RV32_BUS_STOP;
	if (region == MEMORY_L1)
		l1__request_remote(hpu, req->cycle, of_cluster, req->addr % L1_STRIDE, req->kind);
	else
		l2_port__request(soc->l2_port, hpu, req->cycle, region, req->kind, req->addr,
				 latency_cycles(soc->target, req->kind, region, 0));
	return RV32_BUS_STOP;
}

static enum rv32_cause cause(const struct hpu *hpu, enum memory_region region, unsigned of_cluster)
{
	if (region != MEMORY_L1)
		return RV32_CYC_L2;
	return of_cluster == hpu->cluster ? RV32_CYC_L1 : RV32_CYC_REMOTE;
}

/*
 * A: a thread that repeats an LR of the same word without an SC in between waits for a lock, as in programs for PsPIN. The holder may
 * be a thread of the same HPU that waits for the host.
 */
static int waits_for_lock(struct hpu *hpu, const struct rv32_bus_request *req)
{
	if (req->kind == RV32_SC)
		hpu->tried = 0;
	return req->kind == RV32_LR && hpu->tried == req->addr && !hpu->grant;
}

/* Performs an access to memory: checks that it is allowed, computes when it is answered, and transfers the data. */
static enum rv32_bus_status memory_access(struct hpu *hpu, struct rv32_bus_request *req)
{
	enum rv32_bus_status status;
	enum memory_region region;
	unsigned of_cluster;
	uint64_t wait_cycles;
	int is_own_l1;
	uint8_t *at;

	region = storage__find(hpu->memory, req->addr, req->size_bytes, hpu->cluster, &at, &of_cluster);
	is_own_l1 = region == MEMORY_L1 && of_cluster == hpu->cluster;
	if (!is_allowed(hpu, req, region))
		return RV32_BUS_FAULT;
	if ((req->kind == RV32_LR || req->kind == RV32_SC) && region == MEMORY_L1)
		return RV32_BUS_FAULT;
	if (hpu->pipeline && waits_for_lock(hpu, req)) {
		status = driver__yield(hpu, req);
		if (status != RV32_BUS_OK)
			return status;
	}
	status = request(hpu, req, region, of_cluster, &wait_cycles);
	if (status != RV32_BUS_OK)
		return status;
	access_data(hpu, req, is_own_l1, at);
	req->wait_cycles = latency_cycles(hpu->target, req->kind, region, is_own_l1) - 1 + (uint32_t)wait_cycles;
	if (req->kind == RV32_SC && region == MEMORY_L2_HANDLER)
		answer_sc(hpu, req);
	req->wait_cause = cause(hpu, region, of_cluster);
	return RV32_BUS_OK;
}

/* Times accesses to the core's own windows while they are shared, and fetches of lines. The core itself moves the data. */
static enum rv32_bus_status request_window(struct hpu *hpu, struct rv32_bus_request *req)
{
	enum rv32_bus_status status;
	uint64_t wait_cycles = 0;

	if (req->kind == RV32_FETCH)
		return lookahead__allows(hpu, req->cycle) ? RV32_BUS_OK : RV32_BUS_STOP;
	status = request_bank(hpu, req, &wait_cycles);
	req->wait_cycles = (uint32_t)wait_cycles;
	return status;
}

/* The cluster's registers have two addresses, like its L1: converts to the alias. */
static void to_alias(const struct hpu *hpu, struct rv32_bus_request *req)
{
	const uint32_t offset = req->addr - (L1_GLOBAL + hpu->cluster * L1_STRIDE);

	if (offset - CLUSTER_REGISTERS < CLUSTER_REGISTERS_BYTES)
		req->addr = L1_OWN + offset;
}

static enum rv32_bus_status icache_control(struct hpu *hpu, const struct rv32_bus_request *req)
{
	if (req->user_mode || req->kind != RV32_STORE)
		return RV32_BUS_FAULT;
	if (req->addr == HPU_ICACHE_FLUSH && hpu->soc->caches)
		icache__flush(hpu->soc->icache[hpu->cluster]);
	return RV32_BUS_OK;
}

/* A: takes as long as a store to handler memory. */
static enum rv32_bus_status standard_output(const struct hpu *hpu, struct rv32_bus_request *req)
{
	if (req->kind != RV32_STORE)
		return RV32_BUS_FAULT;
	req->wait_cycles = (uint32_t)hpu->target->store_l2_handler - 1;
	return RV32_BUS_OK;
}

/* Passes an access to the device or memory at its address. */
static enum rv32_bus_status route(struct hpu *hpu, struct rv32_bus_request *req)
{
	to_alias(hpu, req);
	req->wait_cause = RV32_CYC_MEMORY;
	req->use_cycles = 0;
	if (req->addr - HPU_DRIVER < HPU_DRIVER_BYTES)
		return driver__access(hpu, req, req->addr - HPU_DRIVER);
	if (req->addr - HPU_DMA < DMA_BYTES_)
		return dma__access(hpu, req, req->addr - HPU_DMA);
	if (req->addr - EVENT_UNIT < EVENT_UNIT_BYTES)
		return event_unit__access(hpu, req, req->addr - EVENT_UNIT);
	if (req->addr == HPU_ICACHE_ENABLE || req->addr == HPU_ICACHE_FLUSH)
		return icache_control(hpu, req);
	if (req->addr - SOC_STDOUT < SOC_STDOUT_BYTES)
		return standard_output(hpu, req);
	return memory_access(hpu, req);
}

enum rv32_bus_status hpu__access(void *arg, struct rv32_bus_request *req)
{
	struct hpu *hpu = arg;
	enum rv32_bus_status status;

	req->wait_cycles = 0;
	if (req->in_window || req->kind == RV32_FETCH)
		return request_window(hpu, req);
	status = route(hpu, req);
	if (hpu->watch && status == RV32_BUS_OK)
		hpu->watch(hpu->watch_arg, req);
	return status;
}
