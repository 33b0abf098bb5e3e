/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/core/max.h"
#include "hwmodel/soc/alarm.h"
#include "hwmodel/soc/cells.h"
#include "hwmodel/soc/copies.h"
#include "hwmodel/soc/dispatcher.h"
#include "hwmodel/soc/mpq.h"
#include "hwmodel/soc/ready.h"
#include "hwmodel/soc/scheduler.h"
#include "hwmodel/soc/share.h"

/* S: the engine's states (hwmodel/README.md, "MPQ engine") */
enum mpq_state { FREE, HEADER, HEADER_RUNNING, PAYLOAD, DRAINING, COMPLETION, COMPLETION_RUNNING };

struct mpq {
	enum mpq_state state;
	uint32_t in_flight; /* tasks sent and not fed back */
	uint32_t queued;    /* HERs with a payload task to come; the last of them stays for the completion */
	int ends;           /* the last HER of the message is here */
	uint64_t ready;     /* since when it has a task */
	unsigned program;
	const struct soc_context *context;
};

struct mpqs {
	struct soc *soc;
	struct mpq *mpq;
	struct cells *cells;
	struct copies *copies;
	struct dispatcher *dispatcher;
	struct ready *ready[SOC_PROGRAMS_MAX]; /* of each program, where they take turns by HPU time; else the first is of all */
	int is_fair;
	struct shares shares;
	struct job *jobs, *free_jobs; /* all, and those in no use */
	struct job *job;              /* chosen, and not yet dispatched, */
	uint64_t job_from;            /* which it can be from here on */
	unsigned last_fed;            /* cluster */
	struct alarm alarm;
};

struct mpqs *mpqs__new(struct soc *soc)
{
	struct mpqs *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->soc = soc;
	m->mpq = calloc(SOC_MESSAGES, sizeof(*m->mpq));
	m->cells = cells__new(soc->target, SOC_MESSAGES);
	m->copies = copies__new(soc);
	m->dispatcher = dispatcher__new(soc);
	m->ready[0] = ready__new(SOC_MESSAGES);
	m->is_fair = soc->target->scheduler == TARGET_FAIR_HPU_TIME;
	shares__open(&m->shares);
	m->last_fed = (unsigned)soc->target->clusters - 1;
	alarm__open(&m->alarm);
	if (m->mpq && m->ready[0] && m->cells && m->copies && m->dispatcher)
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
	copies__free(m->copies);
	cells__free(m->cells);
	for (unsigned i = 0; i < SOC_PROGRAMS_MAX; i++)
		ready__free(m->ready[i]);
	free(m->mpq);
	free(m);
}

struct copies *mpqs__copies(struct mpqs *m)
{
	return m->copies;
}

struct shares *mpqs__shares(struct mpqs *m)
{
	return &m->shares;
}

static void step(void *arg, uint64_t cycle, uint64_t what);

static void wake(struct mpqs *m, uint64_t cycle)
{
	alarm__set(&m->alarm, &m->soc->events, cycle, step, m);
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
		m->ready[program] = ready__new(SOC_MESSAGES);
	return m->is_fair && !m->ready[program] ? -ENOMEM : 0;
}

static int has_task(const struct mpq *mpq)
{
	return mpq->state == HEADER || mpq->state == COMPLETION || (mpq->state == PAYLOAD && mpq->queued);
}

/* Its state changed in this cycle: has it a task? S: registers, seen by the engine a cycle later. */
static void update(struct mpqs *m, uint32_t id, uint64_t cycle)
{
	const unsigned program = m->mpq[id].program;
	struct ready *ready = m->ready[m->is_fair ? program : 0];
	int has = has_task(&m->mpq[id]), had = ready__has(ready, id);
	uint64_t seen = cycle + m->soc->target->dispatch_cycles - 2;

	if (has && !had) {
		m->mpq[id].ready = cycle;
		ready__add(ready, id, seen);
		shares__ready(&m->shares, program, cycle);
		wake(m, seen);
	} else if (!has && had) {
		ready__remove(ready, id);
		shares__unready(&m->shares, program);
	}
}

/* --- tasks out --- */

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

/* Tasks that a cluster holds at most, with one more of the program. */
static int64_t most_of(const struct mpqs *m, unsigned program)
{
	const uint64_t hpus = target__threads(m->soc->target), buffered = m->soc->target->hers_buffered;
	uint64_t ahead = buffered;

	if (m->is_fair && m->soc->programs > 1)
		ahead = shares__ahead(&m->shares, program, (unsigned)hpus);
	return (int64_t)(hpus + (ahead < buffered ? ahead : buffered));
}

