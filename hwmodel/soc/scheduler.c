/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A cluster's scheduler: accepts tasks (runs of handlers), assigns them to HPUs, the cluster's cores, and returns their feedback
 * (scheduler.h). Called by the dispatcher (mpq.c), and by packet copies and the HPU drivers through soc->up. Invariant: tasks start in the
 * order in which they were accepted.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/copies.h"
#include "hwmodel/soc/hpu.h"
#include "hwmodel/soc/scheduler.h"
#include "hwmodel/soc/share.h"
#include "hwmodel/soc/timing.h"

/* A register between two components that holds two jobs: a job pushed in one cycle can be taken from the next one on. */

#define SPILL_JOBS 2u /* S */

struct spill {
	struct job *job[SPILL_JOBS];
	uint64_t at[SPILL_JOBS];
	unsigned first, count;
	struct reg jobs;
};

static int spill__is_ready(const struct spill *spill, uint64_t cycle)
{
	return reg__read(&spill->jobs, cycle) < SPILL_JOBS;
}

static void spill__push(struct spill *spill, uint64_t cycle, struct job *job)
{
	unsigned at = (spill->first + spill->count++) % SPILL_JOBS;

	spill->job[at] = job;
	spill->at[at] = cycle;
	reg__add(&spill->jobs, cycle, 1);
}

/* Returns the job that can be taken; NULL if none. */
static struct job *spill__head(const struct spill *spill, uint64_t cycle)
{
	return spill->count && spill->at[spill->first] < cycle ? spill->job[spill->first] : NULL;
}

static void spill__pop(struct spill *spill, uint64_t cycle)
{
	spill->first = (spill->first + 1) % SPILL_JOBS;
	spill->count--;
	reg__add(&spill->jobs, cycle, -1);
}

/* The scheduler's state of an HPU. */
struct driver {
	struct job *runs;
	struct job *waiting, *stalled; /* feedback: one can wait, and the next one blocks the HPU */
	uint64_t waiting_from;         /* when it can be taken; UINT64_MAX: not known yet */
	uint64_t waiting_dma;          /* when its DMA transfers are done */
	uint64_t idle_from;            /* UINT64_MAX: busy */
};

struct scheduler {
	struct soc *soc;
	unsigned cluster, hpus; /* hpus: threads of all HPUs */
	struct rings *rings;
	struct spill in, out;
	struct job **tasks; /* a queue: tasks whose packets are being copied or are in L1 */
	uint64_t *accepted;
	unsigned first, count, room, arrived; /* arrived: number of tasks at the head whose packets are in L1 */
	struct reg copies;                    /* copies that are done, with their task not assigned yet */
	struct driver *driver;
	unsigned last_fed;
	struct wakeup wakeup;
};

static void step(void *arg, uint64_t cycle, uint64_t what);

static void wake(struct scheduler *s, uint64_t cycle)
{
	wakeup__set(&s->wakeup, &s->soc->events, cycle, step, s);
}

struct scheduler *scheduler__new(struct soc *soc, unsigned cluster)
{
	struct scheduler *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->soc = soc;
	s->cluster = cluster;
	s->hpus = target__threads(soc->target);
	s->room = (unsigned)soc->target->hers_buffered + s->hpus;
	s->rings = rings__new(soc->target);
	s->tasks = calloc(s->room, sizeof(*s->tasks));
	s->accepted = calloc(s->room, sizeof(*s->accepted));
	s->driver = calloc(s->hpus, sizeof(*s->driver));
	wakeup__init(&s->wakeup);
	if (s->rings && s->tasks && s->accepted && s->driver)
		return s;
	scheduler__free(s);
	return NULL;
}

void scheduler__free(struct scheduler *s)
{
	if (!s)
		return;
	rings__free(s->rings);
	free(s->tasks);
	free(s->accepted);
	free(s->driver);
	free(s);
}

int scheduler__is_ready(const struct scheduler *s, uint64_t cycle)
{
	return spill__is_ready(&s->in, cycle);
}

void scheduler__push(struct scheduler *s, uint64_t cycle, struct job *job)
{
	spill__push(&s->in, cycle, job);
	wake(s, cycle + 1);
}

struct job *scheduler__feedback(const struct scheduler *s, uint64_t cycle)
{
	return spill__head(&s->out, cycle);
}

void scheduler__take_feedback(struct scheduler *s, uint64_t cycle)
{
	spill__pop(&s->out, cycle);
	wake(s, cycle + 1);
}

/* --- accepting tasks --- */

static uint32_t l1_of(const struct scheduler *s, const struct job *job)
{
	return L1_GLOBAL + s->cluster * L1_STRIDE + L1_PACKETS + job->l1;
}

/* Beats of packet memory, which is read by whole lines, wherever in its line the packet begins. */
static uint32_t beats_of(const struct scheduler *s, const struct job *job)
{
	const uint32_t beat_bytes = (uint32_t)s->soc->target->beat_bytes;

	return (job->her.l2 % beat_bytes + job->copied_bytes + beat_bytes - 1) / beat_bytes;
}

