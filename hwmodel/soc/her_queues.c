/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The two queues of the MPQ engine (mpq.c), which schedules the handlers of messages: HERs (handler execution requests, one for each
 * packet) by message, and the set of messages that have a task. Called by mpq.c alone. Both allocate for SOC_MESSAGES messages at the
 * start; later they allocate only when more HERs than ever before are queued.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/soc/her_queues.h"

/* --- HERs by message --- */

struct cell {
	struct soc_her her;
	uint64_t arrived;
	int is_static;
	struct cell *next;
};

struct queue {
	struct cell *first, *last;
	struct cell *arriving; /* the first HER that has not arrived yet */
	uint32_t used_static;
};

struct her_fifo {
	uint32_t statics, shared; /* static cells per message; free shared cells */
	int refused;
	struct queue *queue; /* by message */
	uint32_t messages;
	struct cell *unused;
};

struct her_fifo *her_fifo__new(const struct pspin_target *target, uint32_t messages)
{
	struct her_fifo *fifo = calloc(1, sizeof(*fifo));

	if (!fifo)
		return NULL;
	fifo->statics = (uint32_t)target->cells_static;
	fifo->shared = (uint32_t)target->cells_shared;
	fifo->messages = messages;
	fifo->queue = calloc(messages, sizeof(*fifo->queue));
	if (fifo->queue)
		return fifo;
	free(fifo);
	return NULL;
}

static void free_cells(struct cell *cell)
{
	while (cell) {
		struct cell *next = cell->next;

		free(cell);
		cell = next;
	}
}

void her_fifo__free(struct her_fifo *fifo)
{
	if (!fifo)
		return;
	for (uint32_t i = 0; i < fifo->messages; i++)
		free_cells(fifo->queue[i].first);
	free_cells(fifo->unused);
	free(fifo->queue);
	free(fifo);
}

static int has_room(const struct her_fifo *fifo, const struct queue *queue)
{
	return fifo->shared || queue->used_static < fifo->statics;
}

int her_fifo__has_room(struct her_fifo *fifo, uint32_t message)
{
	int has = has_room(fifo, &fifo->queue[message]);

	fifo->refused |= !has;
	return has;
}

int her_fifo__add(struct her_fifo *fifo, const struct soc_her *her)
{
	struct queue *queue = &fifo->queue[her->message_id];
	struct cell *cell = fifo->unused;

	if (!has_room(fifo, queue))
		return -ENOSPC;
	if (cell)
		fifo->unused = cell->next;
	else if (!(cell = malloc(sizeof(*cell))))
		return -ENOMEM;
	*cell = (struct cell){ .her = *her, .is_static = queue->used_static < fifo->statics };
	if (cell->is_static)
		queue->used_static++;
	else
		fifo->shared--;
	if (queue->first)
		queue->last->next = cell;
	else
		queue->first = cell;
	queue->last = cell;
	if (!queue->arriving)
		queue->arriving = cell;
	return 0;
}

const struct soc_her *her_fifo__arrived(struct her_fifo *fifo, uint32_t message, uint64_t cycle)
{
	struct cell *cell = fifo->queue[message].arriving;

	cell->arrived = cycle;
	fifo->queue[message].arriving = cell->next;
	return &cell->her;
}

const struct soc_her *her_fifo__first(const struct her_fifo *fifo, uint32_t message, uint64_t *cycle)
{
	const struct cell *cell = fifo->queue[message].first;

	*cycle = cell->arrived;
	return &cell->her;
}

int her_fifo__pop(struct her_fifo *fifo, uint32_t message)
{
	struct queue *queue = &fifo->queue[message];
	struct cell *cell = queue->first;
	int refused = fifo->refused;

	queue->first = cell->next;
	if (cell->is_static)
		queue->used_static--;
	else
		fifo->shared++;
	cell->next = fifo->unused;
	fifo->unused = cell;
	fifo->refused = 0;
	return refused;
}

