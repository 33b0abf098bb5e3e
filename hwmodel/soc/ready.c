/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/ready.h"

#define WORD_BITS 64u

struct coming {
	uint64_t seen;
	uint32_t message;
};

struct ready {
	uint32_t messages, last;
	uint64_t *bits;        /* one per message that is seen, */
	uint64_t *words;       /* and one per word of those with a bit */
	uint8_t *is_in;        /* per message: seen, or coming */
	struct coming *coming; /* a queue of those that are not seen yet */
	uint32_t first, count, room;
};

struct ready *ready__new(uint32_t messages)
{
	struct ready *ready = calloc(1, sizeof(*ready));

	if (!ready)
		return NULL;
	ready->messages = messages;
	ready->last = messages - 1;
	ready->room = 2 * messages; /* one that went may still stand there */
	ready->bits = calloc(messages / WORD_BITS, sizeof(*ready->bits));
	ready->words = calloc(messages / WORD_BITS / WORD_BITS, sizeof(*ready->words));
	ready->is_in = calloc(messages, sizeof(*ready->is_in));
	ready->coming = calloc(ready->room, sizeof(*ready->coming));
	if (ready->bits && ready->words && ready->is_in && ready->coming)
		return ready;
	ready__free(ready);
	return NULL;
}

void ready__free(struct ready *ready)
{
	if (!ready)
		return;
	free(ready->bits);
	free(ready->words);
	free(ready->is_in);
	free(ready->coming);
	free(ready);
}

int ready__has(const struct ready *ready, uint32_t message)
{
	return ready->is_in[message];
}

void ready__add(struct ready *ready, uint32_t message, uint64_t seen)
{
	ready->is_in[message] = 1;
	ready->coming[(ready->first + ready->count++) % ready->room] = (struct coming){ seen, message };
}

void ready__remove(struct ready *ready, uint32_t message)
{
	uint64_t *bits = &ready->bits[message / WORD_BITS];

	ready->is_in[message] = 0;
	*bits &= ~(1ull << message % WORD_BITS);
	if (!*bits)
		ready->words[message / WORD_BITS / WORD_BITS] &= ~(1ull << message / WORD_BITS % WORD_BITS);
}

static void see(struct ready *ready, uint64_t cycle)
{
	while (ready->count && ready->coming[ready->first].seen <= cycle) {
		uint32_t message = ready->coming[ready->first].message;

		if (ready->is_in[message]) {
			ready->bits[message / WORD_BITS] |= 1ull << message % WORD_BITS;
			ready->words[message / WORD_BITS / WORD_BITS] |= 1ull << message / WORD_BITS % WORD_BITS;
		}
		ready->first = (ready->first + 1) % ready->room;
		ready->count--;
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

/* The first message that is seen, from this one on; READY_NONE: there is none. */
static uint32_t first_from(const struct ready *ready, uint32_t from)
{
	const uint32_t words = ready->messages / WORD_BITS;
	uint32_t end = (from / WORD_BITS + 1) * WORD_BITS, id, word;

	if (from >= ready->messages)
		return READY_NONE;
	id = find(ready->bits, end, from);
	if (id < end)
		return id;
	word = find(ready->words, words, end / WORD_BITS);
	return word < words ? find(ready->bits, (word + 1) * WORD_BITS, word * WORD_BITS) : READY_NONE;
}

/* The next one above the last. */
static uint32_t next(struct ready *ready)
{
	uint32_t chosen = first_from(ready, ready->last + 1);

	if (chosen == READY_NONE)
		chosen = first_from(ready, 0);
	if (chosen != READY_NONE)
		ready->last = chosen;
	return chosen;
}

uint32_t ready__turn(struct ready *ready, uint64_t cycle)
{
	uint32_t chosen;

	see(ready, cycle - 1);
	chosen = next(ready);
	if (chosen != READY_NONE)
		return chosen;
	see(ready, cycle);
	return next(ready);
}
