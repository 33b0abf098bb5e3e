/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * 32 HPUs of four clusters share words in an L1 or in L2. As on the RTL, an AMO returns the old value only to HPUs of the own
 * cluster. Still all that a handler does with such a word must be correct: fetch-and-add, compare-and-swap and locks. Run by
 * tests/run.
 */
#include "tests/model/handlers/words.h"
#include "tests/model/common/rig.h"

enum { MESSAGES = 32, CHUNK = 100, CHUNK_CYCLES = 500000, LIMIT_CYCLES = 5000000 };

static int failures;
static unsigned ended_tasks, trapped_tasks;

static void expect(const char *function, const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s, %s: %llu, expected %llu\n", function, what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static void ended(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	ended_tasks++;
	trapped_tasks += task->result.error != 0;
}

static const struct soc_nic hooks = {
	.on_start = rig__starts,
	.on_command = rig__accept,
	.on_end = ended,
	.on_freed = rig__freed,
	.on_room = rig__room,
};

/* Runs tasks of 32 messages, with eight of each home, all at once. */
static void all_meet(struct rig_file file, const char *function, uint32_t at, unsigned traps)
{
	struct soc_context context = { .bytes_in_l1 = SPIN_WHOLE_PACKET, .handler_mem = 0x1c300000 };
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context };
	static struct words words;
	static struct rig rig;
	unsigned of_cluster, twice = 0;
	uint64_t cycle;
	uint8_t *where;

	ended_tasks = trapped_tasks = 0;
	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	rig__clear(&rig, at, sizeof(words));
	rig.soc.nic = &hooks;
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
	if (storage__find(&rig.soc.memory, at, sizeof(words), 0, &where, &of_cluster) == MEMORY_NONE) {
		printf("FAIL %s: there is no memory for its words\n", function);
		exit(1);
	}
	memcpy(&words, where, sizeof(words));
	for (unsigned i = 0; i < WORDS_TICKETS; i++)
		twice += words.taken[i] != 1;
	expect(function, "tickets not taken once", twice, 0);
	expect(function, "tickets", words.tickets, WORDS_TICKETS);
	expect(function, "compare-and-swaps", words.compared, WORDS_TICKETS);
	expect(function, "times locked", words.locked, WORDS_TICKETS);
	expect(function, "times locked for writing", words.first, WORDS_TICKETS);
	expect(function, "writers among readers", words.torn, 0);
	expect(function, "times the host's lock was taken", words.host, WORDS_TICKETS);
	expect(function, "locks that are held", words.lock | words.rw, 0);
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("words", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/words.c\"'");

	all_meet(file, "meet_in_l1", WORDS_L1, 0);
	all_meet(file, "meet_in_other_l1", WORDS_OTHER_L1, 0);
	all_meet(file, "meet_in_l2", WORDS_L2, 0);
	all_meet(file, "trap_and_meet", WORDS_L1, WORDS_TASKS);
	free(file.data);
	return failures != 0;
}
