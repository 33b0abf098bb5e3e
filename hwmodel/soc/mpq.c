/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The MPQ engine, which holds the message processing queues: for each message in flight its HERs (handler execution requests), from which
 * it selects the next task; and the dispatcher after it, which selects the task's cluster (mpq.h). Called by soc.c with HERs from the NIC,
 * and by the cluster schedulers through soc->up. Invariant: at most one task is chosen and not yet dispatched.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/core/max.h"
#include "hwmodel/soc/her_queues.h"
#include "hwmodel/soc/mpq.h"
#include "hwmodel/soc/scheduler.h"
#include "hwmodel/soc/share.h"

/* --- the dispatcher --- */

/*
 * Selects the cluster of a task (hwmodel/README.md, "Dispatcher"): its message's home if that holds fewer tasks than the limit and
 * accepts one now; else the cluster that holds the fewest among those that accept one, the lowest number on a tie. If that one is also
 * full, the task waits. The limit is in the task: one for each HPU and each waiting task, or less (share.h).
 */
struct dispatcher {
	struct soc *soc;
	unsigned clusters;
	struct reg *holds; /* per cluster: tasks dispatched whose feedback has not arrived */
	struct job *job;   /* assigned to a cluster that does not accept it yet, */
	unsigned cluster;  /* namely this one */
};

static struct dispatcher *dispatcher__new(struct soc *soc)
{
	struct dispatcher *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->soc = soc;
	d->clusters = (unsigned)soc->target->clusters;
	d->holds = calloc(d->clusters, sizeof(*d->holds));
	if (d->holds)
		return d;
	free(d);
	return NULL;
}

static void dispatcher__free(struct dispatcher *d)
{
	if (!d)
		return;
	free(d->holds);
	free(d);
}

/* S: among the clusters that accept a task; the first one if none does. */
static unsigned least_loaded(const struct dispatcher *d, uint64_t cycle)
{
	int64_t fewest = INT64_MAX;
	unsigned found = 0;

	for (unsigned c = 0; c < d->clusters; c++) {
		int64_t holds = reg__read(&d->holds[c], cycle);

		if (scheduler__is_ready(d->soc->schedulers[c], cycle) && holds < fewest) {
			fewest = holds;
			found = c;
		}
	}
	return found;
}

static int dispatcher__advance(struct dispatcher *d, uint64_t cycle)
{
	if (!d->job || !scheduler__is_ready(d->soc->schedulers[d->cluster], cycle))
		return 0;
	scheduler__push(d->soc->schedulers[d->cluster], cycle, d->job);
	d->job = NULL;
	return 1;
}

static int dispatcher__take(struct dispatcher *d, uint64_t cycle, struct job *job)
{
	unsigned home = job->her.message_id % d->clusters, other = least_loaded(d, cycle);

	if (reg__read(&d->holds[other], cycle) >= job->most)
		return 0;
	d->cluster = reg__read(&d->holds[home], cycle) < job->most && scheduler__is_ready(d->soc->schedulers[home], cycle) ? home : other;
	reg__add(&d->holds[d->cluster], cycle, 1);
	job->task.dispatched = cycle;
	d->job = job;
	dispatcher__advance(d, cycle);
	return 1;
}

static int dispatcher__has_room(const struct dispatcher *d, int64_t most)
{
	for (unsigned c = 0; c < d->clusters; c++)
		if (reg__next(&d->holds[c]) < most)
			return 1;
	return 0;
}

static int dispatcher__is_busy(const struct dispatcher *d)
{
	return d->job != NULL;
}

static void dispatcher__ended(struct dispatcher *d, uint64_t cycle, unsigned cluster)
{
	reg__add(&d->holds[cluster], cycle, -1);
}

/* --- the MPQ engine --- */

/* S: the engine's states (hwmodel/README.md, "MPQ engine") */
enum mpq_state { FREE, HEADER, HEADER_RUNNING, PAYLOAD, DRAINING, COMPLETION, COMPLETION_RUNNING };

struct soc_mpq {
	enum mpq_state state;
	uint32_t in_flight; /* tasks sent whose feedback has not arrived */
	uint32_t queued;    /* HERs whose payload task has not been sent; the last one also stays for the completion */
	int ends;           /* the message's last HER has arrived */
	uint64_t ready;     /* since when the message has a task */
	unsigned program;
	const struct soc_context *context;
};

struct mpqs {
	struct soc *soc;
	struct soc_mpq *mpq;
	struct her_fifo *fifo;
	struct dispatcher *dispatcher;
	struct rr_set *ready[SOC_PROGRAMS_MAX]; /* one set per program if programs are scheduled by HPU time; else the first is for all */
	int is_fair;
	struct job *jobs, *free_jobs; /* all jobs; unused ones */
	struct job *job;              /* chosen, and not yet dispatched, */
	uint64_t job_from;            /* which is possible from this cycle on */
	unsigned last_fed;            /* cluster */
	struct wakeup wakeup;
};

