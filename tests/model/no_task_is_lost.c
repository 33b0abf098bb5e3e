/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs random messages on modelled NICs of random sizes. Every packet must be served and freed exactly once, and a message must be free
 * when its last task has ended. Times must be in order, and no two packets may overlap in L1. All events must be at the same cycle, however
 * small the steps in which the machine runs. Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define SLOTS        96u
#define PLACES       512u
#define TIMES_FACTOR UINT64_C(0x100000001b3) /* of FNV-1a: hashes the times of all tasks */

static const char *const functions[] = { "empty", "busy_26", "busy_90", "busy_410", "sends", "meets_transfers", "reads", "issues" };

static struct rig rig;
static int failures;
static unsigned long random_state;

static struct {
	long started, ended, popped, freed;
	uint64_t last_feedback, times;
	int in_use[SLOTS];
	struct place {
		uint32_t addr, bytes;
	} place[PLACES];
} seen;

static unsigned random_below(unsigned below)
{
	random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(random_state >> 33) % below;
}

static void fail(unsigned seed, const char *what)
{
	printf("FAIL seed %u: %s\n", seed, what);
	failures++;
}

static uint32_t bytes_in_l1(const struct soc_task *task)
{
	return task->her->bytes < task->her->context->bytes_in_l1 ? task->her->bytes : task->her->context->bytes_in_l1;
}

static void on_start(void *arg, struct soc_task *task)
{
	unsigned seed = *(unsigned *)arg, at = PLACES;
	const uint32_t bytes = bytes_in_l1(task), base = L1_GLOBAL + task->hpu->cluster * L1_STRIDE + L1_PACKETS;

	seen.started++;
	if (!bytes)
		return;
	if (task->packet_l1 < base || task->packet_l1 + bytes > base + rig.target.l1_packet_kib * 1024)
		fail(seed, "a packet is outside of the packet buffer");
	for (unsigned i = 0; i < PLACES; i++) {
		const struct place *p = &seen.place[i];

		if (p->bytes && task->packet_l1 < p->addr + p->bytes && p->addr < task->packet_l1 + bytes)
			fail(seed, "two packets at the same place in L1");
		if (!p->bytes)
			at = i;
	}
	if (at < PLACES)
		seen.place[at] = (struct place){ task->packet_l1, bytes };
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	unsigned seed = *(unsigned *)arg;

	seen.ended++;
	seen.popped += pops;
	if (task->feedback <= seen.last_feedback && seen.ended > 1)
		fail(seed, "two feedbacks in a cycle, or not in order");
	seen.last_feedback = task->feedback;
	seen.times = (seen.times ^ task->first) * TIMES_FACTOR;
	seen.times = (seen.times ^ task->returned) * TIMES_FACTOR;
	seen.times = (seen.times ^ task->feedback) * TIMES_FACTOR;
	if (!(task->ready < task->dispatched && task->dispatched < task->copied && task->copied < task->started &&
	      task->started <= task->first && task->first <= task->returned && task->returned <= task->doorbell &&
	      task->doorbell < task->feedback))
		fail(seed, "a task's times are not in order");
	for (unsigned i = 0; i < PLACES; i++)
		if (seen.place[i].addr == task->packet_l1)
			seen.place[i].bytes = 0;
}

static void on_freed(void *arg, uint32_t message, uint64_t cycle)
{
	(void)arg;
	(void)cycle;
	seen.freed++;
	seen.in_use[message] = 0;
}

static uint32_t random_handler(void)
{
	return random_below(3) ? rig__function(&rig, functions[random_below(sizeof(functions) / sizeof(functions[0]))]) : 0;
}

