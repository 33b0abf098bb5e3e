/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the order of simulation does not matter. 32 HPUs (modelled cores), which are simulated one after the other, access the same
 * memory. Shared components must see the accesses in order of time. No access may be lost, except increments by LR and SC (RISC-V's
 * load-reserved and store-conditional), which PsPIN's RTL loses as well. A second run must be the same to the cycle. Run by tests/run.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "tests/model/common/rig.h"

enum { HPUS = 32, TASKS = 320, ITERATIONS = 20, CHUNK = 100, CHUNK_CYCLES = 100000 };
/* The words that programs/shared.S counts in */
#define L2_WORD     0x1c200000u
#define L2_RESERVED 0x1c220000u
#define L1_WORD     0x10090000u
#define OWN_WORDS   0x000a0000u

static int failures;

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s: %llu, expected %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

/* The results of one run. */
struct run {
	struct rig rig;
	uint64_t started[TASKS], first[TASKS], returned[TASKS], feedback[TASKS], l1[TASKS], remote[TASKS];
	unsigned ended, failed;
	uint32_t errors;
	uint64_t last_cycle; /* of the last AMO on the word in L2 */
	uint32_t count;      /* number of those AMOs */
	unsigned disorder, remote_amos, remote_words;
};

static void on_end(void *arg, struct soc_task *task, int pops)
{
	struct run *run = arg;
	uint64_t i = task->her->packet;

	(void)pops;
	run->started[i] = task->started;
	run->first[i] = task->first;
	run->returned[i] = task->returned;
	run->feedback[i] = task->feedback;
	run->l1[i] = task->result.body.cycles[RV32_CYC_L1];
	run->remote[i] = task->result.body.cycles[RV32_CYC_REMOTE];
	run->errors |= task->result.error;
	run->failed += task->result.error != 0;
	run->ended++;
}

/*
 * The HPU that is served later must get the larger number. The order of service differs from the order of the requests: L2 serves
 * clusters round robin, and loads concurrently with AMOs.
 */
static void watch(void *arg, const struct rv32_bus_request *req)
{
	struct run *run = arg;
	uint64_t done = req->cycle + req->wait_cycles;
	uint32_t word;

	if (req->addr == L1_WORD && req->kind == RV32_AMO) { /* HPUs of the word's cluster access it without the bus */
		run->remote_amos++;
		run->remote_words += req->value != 1;
	}
	if (req->addr != L2_WORD || req->kind != RV32_AMO)
		return;
	memcpy(&word, run->rig.soc.memory.l2_handler + (L2_WORD - L2_HANDLER), sizeof(word));
	run->disorder += done <= run->last_cycle || word != ++run->count || req->value != 1; /* req->value is the response of the bus */
	run->last_cycle = done;
}

static const struct soc_nic hooks = {
	.on_start = rig__on_start,
	.on_command = rig__on_command,
	.on_end = on_end,
	.on_freed = rig__on_freed,
	.on_room = rig__on_room,
};

/* Runs tasks of 32 messages at once; each cluster is the home of eight. */
static void run_tasks(struct run *run, struct rig_file file, const char *function)
{
	struct soc_context context = { .bytes_in_l1 = SPIN_WHOLE_PACKET, .handler_mem = L2_HANDLER };
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context };
	uint64_t cycle;

	memset(run, 0, sizeof(*run));
	rig__open(&run->rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	for (uint32_t cluster = 0; cluster < HPUS / 8; cluster++)
		rig__clear(&run->rig, L1_GLOBAL + cluster * L1_STRIDE + OWN_WORDS, 8 * 256);
	rig__clear(&run->rig, L1_WORD, 4);
	run->rig.soc.nic = &hooks;
	run->rig.soc.nic_arg = run;
	for (unsigned i = 0; i < HPUS; i++) {
		run->rig.soc.hpus[i].watch = watch;
		run->rig.soc.hpus[i].watch_arg = run;
	}
	context.payload = rig__function(&run->rig, function);
	cycle = run->rig.soc.now + 10;
	for (unsigned i = 0; i < TASKS; i++) {
		her.packet = i;
		her.message_id = i % HPUS;
		her.end_of_message = i >= TASKS - HPUS;
		if (soc__her(&run->rig.soc, cycle + i / CHUNK * CHUNK_CYCLES, &her)) {
			printf("FAIL a HER is refused\n");
			exit(1);
		}
		if (i % CHUNK == CHUNK - 1)
			soc__run(&run->rig.soc, cycle + (i / CHUNK + 1) * CHUNK_CYCLES - 1);
	}
	soc__run(&run->rig.soc, UINT64_MAX);
	expect("tasks that ended", run->ended, TASKS);
	expect("errors", run->errors, 0);
	expect("AMOs on L2 out of order", run->disorder, 0);
}

