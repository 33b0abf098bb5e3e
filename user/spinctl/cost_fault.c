/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>

#include "user/spinctl/cost_run.h"

/* What no handler of its own accord does: the figures would be of something else. */
int cost_fault(const struct cost_program *program, const struct pspin_task_record *record)
{
	static const struct {
		uint32_t error;
		const char *text;
	} texts[] = {
		{ 0, "an instruction at an odd address" },
		{ 1, "a jump to where no instructions are" },
		{ 2, "an illegal instruction" },
		{ 3, "ebreak" },
		{ 4, "a misaligned load" },
		{ 5, "a load from where it may not" },
		{ 6, "a misaligned store, AMO or LR/SC" },
		{ 7, "a store, AMO or LR/SC to where it may not" },
		{ 8, "ecall" },
		{ PSPIN_ERROR_WATCHDOG, "no end: the watchdog stopped it" },
		{ PSPIN_ERROR_CYCLES, "more cycles for each byte of payload than the target's max_cycles_per_byte" },
		{ PSPIN_ERROR_COMMAND, "a command for memory that is not there" },
	};
	const struct pspin_task *task = record->task;
	const char *what = "an exception";
	char place[512], address[64] = "", cause[32] = "";

	if (!task->error || (task->error >= PSPIN_ERROR_FAIL && task->error <= PSPIN_ERROR_OVERRUN))
		return DONE;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].error == task->error)
			what = texts[i].text;
	if (task->error == 5 && task->error_tval == PSPIN_DMA_LAUNCH)
		what = "a transfer of the cluster's DMA from or to where it may not: the own L1, where stack and memory of clusters are, has "
		       "another address there";
	cost_place(program, task->error_pc, place, sizeof(place));
	if (task->error < PSPIN_ERROR_FAIL)
		snprintf(cause, sizeof(cause), " (mcause %" PRIu32 ")", task->error);
	if (task->error >= 4 && task->error <= 7)
		snprintf(address, sizeof(address), ", address 0x%08" PRIx32, task->error_tval);
	return complain("packet %" PRIu64 ", %s handler: %s%s%s%s%s", record->packet + 1, cost_task_name(task->kind), what, cause,
			place[0] ? " at " : "", place, address);
}