static struct pspin_target random_target(unsigned seed)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");

	random_state = seed;
	target.clusters = 1 + random_below(5);
	target.hpus = 1 + random_below(9);
	target.l1_rings = 1 + random_below(5);
	target.l1_packet_kib = (2 + random_below(8)) * target.l1_rings;
	target.hers_buffered = 1 + random_below(14);
	target.copy_queue = 1 + random_below(5);
	target.copy_gap = 1 + random_below(3);
	target.dispatch_cycles = 3 + random_below(3);
	target.start_cycles = 1 + random_below(3);
	target.feedback_cycles = 1 + random_below(3);
	target.cells_static = random_below(3);
	target.cells_shared = 1 + random_below(100);
	target.hpu_threads = 1 + random_below(16 / (unsigned)target.hpus);
	target.thread_switch_cycles = random_below(4);
	target.thread_slice_cycles = 16 + random_below(400);
	target.pcie_latency_ps = random_below(2) ? 0 : random_below(200) * 1000;
	return target;
}

static void run_until(uint64_t until, unsigned step_cycles)
{
	while (step_cycles && rig.soc.now + step_cycles < until)
		soc__run(&rig.soc, rig.soc.now + step_cycles);
	soc__run(&rig.soc, until);
}

/* Returns a hash of the times of all tasks. */
static uint64_t run(struct rig_file file, unsigned seed, unsigned step_cycles)
{
	const struct soc_nic nic = { .on_start = on_start, .on_command = rig__on_command, .on_end = on_end, .on_freed = on_freed };
	struct pspin_target target = random_target(seed);
	struct soc_context contexts[SLOTS];
	unsigned left[SLOTS] = { 0 }, slots = 1 + random_below(SLOTS);
	long tasks = 0, packets = 0, messages = 0;
	uint64_t cycle;

	memset(&seen, 0, sizeof(seen));
	rig__open(&rig, file, &target, 0, 0);
	rig.soc.nic = &nic;
	rig.soc.nic_arg = &seed;
	cycle = rig.soc.now + 1;
	for (unsigned open = 1, step = 0; open; step++) {
		unsigned m = random_below(slots);

		if (step < 1500 && !seen.in_use[m] && !left[m]) {
			seen.in_use[m] = 1;
			left[m] = 1 + random_below(10);
			messages++;
			contexts[m] = (struct soc_context){ .header = random_handler(),
							    .payload = random_handler(),
							    .completion = random_handler(),
							    .scratchpad = rig.soc.memory.l1_scratchpads,
							    .bytes_in_l1 = random_below(4) ? random_below(2048) : 0 };
			tasks += left[m] + !!contexts[m].header + !!contexts[m].completion;
		}
		if (left[m] && soc__takes_her(&rig.soc, m)) {
			struct soc_her her = { .message_id = m,
					       .l2 = L2_PACKET,
					       .bytes = 1 + random_below(2000),
					       .end_of_message = left[m] == 1,
					       .context = &contexts[m] };

			left[m]--;
			packets++;
			if (soc__her(&rig.soc, cycle, &her))
				fail(seed, "a HER is refused");
		}
		cycle += random_below(3) ? 0 : random_below(step < 1500 ? 60 : 500);
		run_until(cycle, step_cycles);
		open = step < 1500;
		for (unsigned i = 0; i < slots; i++)
			open |= left[i];
	}
	soc__run(&rig.soc, UINT64_MAX);
	if (seen.started != tasks || seen.ended != tasks)
		fail(seed, "not every task has run");
	if (seen.popped != packets)
		fail(seed, "not every packet was given back once");
	if (seen.freed != messages)
		fail(seed, "not every message is free");
	rig__close(&rig);
	return seen.times;
}

int main(void)
{
	struct rig_file file = rig__build("no_task_is_lost",
					  "tests/model/programs/load.S tests/model/programs/transfers.S tests/model/programs/threads.S");

	for (unsigned seed = 1; seed <= 210; seed++)
		if (run(file, seed, 0) != run(file, seed, 1 + seed % 4))
			fail(seed, "times depend on the steps");
	free(file.data);
	return failures != 0;
}