static uint32_t word(const struct run *run, unsigned cluster, uint32_t offset)
{
	uint32_t value;

	memcpy(&value, run->rig.soc.memory.l1[cluster] + offset, sizeof(value));
	return value;
}

static void nothing_is_lost(struct rig_file file)
{
	static struct run run, again;
	uint32_t own = 0;

	run_tasks(&run, file, "count");
	run_tasks(&again, file, "count");
	expect("the word in L2", *(uint32_t *)(run.rig.soc.memory.l2_handler + (L2_WORD - L2_HANDLER)), TASKS * ITERATIONS);
	expect("most AMOs on the word in L1 come from other clusters", run.remote_amos > TASKS * ITERATIONS / 2, 1);
	expect("of them, those that gave anything but the bus's response", run.remote_words, 0);
	expect("the word in L1", word(&run, 0, L1_WORD - L1_GLOBAL), TASKS * ITERATIONS);
	for (unsigned i = 0; i < HPUS; i++)
		own += word(&run, i / 8, OWN_WORDS + i % 8 * 256);
	expect("own words", own, TASKS * ITERATIONS);
	if (memcmp(run.started, again.started, offsetof(struct run, ended) - offsetof(struct run, started))) {
		printf("FAIL the second run differs\n");
		failures++;
	}
	rig__close(&run.rig);
	rig__close(&again.rig);
}

static void stores_are_seen_in_order(struct rig_file file)
{
	static struct run run;

	run_tasks(&run, file, "pass_on");
	rig__close(&run.rig);
}

/*
 * As on the RTL (hwmodel/soc/l2.c): an SC that succeeds on another HPU's reservation overwrites the increments that this HPU has done
 * since.
 */
static void reservations_do_not_belong_to_hpus(struct rig_file file)
{
	static struct run run;
	uint32_t count;

	run_tasks(&run, file, "reserve");
	memcpy(&count, run.rig.soc.memory.l2_handler + (L2_RESERVED - L2_HANDLER), sizeof(count));
	expect("LR and SC have lost increments", count > ITERATIONS && count < TASKS * ITERATIONS, 1);
	rig__close(&run.rig);
}

/* As on the RTL: eight HPUs with a word each use up each other's reservations, so none makes progress. One HPU alone does. */
static void reservations_keep_others_from_storing(struct rig_file file, unsigned hpus, unsigned watchdogs)
{
	struct soc_context context = { .bytes_in_l1 = SPIN_WHOLE_PACKET, .handler_mem = L2_HANDLER };
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context, .end_of_message = 1 };
	static struct run run;

	memset(&run, 0, sizeof(run));
	rig__open(&run.rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	run.rig.soc.nic = &hooks;
	run.rig.soc.nic_arg = &run;
	soc__set_watchdog(&run.rig.soc, 0, 100000);
	context.payload = rig__function(&run.rig, "reserve_own");
	for (; her.packet < hpus; her.packet++) {
		her.message_id = 4 * (uint32_t)her.packet; /* home: cluster 0 */
		expect("HERs that are refused", (uint64_t)soc__her(&run.rig.soc, run.rig.soc.now + 10, &her), 0);
	}
	soc__run(&run.rig.soc, UINT64_MAX);
	expect("tasks with words of their own that ended", run.ended, hpus);
	expect("tasks that the watchdog has ended", run.failed, watchdogs);
	rig__close(&run.rig);
}

/* Requests to a bank or port out of order in time must abort the program. */
static void disorder_aborts(void (*wrong)(void), const char *what)
{
	pid_t child = fork();
	int status;

	if (!child) {
		fclose(stderr);
		wrong();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) {
		printf("FAIL %s asked out of order does not complain\n", what);
		failures++;
	}
}

static void disordered_l1(void)
{
	struct l1 *l1 = l1__new(pspin_target__find("pspin-rtl"));
	static struct soc soc;

	soc.l1 = &l1;
	l1__request(&soc, 100, 0, 0, 0, RV32_LOAD, UINT64_MAX);
	l1__request(&soc, 99, 0, 1, 4, RV32_LOAD, UINT64_MAX);
}

static void disordered_l2(void)
{
	struct l2 *l2 = l2__new();

	l2__load(l2, 100);
	l2__load(l2, 99);
}

int main(void)
{
	struct rig_file file = rig__build("shared", "tests/model/programs/shared.S");

	nothing_is_lost(file);
	stores_are_seen_in_order(file);
	reservations_do_not_belong_to_hpus(file);
	reservations_keep_others_from_storing(file, 1, 0);
	reservations_keep_others_from_storing(file, 8, 8);
	disorder_aborts(disordered_l1, "a bank");
	disorder_aborts(disordered_l2, "packet memory");
	free(file.data);
	return failures != 0;
}
