/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_GENERATE_H
#define TESTS_REFERENCE_GENERATE_H

/*
 * Internals of the generator of random schedules, shared by generate.c and generate_message.c. A schedule is a sequence of packets, clock
 * steps and calls (schedule.h). The same seed gives the same one.
 */
#include "tests/common/random.h"

#include "tests/reference/schedule.h"

#define GENERATOR_MESSAGES 6 /* at the same time */

struct maker {
	uint64_t random;
	struct schedule *schedule;
	const struct spin_message_opts *opts;
	struct schedule queue[GENERATOR_MESSAGES]; /* packets of each message, in order of arrival */
};

static inline uint32_t below(struct maker *m, uint32_t n)
{
	return random_below(&m->random, n);
}

static inline int one_in(struct maker *m, uint32_t n)
{
	return !random_below(&m->random, n);
}

/* Generates a message's packets and their order. Some are lost or duplicated. */
void generator_message(struct maker *m, struct schedule *queue, uint32_t source, uint32_t id, int may_be_long);
/* Changes a packet to one that its sender would not have sent. */
void generator_mutate(struct maker *m, struct step *step);

#endif