/* --- the set of messages that have a task --- */

#define WORD_BITS 64u

struct pending_message {
	uint64_t seen;
	uint32_t message;
};

struct rr_set {
	uint32_t messages, last;
	uint64_t *bits;                  /* one bit per visible message, */
	uint64_t *words;                 /* and one per word of `bits` that is not 0 */
	uint8_t *is_in;                  /* per message: visible, or pending */
	struct pending_message *pending; /* a queue of messages that are not visible yet */
	uint32_t first, count, room;
};

struct rr_set *rr_set__new(uint32_t messages)
{
	struct rr_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->messages = messages;
	set->last = messages - 1;
	set->room = 2 * messages; /* a removed message may still be in the queue */
	set->bits = calloc(messages / WORD_BITS, sizeof(*set->bits));
	set->words = calloc(messages / WORD_BITS / WORD_BITS, sizeof(*set->words));
	set->is_in = calloc(messages, sizeof(*set->is_in));
	set->pending = calloc(set->room, sizeof(*set->pending));
	if (set->bits && set->words && set->is_in && set->pending)
		return set;
	rr_set__free(set);
	return NULL;
}

void rr_set__free(struct rr_set *set)
{
	if (!set)
		return;
	free(set->bits);
	free(set->words);
	free(set->is_in);
	free(set->pending);
	free(set);
}

int rr_set__has(const struct rr_set *set, uint32_t message)
{
	return set->is_in[message];
}

void rr_set__add(struct rr_set *set, uint32_t message, uint64_t seen)
{
	set->is_in[message] = 1;
	set->pending[(set->first + set->count++) % set->room] = (struct pending_message){ seen, message };
}

void rr_set__remove(struct rr_set *set, uint32_t message)
{
	uint64_t *bits = &set->bits[message / WORD_BITS];

	set->is_in[message] = 0;
	*bits &= ~(1ull << message % WORD_BITS);
	if (!*bits)
		set->words[message / WORD_BITS / WORD_BITS] &= ~(1ull << message / WORD_BITS % WORD_BITS);
}

static void make_visible(struct rr_set *set, uint64_t cycle)
{
	while (set->count && set->pending[set->first].seen <= cycle) {
		uint32_t message = set->pending[set->first].message;

		if (set->is_in[message]) {
			set->bits[message / WORD_BITS] |= 1ull << message % WORD_BITS;
			set->words[message / WORD_BITS / WORD_BITS] |= 1ull << message / WORD_BITS % WORD_BITS;
		}
		set->first = (set->first + 1) % set->room;
		set->count--;
	}
}

/* Returns the first set bit from bit `from` on; `bits` if there is none. */
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

/* Returns the first visible message, from this one on; RR_SET_NONE if none. */
static uint32_t first_from(const struct rr_set *set, uint32_t from)
{
	const uint32_t words = set->messages / WORD_BITS;
	uint32_t end = (from / WORD_BITS + 1) * WORD_BITS, id, word;

	if (from >= set->messages)
		return RR_SET_NONE;
	id = find(set->bits, end, from);
	if (id < end)
		return id;
	word = find(set->words, words, end / WORD_BITS);
	return word < words ? find(set->bits, (word + 1) * WORD_BITS, word * WORD_BITS) : RR_SET_NONE;
}

/* Returns the next visible message above the last one, cyclically. */
static uint32_t next(struct rr_set *set)
{
	uint32_t chosen = first_from(set, set->last + 1);

	if (chosen == RR_SET_NONE)
		chosen = first_from(set, 0);
	if (chosen != RR_SET_NONE)
		set->last = chosen;
	return chosen;
}

uint32_t rr_set__turn(struct rr_set *set, uint64_t cycle)
{
	uint32_t chosen;

	make_visible(set, cycle - 1);
	chosen = next(set);
	if (chosen != RR_SET_NONE)
		return chosen;
	make_visible(set, cycle);
	return next(set);
}
