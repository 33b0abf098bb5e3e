/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "alarm.h"
#include "cells.h"
#include "copies.h"
#include "dispatcher.h"
#include "mpq.h"
#include "scheduler.h"

/* S: the engine's states (pspin_soc.md) */
enum mpq_state { FREE, HEADER, HEADER_RUNNING, PAYLOAD, DRAINING, COMPLETION, COMPLETION_RUNNING };

struct mpq {
	enum mpq_state state;
	uint32_t in_flight;        /* tasks sent and not fed back */
	uint32_t queued;           /* HERs with a payload task to come; the last of them stays for the completion */
	int ends;                  /* the last HER of the message is here */
	uint64_t ready;            /* since when it has a task, */
	int is_listed;             /* and that it is in the list of those, or comes there */
	const struct soc_context *context;
};

#define WORD_BITS 64u

struct mpqs {
	struct soc *soc;
	struct mpq *mpq;
	struct cells *cells;
	struct copies *copies;
	struct dispatcher *dispatcher;
	uint64_t ready[SOC_MESSAGES / WORD_BITS]; /* a bit per message that has a task, */
	uint64_t words[SOC_MESSAGES / WORD_BITS / WORD_BITS]; /* and per word that has a bit */
	uint32_t last;             /* message that had its turn */
	uint32_t *coming;          /* a queue of messages that are seen to have a task from some cycle on */
	uint32_t coming_first, coming_count;
	struct job *jobs, *free_jobs; /* all, and those in no use */
	struct job *job;           /* chosen, and not yet dispatched, */
	uint64_t job_from;         /* which it can be from here on */
	unsigned last_fed;         /* cluster */
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
	m->coming = calloc(SOC_MESSAGES, sizeof(*m->coming));
	m->last = SOC_MESSAGES - 1;
	m->last_fed = (unsigned)soc->target->clusters - 1;
	alarm__open(&m->alarm);
	if (m->mpq && m->coming && m->cells && m->copies && m->dispatcher)
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
	free(m->coming);
	free(m->mpq);
	free(m);
}

struct copies *mpqs__copies(struct mpqs *m)
{
	return m->copies;
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

/* --- which message has its turn --- */

static int has_task(const struct mpq *mpq)
{
	return mpq->state == HEADER || mpq->state == COMPLETION || (mpq->state == PAYLOAD && mpq->queued);
}

static uint64_t seen(const struct mpqs *m, uint32_t id)
{
	return m->mpq[id].ready + m->soc->target->dispatch_cycles - 2;
}

static void set_bit(struct mpqs *m, uint32_t id)
{
	m->ready[id / WORD_BITS] |= 1ull << id % WORD_BITS;
	m->words[id / WORD_BITS / WORD_BITS] |= 1ull << id / WORD_BITS % WORD_BITS;
}

static void clear_bit(struct mpqs *m, uint32_t id)
{
	m->ready[id / WORD_BITS] &= ~(1ull << id % WORD_BITS);
	if (!m->ready[id / WORD_BITS])
		m->words[id / WORD_BITS / WORD_BITS] &= ~(1ull << id / WORD_BITS % WORD_BITS);
}

/* Its state changed in this cycle: has it a task? S: registers, seen by the engine a cycle later. */
static void update(struct mpqs *m, uint32_t id, uint64_t cycle)
{
	struct mpq *mpq = &m->mpq[id];
	int has = has_task(mpq);

	if (has && !mpq->is_listed) {
		mpq->ready = cycle;
		m->coming[(m->coming_first + m->coming_count++) % SOC_MESSAGES] = id;
		wake(m, seen(m, id));
	} else if (!has && mpq->is_listed) {
		clear_bit(m, id);
	}
	mpq->is_listed = has;
}

static void see(struct mpqs *m, uint64_t cycle)
{
	while (m->coming_count && seen(m, m->coming[m->coming_first]) <= cycle) {
		uint32_t id = m->coming[m->coming_first];

		if (m->mpq[id].is_listed)
			set_bit(m, id);
		m->coming_first = (m->coming_first + 1) % SOC_MESSAGES;
		m->coming_count--;
	}
}

/* The first set bit of so many words from bit `from` on; their number of bits: none. */
static uint32_t find(const uint64_t *words, uint32_t bits, uint32_t from)
{
	for (uint32_t i = from / WORD_BITS; i < bits / WORD_BITS; i++) {
		uint64_t word = words[i];

		if (i == from / WORD_BITS)
			word &= ~0ull << from % WORD_BITS;
		if (word)
			return i * WORD_BITS + (uint32_t)__builtin_ctzll(word);
	}
	return bits;
}

/* The first message from this one on that has a task; SOC_MESSAGES: none. */
static uint32_t first_from(const struct mpqs *m, uint32_t from)
{
	uint32_t end = (from / WORD_BITS + 1) * WORD_BITS, id, word;

	if (from >= SOC_MESSAGES)
		return SOC_MESSAGES;
	id = find(m->ready, end, from);
	if (id < end)
		return id;
	word = find(m->words, SOC_MESSAGES / WORD_BITS, end / WORD_BITS);
	return word < SOC_MESSAGES / WORD_BITS ? find(m->ready, (word + 1) * WORD_BITS, word * WORD_BITS) : SOC_MESSAGES;
}

/* The next one above the last that has a task; SOC_MESSAGES: none has. */
static uint32_t choose(struct mpqs *m)
{
	uint32_t chosen = first_from(m, m->last + 1);

	if (chosen == SOC_MESSAGES)
		chosen = first_from(m, 0);
	if (chosen < SOC_MESSAGES)
		m->last = chosen;
	return chosen;
}

/*
 * Round robin, settled a cycle ahead: among those that had a task then, if any had. P: 4 messages of the same home, headers 2
 * apart: m32 x3, m36, m32, m36, m40, m44; and all clusters at 20: 0, 8, 9, 10, 11, 0.
 */
static uint32_t take_turns(struct mpqs *m, uint64_t cycle)
{
	uint32_t chosen;

	see(m, cycle - 1);
	chosen = choose(m);
	if (chosen < SOC_MESSAGES)
		return chosen;
	see(m, cycle);
	return choose(m);
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

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
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
	job->task.ready = later(accepted, mpq->ready);
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
	if (!m->job && (id = take_turns(m, cycle)) < SOC_MESSAGES) {
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