struct mpqs *mpqs__new(struct soc *soc)
{
	struct mpqs *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->soc = soc;
	m->mpq = calloc(SOC_MESSAGES, sizeof(*m->mpq));
	m->fifo = her_fifo__new(soc->target, SOC_MESSAGES);
	m->dispatcher = dispatcher__new(soc);
	m->ready[0] = rr_set__new(SOC_MESSAGES);
	m->is_fair = soc->target->scheduler == TARGET_FAIR_HPU_TIME;
	m->last_fed = (unsigned)soc->target->clusters - 1;
	wakeup__init(&m->wakeup);
	if (m->mpq && m->ready[0] && m->fifo && m->dispatcher)
		return m;
	mpqs__free(m);
	return NULL;
}

void mpqs__free(struct mpqs *m)
{
	if (!m)
		return;
	while (m->jobs) {
		struct job *job = m->jobs;

		m->jobs = job->made;
		free(job);
	}
	dispatcher__free(m->dispatcher);
	her_fifo__free(m->fifo);
	for (unsigned i = 0; i < SOC_PROGRAMS_MAX; i++)
		rr_set__free(m->ready[i]);
	free(m->mpq);
	free(m);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

static void wake(struct mpqs *m, uint64_t cycle)
{
	wakeup__set(&m->wakeup, &m->soc->events, cycle, step, m);
}

void mpqs__feedback(struct mpqs *m, uint64_t cycle)
{
	wake(m, cycle);
}

void mpqs__has_room(struct mpqs *m, uint64_t cycle)
{
	if (m->job || dispatcher__is_busy(m->dispatcher))
		wake(m, cycle);
}

int mpqs__add_program(struct mpqs *m, unsigned program)
{
	if (m->is_fair)
		m->ready[program] = rr_set__new(SOC_MESSAGES);
	return m->is_fair && !m->ready[program] ? -ENOMEM : 0;
}

static int has_task(const struct soc_mpq *mpq)
{
	return mpq->state == HEADER || mpq->state == COMPLETION || (mpq->state == PAYLOAD && mpq->queued);
}

/* The message's state changed in this cycle: adds it to the set of messages that have a task, or removes it. S: visible a cycle later. */
static void update_ready(struct mpqs *m, uint32_t id, uint64_t cycle)
{
	const unsigned program = m->mpq[id].program;
	struct rr_set *set = m->ready[m->is_fair ? program : 0];
	int has = has_task(&m->mpq[id]), had = rr_set__has(set, id);
	uint64_t seen = cycle + m->soc->target->dispatch_cycles - 2;

	if (has && !had) {
		m->mpq[id].ready = cycle;
		rr_set__add(set, id, seen);
		shares__ready(m->soc->shares, program, cycle);
		wake(m, seen);
	} else if (!has && had) {
		rr_set__remove(set, id);
		shares__unready(m->soc->shares, program);
	}
}

/* --- sending tasks --- */

static struct job *job__new(struct mpqs *m)
{
	struct job *job = m->free_jobs;

	if (job) {
		m->free_jobs = job->next;
		*job = (struct job){ .made = job->made };
		return job;
	}
	job = calloc(1, sizeof(*job));
	if (!job) {
		m->soc->events.incomplete = 1;
		return NULL;
	}
	job->made = m->jobs;
	m->jobs = job;
	return job;
}

static void job__free(struct mpqs *m, struct job *job)
{
	job->next = m->free_jobs;
	m->free_jobs = job;
}

/* Returns how many tasks a cluster may hold, including one more of the program. */
static int64_t task_limit(const struct mpqs *m, unsigned program)
{
	const uint64_t hpus = target__threads(m->soc->target), buffered = m->soc->target->hers_buffered;
	uint64_t ahead = buffered;

	if (m->is_fair && m->soc->programs > 1)
		ahead = shares__ahead(m->soc->shares, program, (unsigned)hpus);
	return (int64_t)(hpus + (ahead < buffered ? ahead : buffered));
}

/* Takes the message's next task. Its HER is popped with it, unless another task of the message needs the same packet. */
static struct job *take_task(struct mpqs *m, uint32_t id, uint64_t cycle)
{
	struct soc_mpq *mpq = &m->mpq[id];
	struct job *job = job__new(m);
	uint64_t accepted;

	if (!job)
		return NULL;
	job->her = *her_fifo__first(m->fifo, id, &accepted);
	job->task.her = &job->her;
	job->task.ready = max_u64(accepted, mpq->ready);
	job->pops = 1;
	switch (mpq->state) {
	case HEADER:
		job->task.kind = SOC_HEADER;
		job->function = mpq->context->header;
		job->pops = 0;
		mpq->state = HEADER_RUNNING;
		break;
	case COMPLETION:
		job->task.kind = SOC_COMPLETION;
		job->function = mpq->context->completion;
		mpq->state = COMPLETION_RUNNING;
		break;
	default:
		job->task.kind = SOC_PAYLOAD;
		job->function = job->her.payload ? job->her.payload : mpq->context->payload;
		mpq->queued--;
		if (mpq->ends && !mpq->queued) {
			mpq->state = DRAINING;
			job->pops = !mpq->context->completion;
		}
	}
	mpq->in_flight++;
	job->most = task_limit(m, mpq->program);
	shares__sent(m->soc->shares, mpq->program);
	job->copied_bytes = mpq->context->bytes_in_l1 < job->her.bytes ? mpq->context->bytes_in_l1 : job->her.bytes;
	if (job->pops && her_fifo__pop(m->fifo, id) && m->soc->nic->on_room)
		m->soc->nic->on_room(m->soc->nic_arg, cycle);
	update_ready(m, id, cycle);
	return job;
}

/* --- feedback --- */

/* Processes a task's feedback: changes the message's state, and tells the NIC that the task, and perhaps the message, has ended. */
static void complete(struct mpqs *m, uint64_t cycle, struct job *job)
{
	uint32_t id = job->her.message_id;
	struct soc_mpq *mpq = &m->mpq[id];
	int freed = 0;

	job->task.feedback = cycle;
	mpq->in_flight--;
	switch (mpq->state) {
	case HEADER_RUNNING:
		mpq->state = PAYLOAD;
		break;
	case DRAINING:
		if (!mpq->in_flight) {
			freed = !mpq->context->completion;
			mpq->state = freed ? FREE : COMPLETION;
		}
		break;
	case COMPLETION_RUNNING:
		mpq->state = FREE;
		freed = 1;
		break;
	default:
		break;
	}
	update_ready(m, id, cycle);
	if (m->soc->nic->on_end)
		m->soc->nic->on_end(m->soc->nic_arg, &job->task, job->pops);
	if (freed && m->soc->nic->on_freed)
		m->soc->nic->on_freed(m->soc->nic_arg, id, cycle);
	job__free(m, job);
}

/* Takes one cluster's feedback per cycle, round robin. */
static int feedback(struct mpqs *m, uint64_t cycle)
{
	unsigned clusters = (unsigned)m->soc->target->clusters;

	for (unsigned i = 1; i <= clusters; i++) {
		unsigned c = (m->last_fed + i) % clusters;
		struct job *job = scheduler__feedback(m->soc->schedulers[c], cycle);

		if (!job)
			continue;
		m->last_fed = c;
		scheduler__take_feedback(m->soc->schedulers[c], cycle);
		dispatcher__ended(m->dispatcher, cycle, c);
		complete(m, cycle, job);
		return 1;
	}
	return 0;
}

/* Returns the message whose task is next; RR_SET_NONE if none has one. */
static uint32_t next_message(struct mpqs *m, uint64_t cycle)
{
	unsigned order[SOC_PROGRAMS_MAX], count;

	if (!m->is_fair)
		return rr_set__turn(m->ready[0], cycle);
	count = shares__order(m->soc->shares, cycle, order);
	for (unsigned i = 0; i < count; i++) {
		uint32_t id;

		if (!dispatcher__has_room(m->dispatcher, task_limit(m, order[i])))
			return RR_SET_NONE; /* no other program may send a task before it */
		id = rr_set__turn(m->ready[order[i]], cycle);
		if (id != RR_SET_NONE)
			return id;
	}
	return RR_SET_NONE;
}

/* Event: one cycle of the engine. Feedback first, then the dispatcher, then the choice of the next task. */
static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct mpqs *m = arg;
	uint32_t id;
	int moved;

	(void)what;
	if (!wakeup__is_first(&m->wakeup, cycle))
		return;
	moved = feedback(m, cycle);
	if (dispatcher__is_busy(m->dispatcher)) {
		moved |= dispatcher__advance(m->dispatcher, cycle);
	} else if (m->job && m->job_from <= cycle && dispatcher__take(m->dispatcher, cycle, m->job)) {
		m->job = NULL;
		moved = 1;
	}
	if (!m->job && (id = next_message(m, cycle)) != RR_SET_NONE) {
		m->job = take_task(m, id, cycle);
		m->job_from = cycle + 1;
		moved = 1;
	}
	if (moved)
		wake(m, cycle + 1);
}

