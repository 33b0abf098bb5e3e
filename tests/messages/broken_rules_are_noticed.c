/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the test random_schedules.c, which runs random schedules (sequences of packets and times) on an engine (implementation of messages)
 * and on a plain reference, and compares them. Here a second reference takes the engine's place. It gets one rule of the protocol wrong,
 * for example acknowledges a packet that it dropped. The difference must be noticed within 20,000 schedules, and the schedule be reduced to
 * at most two steps more than the rule needs to show. Run by tests/run.
 *
 *	broken_rules_are_noticed [--break RULE] [--seed N] [--print]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/engine_reference.h"
#include "tests/reference/schedule.h"
#include "tests/reference/schedules_main.h"

#define SCHEDULES    20000 /* per setup; the difference must show within these */
#define SHRINK_TRIES 20000
#define SLACK        2 /* extra steps that are allowed: shrinking finds a minimum by trial */

/* The steps that a broken rule needs to show; found by hand to be the minimum. */
/* clang-format off */
static const unsigned steps_needed[REFERENCE_RULES_END] = {
	[REFERENCE_BREAKS_FLOW_CONTROL_ACKNOWLEDGED] = 2,
	[REFERENCE_BREAKS_DUPLICATE_UNACKNOWLEDGED] = 2,
	[REFERENCE_BREAKS_WINDOW] = 2,
	[REFERENCE_BREAKS_TOMBSTONE] = 3,
	[REFERENCE_BREAKS_OTHER_FIRST] = 2,
	[REFERENCE_BREAKS_OTHER_PACKET] = 2,
	[REFERENCE_BREAKS_IDLE] = 2,
	[REFERENCE_BREAKS_DUPLICATE_RENEWS] = 4,
	[REFERENCE_BREAKS_REPLAY_BACKWARDS] = 3,
	[REFERENCE_BREAKS_REPLAY_MAX] = 32,
	[REFERENCE_BREAKS_PENDING_UNLINKS] = 3,
	[REFERENCE_BREAKS_SECOND_ERROR] = 2,
	[REFERENCE_BREAKS_FLOW_CONTROL_FORGOTTEN] = 5,
	[REFERENCE_BREAKS_LAST_ENTRY_FIRST] = 3,
	[REFERENCE_BREAKS_SOURCE] = 3,
	[REFERENCE_BREAKS_MIN_FREE] = 3,
	[REFERENCE_BREAKS_OVERFLOW] = 3,
	[REFERENCE_BREAKS_PLACE_KEPT] = 3,
	[REFERENCE_BREAKS_COMPLETION_AFTER_PROCEED] = 1,
	[REFERENCE_BREAKS_EVICTION_KEEPS_ENTRY] = 4,
	[REFERENCE_BREAKS_SHORT_MIDDLE] = 2,
	[REFERENCE_BREAKS_CUT_OFF] = 2,
	[REFERENCE_BREAKS_REFUSAL] = 3,
	[REFERENCE_BREAKS_REFUSAL_FORGOTTEN] = 5,
	[REFERENCE_BREAKS_EVICTED_FORGOTTEN] = 3,
	[REFERENCE_BREAKS_WAITING_FORGOTTEN] = 3,
	[REFERENCE_BREAKS_EVICTED_UNTOLD] = 3,
	[REFERENCE_BREAKS_PRESSURE] = 5,
	[REFERENCE_BREAKS_QUIET] = 5,
	[REFERENCE_BREAKS_AGE] = 7,
};
/* clang-format on */

struct fixture {
	struct engine *right, *wrong;
};

static int still_fails(void *arg, const struct schedule *s)
{
	struct fixture *fixture = arg;
	char reason[1024];

	return schedule_compare(s, fixture->right, fixture->wrong, reason, sizeof(reason), NULL) == 1;
}

/* Returns 1 if the rule showed on this setup; *s is then the schedule. */
static int find_failing_schedule(struct fixture *fixture, enum reference_rule rule, unsigned setup, uint64_t seed, struct schedule *s)
{
	struct engine_handler handler = { .name = schedule_setups[setup].handler };
	struct engine_context context = { .message = schedule_setups[setup].message };
	char reason[1024];
	int found = 0;

	if (engine_reference_open(&handler, &context, REFERENCE_OBEYS, &fixture->right) ||
	    engine_reference_open(&handler, &context, rule, &fixture->wrong))
		return 0;
	for (uint64_t i = 0; i < SCHEDULES && !found; i++) {
		schedule_generate(s, setup, seed * 1000003 + i);
		found = schedule_compare(s, fixture->right, fixture->wrong, reason, sizeof(reason), NULL) == 1;
	}
	return found;
}

static void close_fixture(struct fixture *fixture)
{
	engine_close(fixture->right);
	engine_close(fixture->wrong);
	*fixture = (struct fixture){ 0 };
}

static const char *rule_name(int rule)
{
	return reference_rule_name((enum reference_rule)rule);
}

static int break_rule(int rule, uint64_t seed, int print)
{
	struct schedule s = { 0 };
	struct fixture fixture = { 0 };
	unsigned setup = 0, before = 0;
	char reason[1024] = "";
	int failed = 1;

	while (setup < schedule_setups_count && !find_failing_schedule(&fixture, (enum reference_rule)rule, setup, seed, &s)) {
		close_fixture(&fixture);
		setup++;
	}
	if (setup == schedule_setups_count) {
		printf("FAIL  %s: nobody notices\n", rule_name(rule));
	} else {
		before = s.steps;
		schedule_shrink(&s, still_fails, &fixture, SHRINK_TRIES);
		failed = schedule_compare(&s, fixture.right, fixture.wrong, reason, sizeof(reason), NULL) != 1 ||
			 s.steps > steps_needed[rule] + SLACK;
		printf("%s  %s: %u steps of %u left, %u needed\n", failed ? "FAIL" : "ok  ", rule_name(rule), s.steps, before,
		       steps_needed[rule]);
		if (failed || print) {
			schedule_print(&s, stdout);
			printf("%s\n", reason);
		}
	}
	close_fixture(&fixture);
	schedule_free(&s);
	return failed;
}

int main(int argc, char **argv)
{
	const struct broken_test test = { .rules = REFERENCE_RULES_END, .seed = 3, .name = rule_name, .run = break_rule };

	return broken_main(argc, argv, &test);
}
