/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generates random schedules (packets, clock steps and calls) for contexts that take messages: complete messages first, then their order,
 * then network faults. Called by the tests of random schedules in tests/messages. The same seed gives the same schedule.
 */
#include "tests/reference/generate.h"
#include "tests/reference/reference.h"

static uint32_t idle_ms(const struct maker *m)
{
	return m->opts->idle_ms ? m->opts->idle_ms : SPIN_IDLE_MS;
}

static uint32_t tombstone_ms(const struct maker *m)
{
	return m->opts->tombstone_ms ? m->opts->tombstone_ms : SPIN_TOMBSTONE_MS;
}

static void add_clock(struct maker *m, uint32_t advance_ms)
{
	schedule_add(m->schedule, &(struct step){ .kind = STEP_CLOCK, .advance_ms = advance_ms });
}

static void advance_clock(struct maker *m)
{
	static const uint32_t delays_ms[] = { 0, 1, 2, 10 };
	uint32_t limit = one_in(m, 2) ? idle_ms(m) : tombstone_ms(m);

	switch (below(m, 6)) {
	case 0: /* exactly at the limit, and one ms later */
		add_clock(m, limit);
		if (one_in(m, 2))
			add_clock(m, 1);
		break;
	case 1:
		add_clock(m, limit + 1);
		break;
	case 2:
		add_clock(m, limit - 1);
		break;
	case 3:
		add_clock(m, below(m, 2 * limit));
		break;
	case 4: /* until quiet messages may be evicted */
		add_clock(m, idle_ms(m) / (one_in(m, 4) ? 4 : 16) + below(m, 2));
		break;
	default:
		add_clock(m, delays_ms[below(m, 4)]);
	}
}

static void add_post(struct maker *m)
{
	struct step step = { .kind = STEP_POST, .me = { .bytes = sizeof(step.me) } };
	uint32_t host_bytes = (uint32_t)m->opts->host_bytes;

	step.me.match_bits = one_in(m, 2) ? 0 : below(m, 4);
	step.me.ignore_bits = one_in(m, 2) ? ~0ull : one_in(m, 2) ? below(m, 4) : one_in(m, 2) ? 1ull << 63 : 0;
	step.me.options = (one_in(m, 3) ? 0 : SPIN_ME_USE_ONCE) | (one_in(m, 3) ? SPIN_ME_NO_TRUNCATE : 0);
	step.me.start = one_in(m, 2) ? 0 : below(m, host_bytes);
	step.me.length = 1 + below(m, one_in(m, 3) ? 100 : one_in(m, 30) ? host_bytes + 200 : host_bytes - step.me.start);
	if (one_in(m, 3)) {
		step.me.options |= SPIN_ME_MANAGE_LOCAL;
		step.me.min_free = one_in(m, 3) ? 0 : below(m, one_in(m, 2) ? 40 : step.me.length + 1);
	}
	if (one_in(m, 4))
		step.me.options |= SPIN_ME_OVERFLOW;
	if (one_in(m, 4))
		step_source(below(m, SCHEDULE_SOURCES), !one_in(m, 3), &step.me.source);
	schedule_add(m->schedule, &step);
}

static void add_other_step(struct maker *m)
{
	switch (below(m, 4)) {
	case 0:
		add_post(m);
		break;
	case 1:
		schedule_add(m->schedule, &(struct step){ .kind = STEP_UNLINK, .index = below(m, 4) });
		break;
	default:
		advance_clock(m);
	}
}

/* Takes the queues' packets in random order, singly or in runs. */
static void interleave(struct maker *m, unsigned queues)
{
	unsigned at[GENERATOR_MESSAGES] = { 0 }, left = 0, run = 0, from = 0;
	/* one packet in N is followed by another step, or is mutated; mutated 0: none */
	uint32_t other_steps = one_in(m, 3) ? 4 : 20, mutated = one_in(m, 3) ? 0 : one_in(m, 3) ? 6 : 40;

	for (unsigned i = 0; i < queues; i++)
		left += m->queue[i].steps;
	if (left > 100)
		other_steps = left;
	while (left) {
		struct step step;

		if (!run || at[from] == m->queue[from].steps) {
			run = one_in(m, 3) ? 1 + below(m, 12) : 1;
			from = below(m, queues);
			continue;
		}
		step = m->queue[from].step[at[from]++];
		run--;
		left--;
		if (mutated && one_in(m, mutated)) {
			struct step good = step;

			generator_mutate(m, &step);
			if (one_in(m, 2)) /* followed by the correct packet */
				schedule_add(m->schedule, &good);
		}
		schedule_add(m->schedule, &step);
		if (one_in(m, other_steps))
			add_other_step(m);
	}
}

void schedule_generate(struct schedule *s, unsigned setup, uint64_t seed)
{
	struct maker m = { .schedule = s, .opts = &schedule_setups[setup].message };
	unsigned rounds, keys;

	m.random = seed * 64 + setup;
	s->setup = setup;
	s->steps = 0;
	keys = 1 + below(&m, 4);
	rounds = 1 + (unsigned)one_in(&m, 3) + (unsigned)one_in(&m, 6);
	for (unsigned i = m.opts->no_entry ? below(&m, 5) : one_in(&m, 4) ? 1 + below(&m, 3) : 0; i; i--)
		add_post(&m);
	if (!m.opts->no_entry && one_in(&m, 5))
		schedule_add(s, &(struct step){ .kind = STEP_UNLINK, .index = 0 });
	while (rounds--) {
		unsigned queues = 1 + below(&m, one_in(&m, 2) ? 2 : GENERATOR_MESSAGES);

		for (unsigned i = 0; i < queues; i++) {
			uint32_t source = below(&m, SCHEDULE_SOURCES);

			generator_message(&m, &m.queue[i], source, below(&m, keys), i == 0);
		}
		interleave(&m, queues);
		if (one_in(&m, 2))
			advance_clock(&m);
	}
	if (one_in(&m, 4)) /* ends the messages that are still open */
		add_clock(&m, idle_ms(&m) + 1);
	for (unsigned i = 0; i < GENERATOR_MESSAGES; i++)
		schedule_free(&m.queue[i]);
}
