/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the test random_schedules.c, which compares the engines (implementations of TCP segments) with a plain reference. Here a second
 * reference, which gets one rule wrong, takes the engine's place: the schedules that a default run makes must notice the difference. Run by
 * tests/run.
 *
 *	broken_rules_are_noticed [--break RULE] [--seed N] [--print]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/schedules_main.h"
#include "tests/segments/reference_engine.h"
#include "tests/segments/schedule.h"

/* random_schedules.c runs more on each engine. */
#define SCHEDULES    1000
#define SHRINK_TRIES 3000
/* Eight segments are enough for each rule: one more than the ranges, and what shows it. Shrinking finds a minimum by trial. */
#define STEPS_MAX (8 + 4)

struct fixture {
	struct segment_pair pair;
	enum segref_rule breaks;
	unsigned handler;
};

static void close_pair(struct fixture *f)
{
	if (f->pair.engine[0]) {
		engine_close(f->pair.engine[0]);
		engine_close(f->pair.engine[1]);
	}
	f->pair = (struct segment_pair){ 0 };
}

/* New engines for each schedule, so that a shrunk one does not depend on those tried before. */
static int compare(struct fixture *f, const struct segment_schedule *s, char *reason, size_t bytes)
{
	close_pair(f);
	if (segref_engine_open(segment_handlers[s->handler], SEGREF_OBEYS, &f->pair.engine[0]) ||
	    segref_engine_open(segment_handlers[s->handler], f->breaks, &f->pair.engine[1]))
		exit(1);
	return segment_schedule_compare(s, &f->pair, reason, bytes, NULL);
}

static int still_fails(void *arg, const struct segment_schedule *s)
{
	char reason[1024];

	return compare(arg, s, reason, sizeof(reason)) == 1;
}

static const char *rule_name(int rule)
{
	const char *text;

	return segref_rule_name((enum segref_rule)rule, &text);
}

static int break_rule(int rule, uint64_t seed, int print)
{
	struct fixture f = { .breaks = (enum segref_rule)rule };
	struct segment_schedule s = { 0 };
	char reason[1024] = "";
	const char *text, *name = segref_rule_name((enum segref_rule)rule, &text);
	unsigned tried = 0, before;
	int failed = 1;

	while (tried < SCHEDULES) {
		segment_schedule_generate(&s, seed * 1000003 + tried++);
		if (still_fails(&f, &s))
			break;
		s.steps = 0;
	}
	if (!still_fails(&f, &s)) {
		printf("FAIL  %s (%s): nobody notices\n", name, text);
	} else {
		before = s.steps;
		segment_schedule_shrink(&s, still_fails, &f, SHRINK_TRIES);
		failed = compare(&f, &s, reason, sizeof(reason)) != 1 || s.steps > STEPS_MAX;
		printf("%s  %s: schedule %u, %u segments of %u left (%s)\n", failed ? "FAIL" : "ok  ", name, tried, s.steps, before, text);
		if (failed || print) {
			segment_schedule_print(&s, stdout);
			printf("%s\n", reason);
		}
	}
	close_pair(&f);
	segment_schedule_free(&s);
	return failed;
}

int main(int argc, char **argv)
{
	const struct broken_test test = { .rules = SEGREF_RULES_END, .seed = 1, .name = rule_name, .run = break_rule };

	return broken_main(argc, argv, &test);
}
