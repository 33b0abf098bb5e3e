/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests HPUs (modelled cores) with several hardware threads. While a thread waits for the host, other threads get the pipeline, in the
 * order in which they became ready. If no other thread is ready, a handler must take the same time as on an HPU of one thread. A fault of a
 * thread must not affect others. Run by tests/run.
 */
#include <math.h>

#include "hwmodel/soc/threads.h"
#include "tests/model/common/rig.h"

#define TASKS       64u
#define SLICE_NEVER 0xffffffffull
#define WORDS       0x80000u /* in L1: the words of threads.S */
#define WORDS_BYTES 256u

static int failures;

static void expect(const char *what, int ok)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

/* The times of each task, indexed by packet. */
struct seen {
	uint64_t started, first, returned, doorbell, body, parked;
	uint64_t causes[RV32_CAUSE_COUNT];
	uint32_t error;
	unsigned index;
};

static struct seen seen[TASKS];
static unsigned order[TASKS], ended_count; /* packets in order of their tasks' doorbells */

static void on_end(void *arg, struct soc_task *task, int pops)
{
	struct seen *to = &seen[task->her->packet];

	(void)arg;
	(void)pops;
	*to = (struct seen){ .started = task->started,
			     .first = task->first,
			     .returned = task->returned,
			     .doorbell = task->doorbell,
			     .body = task->result.body.cycle,
			     .parked = task->result.parked_cycles,
			     .error = task->result.error,
			     .index = task->hpu->index };
	memcpy(to->causes, task->result.body.cycles, sizeof(to->causes));
	order[ended_count++] = (unsigned)task->her->packet;
}

/* Returns a target with one HPU whose host answers after `wait` ns. */
static struct pspin_target one_hpu(unsigned threads, uint64_t wait)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");

	target.clusters = target.hpus = 1;
	target.hpu_threads = threads;
	target.pcie_latency_ps = wait * 1000;
	target.interface_commands = 64;
	target.thread_slice_cycles = SLICE_NEVER;
	target.icache_miss = 0;
	return target;
}

static unsigned first_burst; /* number of first packets that arrive at once; the next one arrives `gap` cycles later */

/* Runs a packet for each name, `gap` cycles from one to the next. The caller closes the machine. */
static void run(struct rig *rig, struct rig_file file, const struct pspin_target *target, const char *const *names, unsigned count,
		uint64_t gap)
{
	static const struct soc_nic nic = {
		.on_start = rig__on_start,
		.on_command = rig__on_command,
		.on_end = on_end,
		.on_freed = rig__on_freed,
		.on_room = rig__on_room,
	};
	static struct soc_context contexts[TASKS];
	uint64_t cycle;

	memset(seen, 0, sizeof(seen));
	ended_count = 0;
	rig__open(rig, file, target, 0, 0);
	rig->soc.nic = &nic;
	memset(rig->soc.memory.l1[0] + WORDS, 0, WORDS_BYTES);
	cycle = rig->soc.now + 1;
	for (unsigned i = 0; i < count; i++, cycle += i < first_burst ? 0 : gap) {
		struct soc_her her = {
			.packet = i, .message_id = i, .l2 = L2_PACKET, .bytes = 64, .end_of_message = 1, .context = &contexts[i]
		};

		contexts[i] = (struct soc_context){ .payload = rig__function(rig, names[i]), .bytes_in_l1 = 64 };
		if (gap && i >= first_burst)
			soc__run(&rig->soc, cycle - 1);
		expect("a HER is taken", soc__takes_her(&rig->soc, i) && !soc__her(&rig->soc, cycle, &her));
	}
	soc__run(&rig->soc, UINT64_MAX);
	expect("each task ends", ended_count == count);
}