/* Accepts a task if its packet has a place in L1, and requests the copy. */
static int accept_task(struct scheduler *s, uint64_t cycle)
{
	struct job *job = spill__head(&s->in, cycle);
	unsigned at = (s->first + s->count) % s->room;
	int64_t place = 0;

	if (!job || s->count == s->room)
		return 0;
	if (job->copied_bytes && (place = rings__take(s->rings, cycle, job->copied_bytes)) < 0)
		return 0;
	job->l1 = (uint32_t)place;
	spill__pop(&s->in, cycle);
	s->soc->up->on_cluster_has_room(s->soc->mpqs, cycle + 1);
	s->tasks[at] = job;
	s->accepted[at] = cycle;
	s->count++;
	if (job->copied_bytes)
		copies__request(s->soc->copies, cycle, s->cluster, job->her.l2, L1_PACKETS + job->l1, beats_of(s, job));
	else
		job->task.copied = cycle;
	return 1;
}

void scheduler__copied(struct scheduler *s, uint64_t cycle)
{
	struct job *job;

	while (!(job = s->tasks[(s->first + s->arrived) % s->room])->copied_bytes)
		s->arrived++;
	s->arrived++;
	job->task.copied = cycle;
	job->task.packet_l1 = l1_of(s, job);
	memcpy(s->soc->memories[job->her.context->program]->l1[s->cluster] + L1_PACKETS + job->l1,
	       s->soc->memory.l2_packet + (job->her.l2 - L2_PACKET), job->copied_bytes);
	reg__add(&s->copies, cycle, 1);
	wake(s, cycle + 1);
}

/* --- to an HPU and back --- */

/* Fills the registers that describe a task to its HPU. */
static struct hpu_descriptor describe(const struct scheduler *s, const struct job *job)
{
	const struct soc_context *context = job->her.context;
	struct hpu_descriptor out = {
		.handler_mem = context->handler_mem,
		.handler_mem_bytes = context->handler_mem_bytes,
		.packet_l1 = l1_of(s, job),
		.copied_bytes = job->copied_bytes,
		.packet_bytes = job->her.bytes,
		.watchdog_cycles = context->watchdog_cycles,
		.body_cycles = job->task.kind == SOC_PAYLOAD ? job->her.payload_cycles : 0,
		.host_mem_high = (uint32_t)(context->host_mem >> 32),
		.host_mem_low = (uint32_t)context->host_mem,
		.host_mem_bytes = context->host_mem_bytes,
		.packet_l2 = job->her.l2,
		.home_cluster = job->her.message_id % (uint32_t)s->soc->target->clusters,
		.message_id = job->her.message_id,
		.program = context->program,
	};

	for (unsigned i = 0; i < sizeof(out.scratchpad) / sizeof(out.scratchpad[0]); i++) {
		if (i >= s->soc->target->clusters)
			break;
		out.scratchpad[i] = L1_GLOBAL + i * L1_STRIDE + context->scratchpad;
		out.scratchpad_bytes[i] = context->scratchpad_bytes;
	}
	return out;
}

/* Sets when the feedback waiting in the HPU's driver can be taken: not before all its commands and DMA transfers are done. */
static void commit_feedback(struct scheduler *s, struct driver *driver)
{
	struct hpu *hpu = driver->waiting->task.hpu;
	uint64_t from = driver->waiting->task.doorbell, done = command__all_done(hpu);

	if (done == UINT64_MAX) {
		driver->waiting_from = hpu->feedback = UINT64_MAX;
		return;
	}
	if (done < driver->waiting_dma)
		done = driver->waiting_dma;
	if (done && from < done + 1)
		from = done + 1;
	driver->waiting_from = from + s->soc->target->feedback_cycles - 1;
	hpu->feedback = driver->waiting_from + 1;
	wake(s, driver->waiting_from);
}

/* The job's feedback waits in the driver from `cycle` on. */
static void complete(struct scheduler *s, struct driver *driver, uint64_t cycle)
{
	const struct hpu *hpu = driver->waiting->task.hpu;

	driver->waiting_dma = hpu->dma_done[hpu->dma_last % DMA_TRANSFERS_MAX]; /* transfers are done in order */
	driver->waiting->task.doorbell = cycle;
	shares__ends(s->soc->shares, driver->waiting->her.context->program, driver->waiting->task.started, cycle);
	driver->idle_from = cycle;
	commit_feedback(s, driver);
	wake(s, cycle);
}

/* An HPU's driver has a place for one ended task. If that is taken, the HPU waits. */
static void end_task(struct scheduler *s, struct driver *driver, uint64_t cycle)
{
	struct job *job = driver->runs;

	driver->runs = NULL;
	if (driver->waiting) {
		driver->stalled = job;
		return;
	}
	driver->waiting = job;
	complete(s, driver, cycle);
}