/* The message's next task. Its HER goes with it, unless another task of the message is to come with the same packet. */
static struct job *take(struct mpqs *m, uint32_t id, uint64_t cycle)
{
	struct mpq *mpq = &m->mpq[id];
	struct job *job = job__new(m);
	uint64_t accepted;

	if (!job)
		return NULL;
	job->her = *cells__first(m->cells, id, &accepted);
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
	job->most = most_of(m, mpq->program);
	shares__sent(&m->shares, mpq->program);
	job->copied_bytes = mpq->context->bytes_in_l1 < job->her.bytes ? mpq->context->bytes_in_l1 : job->her.bytes;
	if (job->pops && cells__pop(m->cells, id) && m->soc->nic->room)
		m->soc->nic->room(m->soc->nic_arg, cycle);
	update(m, id, cycle);
	return job;
}

/* --- feedback --- */

static void fed_back(struct mpqs *m, uint64_t cycle, struct job *job)
{
	uint32_t id = job->her.message_id;
	struct mpq *mpq = &m->mpq[id];
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
	update(m, id, cycle);
	if (m->soc->nic->ended)
		m->soc->nic->ended(m->soc->nic_arg, &job->task, job->pops);
	if (freed && m->soc->nic->freed)
		m->soc->nic->freed(m->soc->nic_arg, id, cycle);
	job__free(m, job);
}

/* One cluster's feedback per cycle, in turn. */
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
		fed_back(m, cycle, job);
		return 1;
	}
	return 0;
}

/* The message whose task is next; READY_NONE: nobody has one. */
static uint32_t whose_turn(struct mpqs *m, uint64_t cycle)
{
	unsigned order[SOC_PROGRAMS_MAX], count;

	if (!m->is_fair)
		return ready__turn(m->ready[0], cycle);
	count = shares__order(&m->shares, cycle, order);
	for (unsigned i = 0; i < count; i++) {
		uint32_t id;

		if (!dispatcher__has_room(m->dispatcher, most_of(m, order[i])))
			return READY_NONE; /* nor does anybody else send one before it */
		id = ready__turn(m->ready[order[i]], cycle);
		if (id != READY_NONE)
			return id;
	}
	return READY_NONE;
}

static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct mpqs *m = arg;
	uint32_t id;
	int moved;

	(void)what;
	if (!alarm__rings(&m->alarm, cycle))
		return;
	moved = feedback(m, cycle);
	if (dispatcher__is_busy(m->dispatcher)) {
		moved |= dispatcher__go_on(m->dispatcher, cycle);
	} else if (m->job && m->job_from <= cycle && dispatcher__take(m->dispatcher, cycle, m->job)) {
		m->job = NULL;
		moved = 1;
	}
	if (!m->job && (id = whose_turn(m, cycle)) != READY_NONE) {
		m->job = take(m, id, cycle);
		m->job_from = cycle + 1;
		moved = 1;
	}
	if (moved)
		wake(m, cycle + 1);
}

/* --- HERs --- */

static void arrives(void *arg, uint64_t cycle, uint64_t id)
{
	struct mpqs *m = arg;
	struct mpq *mpq = &m->mpq[id];
	const struct soc_her *her = cells__arrived(m->cells, (uint32_t)id, cycle);

	if (mpq->state == FREE) {
		mpq->context = her->context;
		mpq->program = her->context->program;
		mpq->state = her->context->header ? HEADER : PAYLOAD;
		mpq->ends = 0;
	}
	mpq->queued++;
	mpq->ends |= her->end_of_message;
	update(m, (uint32_t)id, cycle);
}

int soc__her(struct soc *soc, uint64_t cycle, const struct soc_her *her)
{
	int status = cells__add(soc->mpqs->cells, her);

	if (!status)
		events__add(&soc->events, cycle, arrives, soc->mpqs, her->message_id);
	return status;
}

int soc__takes_her(struct soc *soc, uint32_t message_id)
{
	return cells__has_room(soc->mpqs->cells, message_id);
}

void soc__forget(struct soc *soc, uint32_t message_id)
{
	soc->mpqs->mpq[message_id].state = FREE;
	update(soc->mpqs, message_id, soc->now);
}