/* Tasks work for C cycles and wait for W: N threads may leave the HPU idle only if N x C is less than C + W. */
static void waits_are_hidden(struct rig_file file)
{
	static const uint64_t waits[] = { 300, 1000, 3000 };
	static const unsigned counts[] = { 1, 2, 4, 8, 16 };
	const char *names[TASKS];

	for (unsigned i = 0; i < TASKS; i++)
		names[i] = "reads_and_works";
	for (unsigned w = 0; w < 3; w++) {
		for (unsigned n = 0; n < 5; n++) {
			struct pspin_target target = one_hpu(counts[n], waits[w]);
			const struct seen *mid = &seen[TASKS / 2];
			double wait, work, each, want;
			struct rig rig;

			run(&rig, file, &target, names, TASKS, 0);
			wait = (double)mid->causes[RV32_CYC_COMMAND];
			work = (double)mid->body - wait - (double)mid->causes[RV32_CYC_THREAD] + (double)target.runtime_cycles;
			each = (double)(seen[order[TASKS - 9]].doorbell - seen[order[7]].doorbell) / (TASKS - 16);
			want = fmax(work, (work + wait) / counts[n]);

			printf("%2u threads, %4llu ns: %.1f cycles a task, of %.0f and a wait of %.0f\n", counts[n],
			       (unsigned long long)waits[w], each, work, wait);
			if (each < 0.99 * work || each < 0.95 * want || each > 1.1 * want + 2 * (double)target.thread_switch_cycles) {
				printf("FAIL expected %.1f\n", want);
				failures++;
			}
			if (counts[n] > 1) {
				const struct pipeline *p = rig.soc.pipelines;
				uint64_t all = seen[order[TASKS - 1]].doorbell - seen[0].started;

				expect("no two threads have the HPU at once", p->running <= all + 16);
				expect("the HPU's time is its threads'", p->running + p->switching + p->waiting + 16 > all);
				expect("who has several threads switches", p->switching > 0);
			}
			rig__close(&rig);
		}
	}
}

/* For tasks that arrive when all is idle, cycles and their causes must be the same on HPUs of one thread and of several. */
static void alone_threads_cost_nothing(struct rig_file file)
{
	static const char *const names[] = { "reads", "works",  "reads_twice",     "issues", "reads_and_works",
					     "locks", "issues", "reads_and_traps", "reads" };
	const unsigned count = sizeof(names) / sizeof(names[0]);
	struct pspin_target target = one_hpu(1, 500);
	struct seen one[TASKS];
	struct rig rig;

	run(&rig, file, &target, names, count, 20000);

	memcpy(one, seen, sizeof(one));
	rig__close(&rig);
	target = one_hpu(4, 500);
	run(&rig, file, &target, names, count, 20000);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t a = one[i].returned - one[i].first, b = seen[i].returned - seen[i].first;

		/* if all slots are taken, PsPIN's driver takes the next one a cycle early (driver.c) */
		if (a == b || (!strcmp(names[i], "issues") && b - a <= 2))
			continue;
		printf("FAIL %s: %llu cycles alone on an HPU of four threads, %llu of one\n", names[i], (unsigned long long)b,
		       (unsigned long long)a);
		failures++;
	}
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		if (one[0].causes[c] != seen[0].causes[c]) {
			printf("FAIL %s: %llu cycles, of one thread %llu\n", rv32_cause_name(c), (unsigned long long)seen[0].causes[c],
			       (unsigned long long)one[0].causes[c]);
			failures++;
		}
	expect("a thread is parked for what it waits", seen[0].parked && seen[0].parked == seen[0].causes[RV32_CYC_COMMAND]);
	expect("a trap is reported", seen[7].error == 5);
	rig__close(&rig);
}

static void check_order(struct rig_file file, const struct pspin_target *target, const char *const *names, const unsigned *want,
			const char *what)
{
	struct rig rig;

	run(&rig, file, target, names, 4, 0);
	for (unsigned i = 0; i < 4; i++)
		if (order[i] != want[i]) {
			printf("FAIL %s: doorbell %u is of task %u, not %u\n", what, i, order[i], want[i]);
			failures++;
		}
	rig__close(&rig);
}

static void first_ready_goes_first(struct rig_file file)
{
	static const char *const same[] = { "reads_and_works", "reads_and_works", "reads_and_works", "reads_and_works" };
	static const char *const longer[] = { "reads_twice", "reads_and_works", "works", "reads" };
	struct pspin_target target = one_hpu(4, 1000);

	check_order(file, &target, same, (const unsigned[]){ 0, 1, 2, 3 }, "the same waits");
	check_order(file, &target, longer, (const unsigned[]){ 2, 1, 3, 0 }, "other waits");
}

