/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every HPU (core of the modelled NIC) must boot the image, run tasks, and continue after handlers that trap or do not end. State placed in
 * L1 must be copied there, and memory of clusters cleared. Run by tests/run.
 */
#include "tests/model/common/rig.h"

static int failures;

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s: %llu, expected %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static void every_hpu_boots(struct rig_file file, const struct pspin_target *target)
{
	struct hpu_task_result result;
	struct rig rig;

	for (unsigned cluster = 0; cluster < 4; cluster++)
		for (unsigned index = 0; index < 8; index++) {
			uint32_t args[4] = { 0 };

			rig__open(&rig, file, target, cluster, index);
			memcpy(args, rig.soc.memory.l1[cluster] + L1_STACKS + (index + 1) * L1_STACK_BYTES - sizeof(args), sizeof(args));
			expect("argument: descriptor", args[0], 0x1b205008);
			expect("argument: global id", args[1], cluster * 8 + index);
			expect("argument: cluster", args[2], cluster);
			expect("argument: HPU in cluster", args[3], index);
			rig__run(&rig, "pspin_counter", &result);
			expect("a task on any HPU", result.error, 0);
			expect("start to start", result.stats.cycle, 10 + 9);
			expect("scratchpad of the own cluster", *(uint32_t *)(rig.soc.memory.l1[cluster] + rig.soc.memory.l1_scratchpads),
			       0xa5a5a5a5u + 1);
			rig__close(&rig);
		}
}

static void faults_end_the_task_only(struct rig_file file, const struct pspin_target *target)
{
	static const struct {
		const char *function;
		uint32_t error;
	} rows[] = {
		{ "trap_load", 5 },
		{ "trap_store", 7 },
		{ "trap_illegal", 2 },
		{ "trap_lr_l1", 5 },
		{ "trap_other_stack", 5 },
		{ "trap_beyond_packet", 5 },
		{ "endless", PSPIN_ERROR_WATCHDOG },
	};
	struct hpu_task_result result;
	struct rig rig;

	rig__open(&rig, file, target, 0, 0);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			rig__run(&rig, rows[i].function, &result);
			if (result.error != rows[i].error && !(rows[i].error == 5 && result.error == 7)) { /* LR: load or AMO fault */
				printf("FAIL %s: error %#x, expected %#x\n", rows[i].function, result.error, rows[i].error);
				failures++;
			}
			rig__run(&rig, "pspin_counter", &result);
			expect("the task after a fault", result.error, 0);
			expect("its cycles", result.stats.cycle, 10 + 9);
		}
	rig__close(&rig);
}

/* All HPUs of a cluster wait for one word of L1 when the watchdog fires. Their waiting time must not be counted for the next task. */
static void waits_end_with_the_task(struct rig_file file, const struct pspin_target *target)
{
	struct soc_context context = { 0 };
	struct hpu_task_result result;
	struct rig rig;

	rig__open(&rig, file, target, 0, 0);
	context.payload = rig__function(&rig, "endless_amos");
	for (unsigned i = 0; i < target->hpus; i++) {
		struct soc_her her = { .l2 = L2_PACKET, .bytes = 64, .end_of_message = i == target->hpus - 1, .context = &context };

		expect("a HER is taken", (uint64_t)soc__her(&rig.soc, rig.soc.now + 1, &her), 0);
	}
	soc__run(&rig.soc, UINT64_MAX);
	for (unsigned i = 0; i < target->hpus; i++) {
		rig.hpu = &rig.soc.hpus[i];
		rig__run(&rig, "pspin_counter", &result);
		expect("error of the task after a wait", result.error, 0);
		expect("its cycles", result.stats.cycle, 10 + 9);
	}
	rig__close(&rig);
}

static void state_in_l1_is_copied(const struct pspin_target *target)
{
	struct rig_file file = rig__build("state_in_l1", "tests/model/baselines/examples.c tests/model/baselines/state.c "
							 "-Wl,--defsym=SPIN_STATE_IN_L1=1");
	uint32_t addr, words[2];
	struct rig rig;

	rig__open(&rig, file, target, 0, 0);
	expect("spin_state is there", hw_elf__symbol(rig.elf, "spin_state", &addr, NULL), 0);
	expect("its address", addr, 0x10080000);
	memcpy(words, rig.soc.memory.l1[0] + 0x80000, sizeof(words));
	expect("first word", words[0], 0x11223344);
	expect("last word", words[1], 0x55667788);
	rig__close(&rig);
	free(file.data);
}

/* Memory of clusters must be cleared completely in each cluster, whatever it contained, and nothing around it. */
static void memory_of_clusters_is_cleared(const struct pspin_target *target)
{
	struct rig_file file =
		rig__build("clusters", "-DHPU_HAS_CLUSTERS tests/model/baselines/examples.c tests/model/baselines/clusters.c");
	uint32_t addr, bytes = 0;
	struct rig rig;

	rig__load(&rig, file, target);
	expect("memory of clusters is there", hw_elf__symbol(rig.elf, "clusters", &addr, &bytes), 0);
	expect("its size", bytes, 5 * 64);
	for (unsigned cluster = 0; cluster < 4; cluster++)
		expect("a byte before the boot", rig.soc.memory.l1[cluster][addr - L1_OWN], RIG_L1_BYTE);
	rig__boot(&rig, 0, 0);
	for (unsigned cluster = 0; cluster < 4; cluster++) {
		const uint8_t *at = rig.soc.memory.l1[cluster] + (addr - L1_OWN);
		unsigned set = 0;

		for (uint32_t i = 0; i < bytes; i++)
			set |= at[i];
		expect("its bytes after the boot", set, 0);
		expect("the byte before it", at[-1], RIG_L1_BYTE);
		expect("the byte behind it", at[bytes], RIG_L1_BYTE);
	}
	rig__close(&rig);
	free(file.data);
}

int main(void)
{
	struct rig_file file = rig__build("machine", "tests/model/programs/rows.S tests/model/baselines/examples.c -fno-unroll-loops");
	struct pspin_target target = *pspin_target__find("pspin-rtl");

	target.watchdog_cycles = 100000;
	every_hpu_boots(file, &target);
	faults_end_the_task_only(file, &target);
	waits_end_with_the_task(file, &target);
	state_in_l1_is_copied(&target);
	memory_of_clusters_is_cleared(&target);
	free(file.data);
	return failures != 0;
}