void scheduler__commands_known(struct hpu *hpu)
{
	struct scheduler *s = hpu->soc->schedulers[hpu->cluster];
	struct driver *driver = &s->driver[hpu->index];

	if (driver->waiting && driver->waiting_from == UINT64_MAX)
		commit_feedback(s, driver);
}

uint64_t scheduler__doorbell(struct hpu *hpu, uint64_t cycle)
{
	struct scheduler *s = hpu->soc->schedulers[hpu->cluster];
	struct driver *driver = &s->driver[hpu->index];
	struct soc_task *task = &driver->runs->task;

	task->first = hpu->first;
	task->returned = hpu->returned;
	task->result = hpu->result;
	task->is_cold = hpu->fetched_for || hpu->result.body.cycles[RV32_CYC_ICACHE];
	end_task(s, driver, cycle);
	return cycle;
}

/* Counts the tasks of all threads of the thread's HPU. */
static unsigned tasks_of_hpu(const struct scheduler *s, unsigned thread)
{
	const unsigned hpus = (unsigned)s->soc->target->hpus;
	unsigned tasks = 0;

	for (unsigned i = thread % hpus; i < s->hpus; i += hpus)
		tasks += s->driver[i].runs != NULL;
	return tasks;
}

/*
 * Returns the lowest-numbered idle HPU. A: with several threads, a thread of the HPU whose threads have the fewest tasks, preferably
 * one without waiting feedback, since its commands would wait for that. s->hpus: none is idle.
 */
static unsigned idle_thread(const struct scheduler *s, uint64_t cycle)
{
	unsigned best = s->hpus, fewest = UINT_MAX;

	for (unsigned i = 0; i < s->hpus; i++) {
		unsigned tasks;

		if (s->driver[i].idle_from > cycle)
			continue;
		if (s->soc->target->hpu_threads == 1)
			return i;
		tasks = 2 * tasks_of_hpu(s, i) + (s->driver[i].waiting != NULL);
		if (tasks < fewest) {
			fewest = tasks;
			best = i;
		}
	}
	return best;
}

/* Assigns the first task in the queue to an idle HPU. */
static int assign_task(struct scheduler *s, uint64_t cycle)
{
	struct job *job = s->tasks[s->first];
	struct hpu_descriptor descriptor;
	struct driver *driver;
	unsigned i;

	if (!s->count || s->accepted[s->first] >= cycle || (job->copied_bytes && reg__read(&s->copies, cycle) <= 0))
		return 0;
	i = idle_thread(s, cycle);
	if (i == s->hpus)
		return 0;
	if (job->copied_bytes)
		reg__add(&s->copies, cycle, -1);
	s->first = (s->first + 1) % s->room;
	s->count--;
	s->arrived -= s->arrived > 0;
	driver = &s->driver[i];
	driver->runs = job;
	driver->idle_from = UINT64_MAX;
	job->task.hpu = &s->soc->hpus[s->cluster * s->hpus + i];
	job->task.started = cycle + s->soc->target->start_cycles;
	job->task.hpu->running = &job->task;
	shares__starts(s->soc->shares, job->her.context->program, job->task.started);
	if (s->soc->nic->on_start)
		s->soc->nic->on_start(s->soc->nic_arg, &job->task);
	if (!job->function) { /* S: the driver itself ends a task without a handler */
		job->task.first = job->task.returned = job->task.started;
		end_task(s, driver, job->task.started + 1);
		return 1;
	}
	descriptor = describe(s, job);
	hpu__assign(job->task.hpu, job->task.started, job->function, &descriptor);
	return 1;
}

/* Takes one HPU's feedback per cycle, round robin. */
static int feedback(struct scheduler *s, uint64_t cycle)
{
	if (!spill__is_ready(&s->out, cycle))
		return 0;
	for (unsigned i = 1; i <= s->hpus; i++) {
		unsigned n = (s->last_fed + i) % s->hpus;
		struct driver *driver = &s->driver[n];
		struct job *job = driver->waiting;

		if (!job || driver->waiting_from > cycle)
			continue;
		s->last_fed = n;
		driver->waiting = NULL;
		if (job->copied_bytes) {
			rings__give_back(s->rings, cycle, job->l1, job->copied_bytes);
			wake(s, cycle + RING_BACK_CYCLES);
		}
		spill__push(&s->out, cycle, job);
		s->soc->up->on_feedback_ready(s->soc->mpqs, cycle + 1);
		if (driver->stalled) {
			driver->waiting = driver->stalled;
			driver->stalled = NULL;
			complete(s, driver, cycle + FEEDBACK_STALL_CYCLES);
		}
		return 1;
	}
	return 0;
}

/* Event: one cycle of the scheduler: feedback of an ended task, then an accepted task to an HPU, then a new task from the dispatcher. */
static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct scheduler *s = arg;
	int moved;

	(void)what;
	if (!wakeup__is_first(&s->wakeup, cycle))
		return;
	moved = feedback(s, cycle);
	moved |= assign_task(s, cycle);
	moved |= accept_task(s, cycle);
	if (moved)
		wake(s, cycle + 1);
}