/* One thread traps, and one never ends. The others are ready for longer than the watchdog's limit, and must not be stopped. */
static void faults_are_isolated(struct rig_file file)
{
	static const char *const names[] = { "endless", "reads_and_works", "reads_and_traps", "reads", "reads", "works" };
	static const uint64_t slices[] = { SLICE_NEVER, 1000 };

	for (unsigned s = 0; s < 2; s++) {
		struct pspin_target target = one_hpu(4, 200);
		struct rig rig;

		target.watchdog_cycles = 5000;
		target.thread_slice_cycles = slices[s];
		run(&rig, file, &target, names, 6, 0);
		expect("who never ends is stopped", seen[0].error == PSPIN_ERROR_WATCHDOG);
		expect("who traps says why", seen[2].error == 5);
		expect("others are not stopped", !seen[1].error && !seen[3].error && !seen[4].error && !seen[5].error);
		expect("a slice lets others go first", s ? order[5] == 0 && order[0] != 0 : order[0] == 0);
		rig__close(&rig);
	}
}

/* The holder of a lock waits for the host on the same HPU whose other threads wait for the lock. */
static void locks_are_released(struct rig_file file)
{
	static const char *const l2[] = { "locks", "locks", "locks", "locks" };
	static const char *const l1[] = { "locks_l1", "locks_l1", "locks_l1", "locks_l1" };
	static const char *const yields[] = { "writes", "yields", "yields", "works" };
	struct pspin_target target = one_hpu(4, 500);
	struct rig rig;

	target.watchdog_cycles = 20000;
	for (unsigned k = 0; k < 3; k++) {
		target.thread_slice_cycles = k == 1 ? 300 : SLICE_NEVER;
		run(&rig, file, &target, !k ? l2 : k == 1 ? l1 : yields, 4, 0);
		for (unsigned i = 0; i < 4; i++)
			expect(!k ? "a lock in L2" : k == 1 ? "a lock in L1" : "who yields", !seen[i].error);
		expect("no wait is longer than it has to be", seen[order[3]].doorbell - seen[0].started < 4 * 1000);
		rig__close(&rig);
	}
}

/* Each thread must have its own stack and number. Two runs must be the same. */
static void threads_have_their_own_stacks(struct rig_file file)
{
	const char *names[TASKS];
	struct pspin_target target = one_hpu(4, 700);
	struct seen before[TASKS];
	unsigned used = 0;
	struct rig rig;

	target.hpus = 4;
	for (unsigned i = 0; i < TASKS; i++)
		names[i] = i % 3 ? "marks" : "reads_and_works";
	run(&rig, file, &target, names, TASKS, 0);
	for (unsigned i = 0; i < TASKS; i++) {
		expect("a thread's word and stack are its own", !seen[i].error);
		used |= 1u << seen[i].index;
	}
	expect("all of 4 x 4 threads have tasks", used == 0xffff);
	expect("the first four tasks go to four HPUs", (seen[0].index | seen[1].index | seen[2].index | seen[3].index) == 3);
	memcpy(before, seen, sizeof(before));
	rig__close(&rig);
	run(&rig, file, &target, names, TASKS, 0);
	expect("twice the same", !memcmp(before, seen, sizeof(before)));
	rig__close(&rig);
}

/* The next task must go to the HPU with an idle thread and the fewest tasks, not to the lowest idle thread. */
static void tasks_are_spread(struct rig_file file)
{
	/* threads 0 to 3 are on four HPUs, 4 and 5 on the first two; when the last task arrives, HPU 0 has task 4 and HPU 1 none */
	static const char *const names[] = { "works", "works", "reads_twice", "reads_twice", "reads_twice", "works", "reads" };
	struct pspin_target target = one_hpu(4, 3000);
	struct rig rig;

	target.hpus = 4;
	first_burst = 6;
	run(&rig, file, &target, names, 7, 1500);
	first_burst = 0;
	expect("six tasks on four HPUs", seen[4].index == 4 && seen[5].index == 5);
	expect("the next one to the HPU without any", seen[6].index == 1);
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("threads", "tests/model/programs/threads.S");

	waits_are_hidden(file);
	alone_threads_cost_nothing(file);
	first_ready_goes_first(file);
	faults_are_isolated(file);
	locks_are_released(file);
	threads_have_their_own_stacks(file);
	tasks_are_spread(file);
	free(file.data);
	return failures != 0;
}
