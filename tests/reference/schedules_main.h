/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_SCHEDULES_MAIN_H
#define TESTS_REFERENCE_SCHEDULES_MAIN_H

/*
 * Main functions of tests that compare engines with a reference on random schedules: random_schedules.c and broken_rules_are_noticed.c, in
 * tests/messages and in tests/segments. They read the options, and return the exit status.
 */
#include "user/conformance/engine.h"

/* --- random_schedules [--engine host|bpf|isolated|model]... [--runs N] [--seed N] [--one N] [--setup NAME] --- */

struct random_options {
	uint64_t runs; /* for each engine */
	uint64_t seed, one;
	int only_one;      /* only the schedule number `one` of the seed */
	const char *setup; /* NULL: all */
};

struct random_test {
	uint64_t runs;       /* if the options do not say */
	int has_setups;      /* there is an option --setup */
	int leaves_isolated; /* does not run in the isolated class unless the options say so */
	/* Returns 0, or 1 after a message, or a negative errno with engine_error(). */
	int (*run)(enum engine_kind kind, const struct random_options *options);
};

int random_main(int argc, char **argv, const struct random_test *test);
/*
 * Prints how many packets had each of the `wanted` reasons. Returns 1 if one had fewer than `least`: a run in which a reason hardly occurs
 * does not test it.
 */
int random_check_reasons(const uint64_t reasons[SPIN_REASON_COUNT], const enum spin_reason *wanted, unsigned count, uint64_t least);

/* --- broken_rules_are_noticed [--break RULE] [--seed N] [--print] --- */

struct broken_test {
	int rules; /* they are 1 to rules - 1 */
	uint64_t seed;
	const char *(*name)(int rule);
	/* Returns 1 after a message if nobody notices. `print`: prints the schedule in any case. */
	int (*run)(int rule, uint64_t seed, int print);
};

int broken_main(int argc, char **argv, const struct broken_test *test);

#endif
