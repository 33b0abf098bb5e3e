/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generates the packets of one message of a random schedule, and the network faults on them. Called by generate.c. The same seed gives the
 * same packets.
 */
#include "tests/reference/generate.h"
#include "tests/reference/reference.h"

static struct script_ask random_ask(struct maker *m, int no_errors)
{
	/* values that handlers return, valid and invalid (<spin/return.h>); frequent ones stand more than once */
	static const uint8_t header[] = { 1, 9, 4, 12, 5, 13, 21, 29, 2, 3, 4, 12, 5, 13, 21, 29, 0, 6, 7, 10, 11, 14, 17, 20, 200 };
	static const uint8_t payload[] = { 0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 8, 9, 77 };
	static const uint8_t completion[] = { 0, 8, 2, 3, 0, 8, 8, 1, 4, 10, 11, 255 };
	struct script_ask ask = { 0, SPIN_RC_PROCESS_DATA, 0, 0 };

	if (!no_errors && one_in(m, 3))
		ask.payload_rc = payload[below(m, sizeof(payload))];
	if (!no_errors && one_in(m, 2))
		ask.header_rc = header[below(m, sizeof(header))];
	if (!no_errors && one_in(m, 2))
		ask.completion_rc = completion[below(m, sizeof(completion))];
	if (one_in(m, 3))
		ask.what = (uint8_t)below(m, 8);
	return ask;
}

static struct step_put random_put(struct maker *m, uint32_t length)
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

/* Most messages have 1 to 12 packets. One in a schedule may be longer than a replay or than the window. */
static uint32_t packet_count(struct maker *m, int may_be_long)
{
	if (may_be_long && one_in(m, 40))
		return 31 + below(m, 40);
	if (may_be_long && one_in(m, 400))
		return 1000 + below(m, 1200);
	return one_in(m, 4) ? 1 : 1 + below(m, 12);
}

static void make_packets(struct maker *m, struct schedule *queue, uint32_t source, uint32_t id, int may_be_long)
{
	uint32_t packets = packet_count(m, may_be_long), stride, last;
	int window = one_in(m, 2), no_errors = one_in(m, 2);

	stride = packets > 12    ? 1 + below(m, 12)
		 : one_in(m, 10) ? 1 + below(m, 1400)
		 : one_in(m, 3)  ? 1 + below(m, 8)
				 : 4 * (1 + below(m, 12));
	last = one_in(m, 3) ? stride : one_in(m, 8) ? 0 : 1 + below(m, stride);
	for (uint32_t i = 0; i < packets; i++) {
		struct step step = { .kind = STEP_PACKET,
				     .source = source,
				     .message_id = id,
				     .offset = i * stride,
				     .bytes = i + 1 == packets ? last : stride };

		step.flags =
			(uint16_t)((i == 0 || i + 1 == packets || window ? SPIN_SLMP_SYN : 0) | (i + 1 == packets ? SPIN_SLMP_EOM : 0));
		step.ask = random_ask(m, no_errors || packets > 12);
		step.second = random_ask(m, no_errors);
		if (i == 0 && (m->opts->put ? !one_in(m, 3) : one_in(m, 60))) {
			step.flags |= SPIN_SLMP_PUT;
			step.put = random_put(m, (packets - 1) * stride + last);
		}
		step.sum = one_in(m, 12) ? FRAME_SUM_NONE : one_in(m, 12) ? FRAME_SUM_PARTIAL : FRAME_SUM_RIGHT;
		schedule_add(queue, &step);
	}
}

static void move_step(struct schedule *q, unsigned from, unsigned to)
{
	struct step step = q->step[from];

	schedule_remove(q, from, 1);
	schedule_insert(q, to, &step);
}

static void reorder_message(struct maker *m, struct schedule *q)
{
	unsigned last = q->steps - 1, range;

	switch (below(m, 8)) {
	case 0: /* shuffled; long messages within a window */
		range = q->steps > 100 ? 1 + below(m, 1100) : q->steps;
		for (unsigned i = 0; i < q->steps; i++) {
			unsigned with = i + below(m, q->steps - i < range ? q->steps - i : range);
			struct step tmp = q->step[i];

			q->step[i] = q->step[with];
			q->step[with] = tmp;
		}
		break;
	case 1: /* header packet last */
		move_step(q, 0, last);
		break;
	case 2: /* last packet first */
		move_step(q, last, 0);
		break;
	case 3: /* both */
		move_step(q, last, 0);
		move_step(q, last ? 1 : 0, last);
		break;
	case 4: /* reverse order */
		for (unsigned i = 0; i < q->steps; i++)
			move_step(q, last, i);
		break;
	}
}

/* Adds losses and duplicates. */
static void add_faults(struct maker *m, struct schedule *q)
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

void generator_message(struct maker *m, struct schedule *queue, uint32_t source, uint32_t id, int may_be_long)
{
	queue->steps = 0;
	make_packets(m, queue, source, id, may_be_long);
	reorder_message(m, queue);
	add_faults(m, queue);
}

void generator_mutate(struct maker *m, struct step *step)
{
	static const uint32_t distances[] = { 1023, 1024, 1025, 1026, 1027, 2047, 2048, 4096, 70000 };

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
	case 6: /* near the end of the window */
		step->offset += distances[below(m, sizeof(distances) / sizeof(distances[0]))] * (step->bytes < 1400 ? step->bytes : 1);
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
			step->put = random_put(m, step->bytes);
		} else if (one_in(m, 3)) {
			step->put.op = (uint8_t)below(m, 3);
		} else if (one_in(m, 2)) {
			step->put.version = (uint8_t)below(m, 3);
		} else {
			step->put.unused = (uint16_t)(1u << below(m, 16));
		}
	}
}
