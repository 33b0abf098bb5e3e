/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_COMMON_WORDS_H
#define TESTS_MODEL_COMMON_WORDS_H

/*
 * Checks the words that HPUs (the modelled cores) have shared by running handlers/words.c, whichever HPUs took part: nothing may be lost or
 * done twice. Used by words_in_any_l1.c and words_on_a_nic.c.
 */
#include <stdio.h>

#include "tests/model/handlers/words.h"

static int failures;

static void expect(const char *run, const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s, %s: %llu, expected %llu\n", run, what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

/* Each of the first `tickets` tickets must have been taken once, and no other. */
static void words__check_tickets(const char *run, const struct words *words, unsigned tickets)
{
	unsigned not_once = 0;

	for (unsigned i = 0; i < WORDS_TICKETS; i++)
		not_once += words->taken[i] != (i < tickets);
	expect(run, "tickets not taken once", not_once, 0);
	expect(run, "tickets", words->tickets, tickets);
}

/* Checks the words after `tasks` tasks have run meet(). */
static void words__check(const char *run, const struct words *words, unsigned tasks)
{
	const unsigned turns = WORDS_TURNS * tasks;

	words__check_tickets(run, words, 2 * turns);
	expect(run, "times locked", words->locked, turns);
	expect(run, "times locked for writing", words->first, turns);
	expect(run, "writers among readers", words->torn, 0);
	expect(run, "times the host's lock was taken", words->host, turns);
	expect(run, "locks that are held", words->lock | words->rw, 0);
}

#endif
