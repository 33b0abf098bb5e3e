/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests words that 32 modelled HPUs of four clusters share, in an L1 or in L2. As on the RTL, an AMO (RISC-V's atomic memory operation)
 * returns the old value only to HPUs of its own cluster, and LR/SC (load-reserved, store-conditional) gives no exclusion. Fetch-and-add,
 * compare-and-swap and locks must still be correct, even if an HPU has trapped or was stopped by the watchdog while it had exclusive access
 * to a word. Run by tests/run.
 */
#include "tests/model/common/rig.h"
#include "tests/model/common/words.h"

enum { MESSAGES = 32, CLUSTERS = 4, CHUNK = 100, CHUNK_CYCLES = 500000, LIMIT_CYCLES = 5000000 };

static unsigned ended_tasks, trapped_tasks, tasks_of[CLUSTERS];

static void on_end(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	ended_tasks++;
	tasks_of[task->hpu->cluster]++;
	trapped_tasks += task->result.error != 0;
}

static const struct soc_nic hooks = {
	.on_start = rig__on_start,
	.on_command = rig__on_command,
	.on_end = on_end,
	.on_freed = rig__on_freed,
	.on_room = rig__on_room,
};

/* The watchdog stops an HPU that has exclusive access to words that the next tasks need. */
static void one_hangs(struct rig *rig, const char *function)
{
	struct soc_context context = { .bytes_in_l1 = SPIN_WHOLE_PACKET, .handler_mem = 0x1c300000 };
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context, .end_of_message = 1 };

	context.payload = rig__function(rig, function);
	if (soc__her(&rig->soc, rig->soc.now + 10, &her)) {
		printf("FAIL %s: its HER is refused\n", function);
		exit(1);
	}
	soc__run(&rig->soc, rig->soc.now + LIMIT_CYCLES);
	expect(function, "tasks that the watchdog has ended", trapped_tasks, 1);
	rig__clear(rig, WORDS_OTHER_GUARD, 4); /* the HPU that it waited for leaves */
	ended_tasks = trapped_tasks = 0;
}

/* Returns the address at which other clusters see WORDS_OWN_L1 of `cluster`. */
static uint32_t own_words_of(unsigned cluster)
{
	return WORDS_OWN_L1 - L1_OWN + L1_GLOBAL + cluster * L1_STRIDE;
}

static void check_at(struct rig *rig, const char *run, uint32_t at, unsigned tasks)
{
	static struct words words;
	unsigned of_cluster;
	uint8_t *where;

	if (storage__find(&rig->soc.memory, at, sizeof(words), 0, &where, &of_cluster) == MEMORY_NONE) {
		printf("FAIL %s: there is no memory for its words\n", run);
		exit(1);
	}
	memcpy(&words, where, sizeof(words));
	words__check(run, &words, tasks);
}

/* Runs tasks of 32 messages at once; each cluster is the home of eight. hangs: a function that one HPU runs before, or NULL. */
static void run_all(struct rig_file file, const char *function, uint32_t at, unsigned traps, const char *hangs)
{
	struct soc_context context = { .bytes_in_l1 = SPIN_WHOLE_PACKET, .handler_mem = 0x1c300000 };
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context };
	static struct rig rig;
	uint32_t guard[2];
	unsigned of_cluster;
	uint64_t cycle;
	uint8_t *where;

	ended_tasks = trapped_tasks = 0;
	memset(tasks_of, 0, sizeof(tasks_of));
	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	for (unsigned i = 0; at == WORDS_OWN_L1 && i < CLUSTERS; i++)
		rig__clear(&rig, own_words_of(i), sizeof(struct words));
	if (at != WORDS_OWN_L1)
		rig__clear(&rig, at, sizeof(struct words));
	rig.soc.nic = &hooks;
	if (hangs)
		one_hangs(&rig, hangs);
	context.payload = rig__function(&rig, function);
	cycle = rig.soc.now + 10;
	for (unsigned i = 0; i < WORDS_TASKS; i++) {
		her.packet = i;
		her.message_id = i % MESSAGES;
		her.end_of_message = i >= WORDS_TASKS - MESSAGES;
		if (soc__her(&rig.soc, cycle, &her)) {
			printf("FAIL %s: HER %u is refused, %u tasks ended\n", function, i, ended_tasks);
			exit(1);
		}
		if (i % CHUNK == CHUNK - 1) {
			cycle += CHUNK_CYCLES;
			soc__run(&rig.soc, cycle - 1);
		}
	}
	soc__run(&rig.soc, cycle + LIMIT_CYCLES);
	expect(function, "tasks that ended", ended_tasks, WORDS_TASKS);
	expect(function, "tasks that trapped", trapped_tasks, traps);
	if (at == WORDS_OWN_L1)
		for (unsigned i = 0; i < CLUSTERS; i++)
			check_at(&rig, function, own_words_of(i), tasks_of[i]);
	else
		check_at(&rig, function, at, WORDS_TASKS);
	if (hangs) {
		storage__find(&rig.soc.memory, WORDS_OTHER_GUARD, sizeof(guard), 0, &where, &of_cluster);
		memcpy(guard, where, sizeof(guard));
		expect(function, "guards that the HPU has left behind", guard[0] | guard[1], 0);
	}
	rig__close(&rig);
}

/* All HPUs contend for one word: each cluster must get at least half of its fair share. */
static void none_starves(struct rig_file file)
{
	struct soc_context context = { .bytes_in_l1 = SPIN_WHOLE_PACKET, .handler_mem = 0x1c300000 };
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context, .end_of_message = 1 };
	static struct words words;
	static struct rig rig;
	unsigned of_cluster;
	uint8_t *where;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	rig.soc.nic = &hooks;
	context.payload = rig__function(&rig, "add_forever");
	for (her.packet = 0; her.packet < MESSAGES; her.packet++) {
		her.message_id = her.packet;
		if (soc__her(&rig.soc, rig.soc.now + 10, &her))
			expect("add_forever", "HERs that are refused", 1, 0);
	}
	soc__run(&rig.soc, rig.soc.now + LIMIT_CYCLES);
	storage__find(&rig.soc.memory, WORDS_L2, sizeof(words), 0, &where, &of_cluster);
	memcpy(&words, where, sizeof(words));
	for (unsigned i = 0; i < CLUSTERS; i++)
		if (words.taken[i] < words.tickets / CLUSTERS / 2)
			expect("add_forever", "times that a cluster had the word", words.taken[i], words.tickets / CLUSTERS);
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("words", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/words.c\"'");

	run_all(file, "meet_in_l1", WORDS_L1, 0, NULL);
	run_all(file, "meet_in_own_l1", WORDS_OWN_L1, 0, NULL);
	run_all(file, "meet_in_other_l1", WORDS_OTHER_L1, 0, NULL);
	run_all(file, "meet_in_l2", WORDS_L2, 0, NULL);
	run_all(file, "meet_in_l2", WORDS_L2, 0, "hang_alone");
	run_all(file, "meet_in_other_l1", WORDS_OTHER_L1, 0, "hang_alone");
	run_all(file, "trap_and_meet", WORDS_L1, WORDS_TASKS, NULL);
	run_all(file, "trap_alone_and_meet", WORDS_L2, WORDS_TASKS, NULL);
	none_starves(file);
	free(file.data);
	return failures != 0;
}