/* --- HERs --- */

/* Event: a packet of the message is in its queue. The first one opens the message. */
static void her_arrives(void *arg, uint64_t cycle, uint64_t id)
{
	struct mpqs *m = arg;
	struct soc_mpq *mpq = &m->mpq[id];
	const struct soc_her *her = her_fifo__arrived(m->fifo, (uint32_t)id, cycle);

	if (mpq->state == FREE) {
		mpq->context = her->context;
		mpq->program = her->context->program;
		mpq->state = her->context->header ? HEADER : PAYLOAD;
		mpq->ends = 0;
	}
	mpq->queued++;
	mpq->ends |= her->end_of_message;
	update_ready(m, (uint32_t)id, cycle);
}

int mpqs__her(struct mpqs *m, uint64_t cycle, const struct soc_her *her)
{
	int status = her_fifo__add(m->fifo, her);

	if (!status)
		events__add(&m->soc->events, cycle, her_arrives, m, her->message_id);
	return status;
}

int mpqs__takes_her(struct mpqs *m, uint32_t message_id)
{
	return her_fifo__has_room(m->fifo, message_id);
}

void mpqs__forget(struct mpqs *m, uint32_t message_id)
{
	m->mpq[message_id].state = FREE;
	update_ready(m, message_id, m->soc->now);
}
