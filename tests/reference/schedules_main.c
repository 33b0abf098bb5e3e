/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What main() of random_schedules.c and broken_rules_are_noticed.c does (schedules_main.h), for messages and for TCP segments. The first
 * compares each engine (kernel, host build, model) with the reference on random schedules. The second breaks one rule of the protocol at a
 * time in a copy of the reference: the comparison must then fail. Reads their options; both exit with 0 if all is as expected.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>

#include "tests/common/each_engine.h"
#include "tests/reference/schedules_main.h"

/* --- random_schedules --- */

struct random_run {
	const struct random_test *test;
	struct random_options options;
	int engines[ENGINE_OF_ALL], any_engine;
};

static int random_usage(const struct random_run *r)
{
	fprintf(stderr, "usage: %s [--engine host|bpf|isolated|model]... [--runs N] [--seed N] [--one N]%s\n",
		program_invocation_short_name, r->test->has_setups ? " [--setup NAME]" : "");
	return 2;
}

static int take_option(struct random_run *r, const char *option, const char *value)
{
	struct random_options *options = &r->options;
	enum engine_kind kind;

	if (!strcmp(option, "--runs")) {
		options->runs = strtoull(value, NULL, 0);
	} else if (!strcmp(option, "--seed")) {
		options->seed = strtoull(value, NULL, 0);
	} else if (!strcmp(option, "--one")) {
		options->one = strtoull(value, NULL, 0);
		options->only_one = 1;
	} else if (!strcmp(option, "--setup") && r->test->has_setups) {
		options->setup = value;
	} else if (!strcmp(option, "--engine")) {
		kind = engine_find(value);
		if (kind >= ENGINE_OF_ALL)
			return random_usage(r);
		r->engines[kind] = r->any_engine = 1;
	} else {
		return random_usage(r);
	}
	return 0;
}

static int run_engine(enum engine_kind kind, void *arg)
{
	const struct random_run *r = arg;

	return r->test->run(kind, &r->options);
}

int random_main(int argc, char **argv, const struct random_test *test)
{
	struct random_run r = { .test = test, .options = { .runs = test->runs, .seed = 1 } };

	for (int i = 1; i < argc; i += 2) {
		int bad = i + 1 < argc ? take_option(&r, argv[i], argv[i + 1]) : random_usage(&r);

		if (bad)
			return bad;
	}
	for (int kind = 0; kind < ENGINE_OF_ALL && !r.any_engine; kind++)
		r.engines[kind] = kind != ENGINE_ISOLATED || !test->leaves_isolated;
	return engines_run(r.engines, run_engine, &r);
}

int random_check_reasons(const uint64_t reasons[SPIN_REASON_COUNT], const enum spin_reason *wanted, unsigned count, uint64_t least)
{
	int rare = 0;

	for (unsigned i = 0; i < count; i++) {
		printf(" %s %llu", spin_reason_name(wanted[i]), (unsigned long long)reasons[wanted[i]]);
		rare |= reasons[wanted[i]] < least;
	}
	return rare;
}

/* --- broken_rules_are_noticed --- */

int broken_main(int argc, char **argv, const struct broken_test *test)
{
	const char *only = NULL;
	uint64_t seed = test->seed;
	int print = 0, failed = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--print")) {
			print = 1;
		} else if (i + 1 < argc && !strcmp(argv[i], "--break")) {
			only = argv[++i];
		} else if (i + 1 < argc && !strcmp(argv[i], "--seed")) {
			seed = strtoull(argv[++i], NULL, 0);
		} else {
			fprintf(stderr, "usage: %s [--break RULE] [--seed N] [--print]\n", program_invocation_short_name);
			return 2;
		}
	}
	for (int rule = 1; rule < test->rules; rule++)
		if (!only || !strcmp(only, test->name(rule)))
			failed |= test->run(rule, seed, print);
	return failed;
}
