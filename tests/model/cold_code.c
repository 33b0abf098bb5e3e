/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs tasks whose code is not in the instruction cache, one after the other after boot, on one cluster. Cycles must equal those of PsPIN's
 * RTL: from the first instruction's issue to the issue of the instruction after the runtime's call, and from HER (the request to run a
 * packet's handlers) to feedback (the end of the packet). Replacement depends on the addresses of the code: these rows are valid for cold.S
 * linked after the runtime loop at 0x1d000170. Run by tests/run.
 */
#include "tests/model/common/rig.h"

/* The tasks in their order, with the cycles measured on the RTL. */
static const struct {
	const char *function;
	uint64_t body, her_to_feedback;
} rows[] = {
	{ "empty", 2, 43 },
	{ "empty", 2, 27 },
	{ "jalr_at_12", 23, 56 },
	{ "jal_at_0", 12, 45 },
	{ "jal_at_4", 13, 46 },
	{ "jal_at_8", 14, 47 },
	{ "jal_at_12", 23, 56 },
	{ "branch_at_4", 14, 47 },
	{ "branch_at_8", 23, 56 },
	{ "branch_at_10", 24, 57 },
	{ "branch_at_12", 23, 56 },
	{ "branch_across", 25, 58 },
	{ "short_branch_at_10", 24, 57 },
	{ "short_branch_at_10_behind_three", 25, 58 },
	{ "two_lines", 25, 58 },
	{ "straight_512", 1538, 1571 },
	{ "straight_512", 530, 555 },
	{ "straight_900", 2702, 2735 },
	{ "straight_900", 1534, 1559 },
	{ "straight_900", 1142, 1167 },
	{ "straight_1800", 5410, 5443 },
	{ "straight_1800", 4818, 4851 },
	{ "straight_1800", 4602, 4635 },
	{ "straight_900", 2702, 2735 },
	{ "straight_900", 1758, 1791 },
	{ "straight_512", 1546, 1579 },
	{ "straight_512", 706, 739 },
	{ "by_multiplication", 27, 60 },
	{ "by_division", 52, 85 },
	{ "by_two_accesses", 27, 60 },
	{ "by_load", 28, 61 },
	{ "by_load_to_x0", 25, 58 },
	{ "by_handler_memory", 41, 74 },
	{ "division_before_a_line", 89, 122 },
	{ "division_in_a_line", 62, 95 },
	{ "division_behind_a_branch", 86, 119 },
	{ "division_behind_a_branch", 43, 68 },
	{ "division_behind_a_branch_at_0", 97, 130 },
	{ "division_behind_a_branch_at_0", 46, 71 },
	{ "division_behind_a_branch_across", 97, 130 },
	{ "division_behind_a_branch_across", 46, 71 },
	{ "division_not_fetched", 23, 56 },
	{ "division_not_fetched", 41, 66 },
	{ "product_before_a_line", 28, 61 },
	{ "jump_behind_a_load", 48, 81 },
	{ "jump_behind_an_amo_to_x0", 55, 88 },
	{ "return_behind_a_store", 50, 83 },
	{ "jump_behind_a_load_at_8", 49, 82 },
	{ "jump_behind_a_load", 48, 73 },
	{ "jump_behind_an_amo_to_x0", 55, 80 },
};

static struct rig rig;
static int failures;
static unsigned row;

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL row %u, %s, %s: %llu, measured on the RTL %llu\n", row, rows[row].function, what, (unsigned long long)have,
	       (unsigned long long)want);
	failures++;
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	expect("body", task->returned - task->first, rows[row].body);
	expect("body by causes", task->result.body.cycle, rows[row].body);
	expect("HER to feedback", task->feedback - task->ready, rows[row].her_to_feedback);
	expect("error", task->result.error, 0);
}

static const struct soc_nic hooks = {
	.on_start = rig__on_start,
	.on_command = rig__on_command,
	.on_end = on_end,
	.on_freed = rig__on_freed,
	.on_room = rig__on_room,
};

int main(void)
{
	struct rig_file file = rig__build("cold", "tests/model/programs/cold.S");
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct soc_context context = { .bytes_in_l1 = 64, .handler_mem = 0x1c300000 };

	target.clusters = 1;
	rig__open(&rig, file, &target, 0, 0);
	rig.soc.nic = &hooks;
	if (rig__function(&rig, "spin_runtime_") != 0x1d000170) {
		printf("FAIL the runtime loop has moved: these rows have to be measured again\n");
		return 1;
	}
	for (row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context, .packet = row, .end_of_message = 1 };

		context.payload = rig__function(&rig, rows[row].function);
		if (soc__her(&rig.soc, rig.soc.now + 1000, &her)) {
			printf("FAIL a HER is refused\n");
			return 1;
		}
		soc__run(&rig.soc, rig.soc.now + 20000);
	}
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
