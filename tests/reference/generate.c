/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Random schedules: whole messages, then their order, then what a network does to them. */
#include <string.h>

#include "reference.h"
#include "schedule.h"

#define MESSAGES 6 /* at a time */

struct maker {
	struct schedule_random random;
	struct schedule *schedule;
	const struct spin_message_opts *opts;
	struct schedule queue[MESSAGES]; /* packets of each message, in their order */
};

void schedule_random_start(struct schedule_random *r, uint64_t seed)
{
	r->state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	r->state ^= r->state >> 29;
	if (!r->state)
		r->state = 1;
}

uint32_t schedule_random_below(struct schedule_random *r, uint32_t n)
{
	/* xorshift64* */
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return (uint32_t)((r->state * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

static uint32_t below(struct maker *m, uint32_t n)
{
	return schedule_random_below(&m->random, n);
}

static int one_in(struct maker *m, uint32_t n)
{
	return !below(m, n);
}

static uint32_t idle_ms(const struct maker *m)
{
	return m->opts->idle_ms ? m->opts->idle_ms : SPIN_IDLE_MS;
}

static uint32_t tombstone_ms(const struct maker *m)
{
	return m->opts->tombstone_ms ? m->opts->tombstone_ms : SPIN_TOMBSTONE_MS;
}

static struct script_ask some_ask(struct maker *m, int calm)
{
	static const uint8_t header[] = { 1, 9, 4, 12, 5, 13, 2, 3, 4, 12, 5, 13, 0, 6, 7, 10, 11, 14, 200 };
	static const uint8_t payload[] = { 0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 8, 9, 77 };
	static const uint8_t completion[] = { 0, 8, 2, 3, 0, 8, 8, 1, 4, 10, 11, 255 };
	struct script_ask ask = { 0, SPIN_RC_PROCESS_DATA, 0, 0 };

	if (!calm && one_in(m, 3))
		ask.payload_rc = payload[below(m, sizeof(payload))];
	if (!calm && one_in(m, 2))
		ask.header_rc = header[below(m, sizeof(header))];
	if (!calm && one_in(m, 2))
		ask.completion_rc = completion[below(m, sizeof(completion))];
	if (one_in(m, 3))
		ask.what = (uint8_t)below(m, 8);
	return ask;
}

static struct step_put some_put(struct maker *m, uint32_t length)
{
	struct step_put put = { .op = SPIN_SLMP_OP_PUT, .version = SPIN_SLMP_VERSION, .length = length };

	put.match_bits = one_in(m, 2) ? below(m, 4) : one_in(m, 4) ? (uint64_t)below(m, 2) << 63 | below(m, 4) : 0;
	put.hdr_data = one_in(m, 2) ? (uint64_t)below(m, 65536) << 40 | below(m, 65536) : 0;
	switch (below(m, 8)) {
	case 0:
		put.offset = below(m, (uint32_t)m->opts->host_bytes + 8);
		break;
	case 1:
		put.offset = 0xfffffff0ull + below(m, 32);
		break;
	case 2:
		put.offset = (uint64_t)below(m, 3) << 32 | below(m, 64);
		break;
	case 3:
	case 4:
		put.offset = below(m, 64);
	}
	if (one_in(m, 10))
		put.length = below(m, 100000);
	else if (one_in(m, 4))
		put.length = SPIN_LENGTH_UNKNOWN;
	return put;
}

/* Most messages are of 1 to 12 packets; one in a schedule may be longer than a replay, or than the window. */
static uint32_t packet_count(struct maker *m, int may_be_long)
{
	if (may_be_long && one_in(m, 40))
		return 31 + below(m, 40);
	if (may_be_long && one_in(m, 400))
		return 1000 + below(m, 1200);
	return one_in(m, 4) ? 1 : 1 + below(m, 12);
}

static void make_message(struct maker *m, struct schedule *queue, uint32_t source, uint32_t id, int may_be_long)
{
	uint32_t packets = packet_count(m, may_be_long), stride, last;
	int window = one_in(m, 2), calm = one_in(m, 2);

	stride = packets > 12 ? 1 + below(m, 12) : one_in(m, 10) ? 1 + below(m, 1400) : one_in(m, 3) ? 1 + below(m, 8) :
		 4 * (1 + below(m, 12));
	last = one_in(m, 3) ? stride : one_in(m, 8) ? 0 : 1 + below(m, stride);
	for (uint32_t i = 0; i < packets; i++) {
		struct step step = { .kind = STEP_PACKET, .source = source, .message_id = id, .offset = i * stride,
				     .bytes = i + 1 == packets ? last : stride };

		step.flags = (uint16_t)((i == 0 || i + 1 == packets || window ? SPIN_SLMP_SYN : 0) |
					(i + 1 == packets ? SPIN_SLMP_EOM : 0));
		step.ask = some_ask(m, calm || packets > 12);
		step.second = some_ask(m, calm);
		if (i == 0 && (m->opts->put ? !one_in(m, 3) : one_in(m, 60))) {
			step.flags |= SPIN_SLMP_PUT;
			step.put = some_put(m, (packets - 1) * stride + last);
		}
		step.sum = one_in(m, 12) ? FRAME_SUM_NONE : one_in(m, 12) ? FRAME_SUM_PARTIAL : FRAME_SUM_RIGHT;
		schedule_add(queue, &step);
	}
}

static void move(struct schedule *q, unsigned from, unsigned to)
{
	struct step step = q->step[from];

	schedule_remove(q, from, 1);
	schedule_insert(q, to, &step);
}

static void order_message(struct maker *m, struct schedule *q)
{
	unsigned last = q->steps - 1, near;

	switch (below(m, 8)) {
	case 0: /* shuffled; long ones within a window */
		near = q->steps > 100 ? 1 + below(m, 1100) : q->steps;
		for (unsigned i = 0; i < q->steps; i++) {
			unsigned with = i + below(m, q->steps - i < near ? q->steps - i : near);
			struct step was = q->step[i];

			q->step[i] = q->step[with];
			q->step[with] = was;
		}
		break;
	case 1: /* header last */
		move(q, 0, last);
		break;
	case 2: /* end of message first */
		move(q, last, 0);
		break;
	case 3: /* both */
		move(q, last, 0);
		move(q, last ? 1 : 0, last);
		break;
	case 4: /* backwards */
		for (unsigned i = 0; i < q->steps; i++)
			move(q, last, i);
		break;
	}
}

/* Losses and duplicates. */
static void harm_message(struct maker *m, struct schedule *q)
{
	if (one_in(m, 3)) {
		uint32_t loss = 2 + below(m, 12);

		for (unsigned i = 0; i < q->steps; i++)
			if (one_in(m, loss))
				schedule_remove(q, i--, 1);
	}
	if (q->steps && one_in(m, 2)) {
		for (unsigned n = 1 + below(m, q->steps < 12 ? q->steps : 12); n; n--)
			schedule_insert(q, below(m, q->steps + 1), &q->step[below(m, q->steps)]);
	}
}

/* Something that its sender would not have sent. */
static void mutate(struct maker *m, struct step *step)
{
	static const uint32_t far[] = { 1023, 1024, 1025, 1026, 1027, 2047, 2048, 4096, 70000 };

	switch (below(m, 12)) {
	case 0:
		step->flags ^= (uint16_t)(1u << below(m, 16));
		break;
	case 1:
		step->flags ^= SPIN_SLMP_EOM;
		break;
	case 2:
		step->flags ^= SPIN_SLMP_SYN;
		break;
	case 3:
		step->offset += below(m, 2) ? 1 : step->bytes;
		break;
	case 4:
		step->offset = below(m, 2) ? 0xffffffffu - below(m, 40) : below(m, 64) * step->bytes;
		break;
	case 5:
	case 6: /* about the window's end */
		step->offset += far[below(m, sizeof(far) / sizeof(far[0]))] * (step->bytes < 1400 ? step->bytes : 1);
		break;
	case 7:
		step->bytes = below(m, 2) ? step->bytes / 2 : step->bytes + 1 + below(m, 4);
		break;
	case 8:
		step->bytes = 0;
		break;
	case 9:
		step->cut = 1 + below(m, step->bytes + 60);
		break;
	case 10:
		step->message_id ^= 1;
		break;
	default:
		if (!(step->flags & SPIN_SLMP_PUT)) {
			step->flags |= SPIN_SLMP_PUT;
			step->put = some_put(m, step->bytes);
		} else if (one_in(m, 3)) {
			step->put.op = (uint8_t)below(m, 3);
		} else if (one_in(m, 2)) {
			step->put.version = (uint8_t)below(m, 3);
		} else {
			step->put.unused = (uint16_t)(1u << below(m, 16));
		}
	}
}

static void add_clock(struct maker *m, uint32_t advance_ms)
{
	schedule_add(m->schedule, &(struct step){ .kind = STEP_CLOCK, .advance_ms = advance_ms });
}

static void pass_time(struct maker *m)
{
	static const uint32_t parts[] = { 0, 1, 2, 10 };
	uint32_t limit = one_in(m, 2) ? idle_ms(m) : tombstone_ms(m);

	switch (below(m, 6)) {
	case 0: /* exactly at, and one more */
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
	default:
		add_clock(m, parts[below(m, 4)]);
	}
}

static void post(struct maker *m)
{
	struct step step = { .kind = STEP_POST, .me = { .bytes = sizeof(step.me) } };
	uint32_t host_bytes = (uint32_t)m->opts->host_bytes;

	step.me.match_bits = one_in(m, 2) ? 0 : below(m, 4);
	step.me.ignore_bits = one_in(m, 2) ? ~0ull : one_in(m, 2) ? below(m, 4) : one_in(m, 2) ? 1ull << 63 : 0;
	step.me.options = one_in(m, 3) ? 0 : SPIN_ME_USE_ONCE;
	step.me.start = one_in(m, 2) ? 0 : below(m, host_bytes);
	step.me.length = 1 + below(m, one_in(m, 3) ? 100 : one_in(m, 30) ? host_bytes + 200 : host_bytes - step.me.start);
	schedule_add(m->schedule, &step);
}

static void something_else(struct maker *m)
{
	switch (below(m, 4)) {
	case 0:
		post(m);
		break;
	case 1:
		schedule_add(m->schedule, &(struct step){ .kind = STEP_UNLINK, .index = below(m, 4) });
		break;
	default:
		pass_time(m);
	}
}

/* Takes the queues' packets one by one, from one of them at a time, or in runs. */
static void interleave(struct maker *m, unsigned queues)
{
	unsigned at[MESSAGES] = { 0 }, left = 0, run = 0, from = 0;
	uint32_t disturbance = one_in(m, 3) ? 4 : 20, mutations = one_in(m, 3) ? 0 : one_in(m, 3) ? 6 : 40;

	for (unsigned i = 0; i < queues; i++)
		left += m->queue[i].steps;
	if (left > 100)
		disturbance = left;
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
		if (mutations && one_in(m, mutations)) {
			struct step good = step;

			mutate(m, &step);
			if (one_in(m, 2)) /* the right one comes, too */
				schedule_add(m->schedule, &good);
		}
		schedule_add(m->schedule, &step);
		if (one_in(m, disturbance))
			something_else(m);
	}
}

void schedule_generate(struct schedule *s, unsigned setup, uint64_t seed)
{
	struct maker m = { .schedule = s, .opts = &schedule_setups[setup].message };
	unsigned rounds, keys;

	schedule_random_start(&m.random, seed * 64 + setup);
	s->setup = setup;
	s->steps = 0;
	keys = 1 + below(&m, 4);
	rounds = 1 + (unsigned)one_in(&m, 3) + (unsigned)one_in(&m, 6);
	for (unsigned i = m.opts->no_entry ? below(&m, 5) : one_in(&m, 4) ? 1 + below(&m, 3) : 0; i; i--)
		post(&m);
	if (!m.opts->no_entry && one_in(&m, 5))
		schedule_add(s, &(struct step){ .kind = STEP_UNLINK, .index = 0 });
	while (rounds--) {
		unsigned queues = 1 + below(&m, one_in(&m, 2) ? 2 : MESSAGES);

		for (unsigned i = 0; i < queues; i++) {
			m.queue[i].steps = 0;
			make_message(&m, &m.queue[i], below(&m, SCHEDULE_SOURCES), below(&m, keys), i == 0);
			order_message(&m, &m.queue[i]);
			harm_message(&m, &m.queue[i]);
		}
		interleave(&m, queues);
		if (one_in(&m, 2))
			pass_time(&m);
	}
	if (one_in(&m, 4)) /* what is still open ends */
		add_clock(&m, idle_ms(&m) + 1);
	for (unsigned i = 0; i < MESSAGES; i++)
		schedule_free(&m.queue[i]);
}
