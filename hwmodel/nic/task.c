/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "task.h"

/* Writes a packet's bytes and clears what a longer one left behind them. */
static void place(uint8_t *at, const uint8_t *from, uint32_t bytes, uint32_t *dirty)
{
	memcpy(at, from, bytes);
	if (*dirty > bytes)
		memset(at + bytes, 0, *dirty - bytes);
	*dirty = bytes;
}

void task__place(struct pspin *nic, const uint8_t *packet, uint32_t bytes, uint32_t bytes_in_l1)
{
	if (bytes_in_l1 == SPIN_WHOLE_PACKET || bytes_in_l1 > bytes)
		bytes_in_l1 = bytes;
	place(nic->soc.memory.l2_packet, packet, bytes, &nic->dirty_l2);
	place(nic->soc.memory.l1[0] + L1_PACKETS, packet, bytes_in_l1, &nic->dirty_l1);
}

void task__describe(uint32_t packet_bytes, struct hpu_descriptor *task)
{
	memset(task, 0, sizeof(*task));
	task->handler_mem = L2_HANDLER;
	task->handler_mem_bytes = L2_HANDLER_BYTES;
	task->packet_l1 = PACKET_L1;
	task->packet_l2 = L2_PACKET;
	task->packet_bytes = packet_bytes;
}

/* PsPIN copies it again for each task; what header handlers wrote there stays. */
void task__copy_again(struct pspin *nic)
{
	memcpy(nic->soc.memory.l1[0] + L1_PACKETS, nic->soc.memory.l2_packet, nic->dirty_l1);
}

const struct pspin_task *task__run(struct pspin *nic, enum pspin_task_kind kind, uint32_t function,
				   const struct hpu_descriptor *descriptor)
{
	struct pspin_task *task = journal__task(&nic->journal);
	const struct rv32_stats *loop = &nic->runtime.stats;
	struct hpu_task_result result;

	soc__run_one(&nic->soc, &nic->soc.hpus[0], function, descriptor, &result);
	memset(task, 0, sizeof(*task));
	task->kind = kind;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++) {
		uint64_t cycles = result.stats.cycles[i];

		task->cycles[i] = cycles > loop->cycles[i] ? cycles - loop->cycles[i] : 0;
		task->body_cycles += task->cycles[i];
	}
	if (result.stats.instructions > loop->instructions)
		task->instructions = result.stats.instructions - loop->instructions;
	task->nic_sends = result.commands[HPU_NIC_SEND];
	task->host_dmas = result.commands[HPU_TO_HOST] + result.commands[HPU_FROM_HOST];
	task->host_reads = result.commands[HPU_FROM_HOST];
	task->host_writes = result.commands[HPU_HOST_DIRECT];
	task->error = result.error;
	task->error_pc = result.error_pc;
	task->error_tval = result.error_tval;
	task->value = result.value;
	return task;
}

_Static_assert(PSPIN_ERROR_FAIL == HPU_ERROR_FAIL && PSPIN_ERROR_SEGV == HPU_ERROR_SEGV &&
		       PSPIN_ERROR_BAD_RETURN == HPU_ERROR_BAD_RETURN && PSPIN_ERROR_OVERRUN == HPU_ERROR_OVERRUN,
	       "what the image writes is what the model reports");

static int is_overrun(uint32_t error)
{
	return error == PSPIN_ERROR_OVERRUN || error == PSPIN_ERROR_WATCHDOG;
}

/* PSPIN_ERROR_SEGV, traps: a failed access. */
enum spin_reason task__error_reason(uint32_t error)
{
	return is_overrun(error)		 ? SPIN_REASON_OVERRUN
	       : error == PSPIN_ERROR_FAIL	 ? SPIN_REASON_FAILED
	       : error == PSPIN_ERROR_BAD_RETURN ? SPIN_REASON_BAD_RETURN
						 : SPIN_REASON_SEGV;
}

enum spin_event_type task__error_event(uint32_t error)
{
	return is_overrun(error)		 ? SPIN_EVENT_OVERRUN
	       : error == PSPIN_ERROR_FAIL	 ? SPIN_EVENT_FAIL
	       : error == PSPIN_ERROR_BAD_RETURN ? SPIN_EVENT_BAD_RETURN
						 : SPIN_EVENT_SEGV;
}
