/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs random schedules of messages (packets lost, duplicated and reordered, time, memory posted and removed) on the engines: host build,
 * kernel, model of the card. Each is compared with a plain reference (tests/reference) after every step. A schedule that fails is reduced
 * as far as possible, and printed. Run by tests/run and, longer, by `make fuzz`.
 *
 *	random_schedules [--engine host|bpf|isolated|model]... [--runs N] [--seed N] [--one N] [--setup NAME]
 *
 * --runs: for each engine; --one: only that schedule of the seed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/net/slow.h"
#include "tests/reference/engine_reference.h"
#include "tests/reference/schedule.h"
#include "tests/reference/schedules_main.h"

#define SHRINK_TRIES 4000

struct fixture {
	struct built built;
	struct engine *reference, *engine;
};

static int open_fixture(struct fixture *fixture, enum engine_kind kind, const struct schedule_setup *setup)
{
	struct engine_context context = { .rule = { .protocol = 17, .dst_port = SCHEDULE_PORT }, .message = setup->message };
	int err = built_handler(setup->handler, &fixture->built);

	if (!err)
		err = engine_reference_open(&fixture->built.handler, &context, REFERENCE_OBEYS, &fixture->reference);
	if (!err)
		err = engine_open(kind, &fixture->built.handler, &context, &fixture->engine);
	return err;
}

static void close_fixture(struct fixture *fixture)
{
	engine_close(fixture->engine);
	engine_close(fixture->reference);
	fixture->engine = fixture->reference = NULL;
}

static int still_fails(void *arg, const struct schedule *s)
{
	struct fixture *fixture = arg;
	char reason[1024];

	return schedule_compare(s, fixture->reference, fixture->engine, reason, sizeof(reason), NULL) == 1;
}

/* Writes a vector for `spinctl test` and tests/vectors/run. */
static void write_vector(const struct fixture *fixture, const struct schedule *s)
{
	char path[600];
	FILE *to;

	snprintf(path, sizeof(path), "%s/tests/log/smallest_%s_%s.vec", built_dir(), fixture->engine->ops->name,
		 schedule_setups[s->setup].name);
	to = fopen(path, "w");
	if (!to)
		return;
	schedule_write_vector(s, to);
	if (!fclose(to))
		printf("As a vector: %s\n", path);
}

static void report(struct fixture *fixture, struct schedule *s, uint64_t seed, uint64_t number, char *reason, size_t reason_bytes)
{
	printf("FAIL  %s differs from the reference: --setup %s --seed %llu --one %llu, %u steps: %s\n", fixture->engine->ops->name,
	       schedule_setups[s->setup].name, (unsigned long long)seed, (unsigned long long)number, s->steps, reason);
	schedule_shrink(s, still_fails, fixture, SHRINK_TRIES);
	schedule_compare(s, fixture->reference, fixture->engine, reason, reason_bytes, NULL);
	printf("The smallest schedule that still fails:\n");
	schedule_print(s, stdout);
	printf("%s\n", reason);
	write_vector(fixture, s);
}

static int run_setup(enum engine_kind kind, unsigned setup, const struct random_options *options, struct schedule_tally *tally)
{
	const uint64_t first = options->only_one ? options->one : 0;
	const uint64_t last = options->only_one ? first + 1 : (options->runs + schedule_setups_count - 1) / schedule_setups_count;
	struct fixture fixture = { 0 };
	struct schedule s = { 0 };
	char reason[1024] = "";
	int err = open_fixture(&fixture, kind, &schedule_setups[setup]);

	for (uint64_t i = first; i < last && !err; i++) {
		schedule_generate(&s, setup, options->seed * 1000003 + i);
		err = schedule_compare(&s, fixture.reference, fixture.engine, reason, sizeof(reason), tally);
		if (err == 1)
			report(&fixture, &s, options->seed, i, reason, sizeof(reason));
	}
	close_fixture(&fixture);
	schedule_free(&s);
	return err;
}

/* Returns 1 if a reason hardly occurred. */
static int check_share(const struct schedule_tally *t)
{
	static const enum spin_reason wanted[] = {
		SPIN_REASON_SUCCESS, SPIN_REASON_PROCEEDED,  SPIN_REASON_HEADER_DROPPED, SPIN_REASON_DROPPED,       SPIN_REASON_FAILED,
		SPIN_REASON_SEGV,    SPIN_REASON_BAD_RETURN, SPIN_REASON_PARKED,         SPIN_REASON_DUPLICATE,     SPIN_REASON_MALFORMED,
		SPIN_REASON_NO_ME,   SPIN_REASON_NO_MPQ,     SPIN_REASON_NO_PARKING,     SPIN_REASON_BEYOND_WINDOW,
	};
	const int rare = random_check_reasons(t->reasons, wanted, sizeof(wanted) / sizeof(wanted[0]), t->schedules / 1000);

	printf("; events");
	for (unsigned i = SPIN_EVENT_FAIL; i <= SPIN_EVENT_RAN; i++)
		printf(" %llu", (unsigned long long)t->events[i]);
	putchar('\n');
	return rare;
}

static int run_engine(enum engine_kind kind, const struct random_options *options)
{
	struct schedule_tally tally = { 0 };
	int err = 0;

	for (unsigned i = 0; i < schedule_setups_count && !err; i++)
		if (!options->setup || !strcmp(options->setup, schedule_setups[i].name))
			err = run_setup(kind, i, options, &tally);
	if (err)
		return err;
	printf("%s: %llu schedules, %llu packets, seed %llu:", engine_name(kind), (unsigned long long)tally.schedules,
	       (unsigned long long)tally.packets, (unsigned long long)options->seed);
	if (check_share(&tally) && !options->setup && tally.schedules > 1000) {
		printf("FAIL  some reasons are hardly ever met\n");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct random_test test = {
		.runs = slow_rounds(20000), /* make fuzz: 100,000 */
		.has_setups = 1,
		.leaves_isolated = 1, /* isolated handlers do not support messages */
		.run = run_engine,
	};

	return random_main(argc, argv, &test);
}
