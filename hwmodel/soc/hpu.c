/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "hpu.h"

/* Own L1 at both its addresses: the HPU's stack, and all from the packet buffer's page on. */
static void windows__set(struct rv32_config *config, const struct hpu *hpu)
{
	const uint32_t bases[] = {L1_OWN, L1_GLOBAL + hpu->cluster * L1_STRIDE};
	const uint32_t stack = L1_STACKS + hpu->index * L1_STACK_BYTES, rest = L1_PACKETS & ~0xfffu;
	uint8_t *l1 = hpu->memory->l1[hpu->cluster];

	for (unsigned i = 0; i < 2; i++) {
		config->windows[config->window_count++] =
			(struct rv32_window){.addr = bases[i] + stack,
					     .bytes = L1_STACK_BYTES,
					     .mem = l1 + stack,
					     .flags = RV32_WINDOW_DATA | RV32_WINDOW_NO_LRSC};
		config->windows[config->window_count++] =
			(struct rv32_window){.addr = bases[i] + rest,
					     .bytes = L1_BYTES - rest,
					     .mem = l1 + rest,
					     .flags = RV32_WINDOW_DATA | RV32_WINDOW_NO_LRSC};
	}
	config->windows[config->window_count++] =
		(struct rv32_window){.addr = PROGRAM,
				     .bytes = PROGRAM_BYTES,
				     .mem = hpu->memory->program,
				     .flags = RV32_WINDOW_CODE | RV32_WINDOW_READONLY};
}

int hpu__open(struct hpu *hpu, struct storage *memory, const struct pspin_target *target,
	      unsigned cluster, unsigned index, struct hpu_sink sink)
{
	struct rv32_config config = {
		.hart_id = cluster << 5 | index,
		.bus = {.arg = hpu, .access = hpu__access},
	};

	memset(hpu, 0, sizeof(*hpu));
	if (!target->command_slots || target->command_slots > HPU_COMMAND_SLOTS_MAX)
		return -EINVAL;
	hpu->memory = memory;
	hpu->target = target;
	hpu->sink = sink;
	hpu->cluster = cluster;
	hpu->index = index;
	hpu->watchdog_cycles = target->watchdog_cycles;
	windows__set(&config, hpu);
	hpu->core = rv32_core__new(&config);
	return hpu->core ? 0 : -ENOMEM;
}

void hpu__close(struct hpu *hpu)
{
	rv32_core__free(hpu->core);
	hpu->core = NULL;
}

/* 1 when the core waits for a task. */
static int run(struct hpu *hpu)
{
	struct rv32_stats now;

	rv32_core__stats(hpu->core, &now);
	return rv32_core__run(hpu->core, now.cycle + hpu->watchdog_cycles) == RV32_STOP_BUS;
}

int hpu__boot(struct hpu *hpu)
{
	rv32_core__set_pc(hpu->core, PROGRAM_RESET);
	if (!run(hpu) || hpu->result.error)
		return -EFAULT;
	hpu->idle_pc = rv32_core__pc(hpu->core);
	for (unsigned x = 0; x < 32; x++)
		hpu->idle_reg[x] = rv32_core__reg(hpu->core, x);
	return 0;
}

/* The NIC takes the HPU back from a handler that does not end. */
static void stop(struct hpu *hpu)
{
	hpu->function = 0;
	if (!hpu->result.error) {
		hpu->result.error = PSPIN_ERROR_WATCHDOG;
		hpu->result.error_pc = rv32_core__pc(hpu->core);
	}
	for (unsigned x = 1; x < 32; x++)
		rv32_core__set_reg(hpu->core, x, hpu->idle_reg[x]);
	rv32_core__set_pc(hpu->core, hpu->idle_pc);
}

void hpu__run(struct hpu *hpu, uint32_t function, const struct hpu_descriptor *task,
	      struct hpu_task_result *out)
{
	struct rv32_stats start;

	hpu->function = function;
	hpu->task = *task;
	hpu->l2_packet_end = task->packet_l2 + ((task->packet_bytes + 63) & ~63u);
	memset(&hpu->result, 0, sizeof(hpu->result));
	memset(hpu->command_done, 0,
	       sizeof(hpu->command_done)); /* feedback waited for all of them */
	memset(hpu->dma_done, 0, sizeof(hpu->dma_done));
	hpu->reserved = 0;
	rv32_core__stats(hpu->core, &start);
	if (!run(hpu))
		stop(hpu);
	rv32_core__stats(hpu->core, &hpu->result.stats);
	hpu->result.stats.cycle -= start.cycle;
	hpu->result.stats.instructions -= start.instructions;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		hpu->result.stats.cycles[i] -= start.cycles[i];
	hpu->result.value = rv32_core__reg(hpu->core, 10);
	*out = hpu->result;
}
