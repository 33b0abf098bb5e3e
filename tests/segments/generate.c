/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generates random schedules (lists) of TCP segments (schedule.h). Called by the tests of this directory. A schedule is traffic as a
 * network makes it of a stream (cut, lost, duplicated, reordered, sent again with other boundaries), or hostile, or some of both. A hostile
 * segment has a sequence number at a limit where what becomes of it changes: a gap, the FIN, the end of what is accepted. The generator
 * finds these limits by running its segments on a reference of its own.
 */
#include <stdlib.h>
#include <string.h>

#include <spin/return.h>
#include <spin/wire.h>

#include "tests/common/random.h"
#include "tests/handlers/segments/seg_random.h"
#include "tests/segments/schedule.h"

#define PAYLOAD_MAX 8900u /* with all headers and options not longer than SPIN_IP_BYTES_MAX */

/* What one connection sends. */
struct stream {
	uint32_t isn, bytes, mss;
	int begun; /* hostile: a first segment has been made */
};

struct maker {
	struct segment_schedule *s;
	uint64_t random;
	struct stream stream[SEGMENT_CONNECTIONS_MAX];
	unsigned asks, shapes; /* one in so many segments has them; 0: none */
	struct segref reference;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return random_below(&m->random, n);
}

static int one_in(struct maker *m, uint32_t n)
{
	return n && below(m, n) == 0;
}

/* --- what a segment has in addition to its numbers --- */

static uint8_t pick_header_rc(struct maker *m)
{
	static const uint8_t codes[] = { 1, 1, 2, 3, 5, 5, 5, 7, 9, 12, 13, 21, 21, 21, 29, 0, 6, 8, 10, 15, 16, 17, 20, 63 };

	return codes[below(m, sizeof(codes))] ^ SPIN_RC_PROCESS_DATA;
}

static void add_asks(struct maker *m, struct segment_step *step)
{
	if (one_in(m, m->asks))
		step->payload = (uint8_t)(one_in(m, 2) ? SEG_DROP : below(m, 8));
	if (one_in(m, 3))
		step->payload |= SEG_REWRITES;
}

static void add_shape(struct maker *m, struct segment_step *step)
{
	if (!one_in(m, m->shapes))
		return;
	step->shape.tags = (uint8_t)(one_in(m, 3) ? below(m, 3) : 0);
	step->shape.ip_options = (uint8_t)(one_in(m, 3) ? below(m, 11) : 0);
	step->shape.options = (uint8_t)(one_in(m, 2) ? below(m, 11) : 0);
	step->shape.padding = (uint8_t)(one_in(m, 3) ? below(m, 20) : 0);
	if (one_in(m, 3))
		step->shape.sum = (uint8_t)below(m, SEGFRAME_SUMS);
}

static struct segment_step segment(struct maker *m, unsigned connection, uint32_t seq, uint32_t bytes, uint8_t flags)
{
	struct segment_step step = { .connection = (uint8_t)connection, .flags = flags, .seq = seq, .bytes = bytes };

	add_asks(m, &step);
	add_shape(m, &step);
	return step;
}

/* --- a network's traffic --- */

struct sent {
	struct segment_step step;
	uint32_t at; /* time of arrival */
};

struct network {
	struct sent *sent;
	unsigned count, room;
	uint32_t jitter, again; /* the latest that a segment arrives too late, or is sent again */
	unsigned loss, doubling, recut;
};

static void send(struct maker *m, struct network *n, uint32_t at, const struct segment_step *step)
{
	if (n->count == n->room) {
		n->room = n->room ? 2 * n->room : 64;
		n->sent = realloc(n->sent, n->room * sizeof(*n->sent));
		if (!n->sent)
			abort();
	}
	n->sent[n->count++] = (struct sent){ *step, at + below(m, n->jitter + 1) };
}

/* Sends what may be lost, with other verdicts if it is sent again. */
static void transmit(struct maker *m, struct network *n, uint32_t at, struct segment_step step)
{
	if (!one_in(m, n->loss))
		send(m, n, at, &step);
	while (one_in(m, n->doubling)) {
		step.payload = 0;
		add_asks(m, &step);
		send(m, n, at + below(m, n->again), &step);
	}
}

/* Sends a part of the stream again, from and to anywhere. */
static void send_again(struct maker *m, struct network *n, unsigned connection, uint32_t at)
{
	const struct stream *stream = &m->stream[connection];
	uint32_t from = below(m, stream->bytes + 1), most = stream->bytes - from, bytes;
	uint8_t flags = SPIN_TCP_ACK;
	struct segment_step step;

	if (most > 3 * stream->mss)
		most = 3 * stream->mss;
	if (most > PAYLOAD_MAX)
		most = PAYLOAD_MAX;
	bytes = below(m, most + 1);
	if (from + bytes == stream->bytes && one_in(m, 2))
		flags |= SPIN_TCP_FIN;
	step = segment(m, connection, stream->isn + 1 + from, bytes, flags);
	send(m, n, at + below(m, n->again), &step);
}

/* A segment that the stream does not have. */
static void send_noise(struct maker *m, struct network *n, unsigned connection, uint32_t at)
{
	const struct stream *stream = &m->stream[connection];
	uint32_t seq = stream->isn + 1 + below(m, stream->bytes + 1);
	struct segment_step step;

	switch (below(m, 6)) {
	case 0: /* keepalive, or a probe of a closed window */
		step = segment(m, connection, seq - 1, below(m, 2), SPIN_TCP_ACK);
		break;
	case 1:
		step = segment(m, connection, seq, below(m, 3), SPIN_TCP_ACK | SPIN_TCP_FIN);
		break;
	case 2:
		step = segment(m, connection, one_in(m, 2) ? stream->isn + 1 + stream->bytes : seq, 0, SPIN_TCP_RST);
		break;
	case 3:
		step = segment(m, connection, stream->isn + (one_in(m, 2) ? 0 : below(m, 0x10000)), one_in(m, 3) ? below(m, 20) : 0,
			       SPIN_TCP_SYN);
		break;
	case 4:
		step = segment(m, connection, (uint32_t)random_next(&m->random), below(m, 20), SPIN_TCP_ACK);
		break;
	default: /* after the end */
		step = segment(m, connection, stream->isn + 1 + stream->bytes + below(m, 5), below(m, 20), SPIN_TCP_ACK | below(m, 2));
	}
	send(m, n, at, &step);
}

static void send_stream(struct maker *m, struct network *n, unsigned connection, unsigned noise)
{
	const struct stream *stream = &m->stream[connection];
	int random_cuts = one_in(m, 2), has_syn = !one_in(m, 6), fin_alone = one_in(m, 2), aborts = one_in(m, 8);
	uint32_t at = below(m, 30), end = stream->isn + 1 + stream->bytes;
	uint32_t syn_bytes = stream->bytes < stream->mss ? stream->bytes : stream->mss;
	struct segment_step step;

	if (has_syn) {
		step = segment(m, connection, stream->isn, one_in(m, 10) ? below(m, syn_bytes + 1) : 0, SPIN_TCP_SYN);
		if (one_in(m, 4))
			step.header_rc = pick_header_rc(m);
		transmit(m, n, at, step);
	}
	for (uint32_t from = 0; from < stream->bytes;) {
		uint32_t most = stream->bytes - from < stream->mss ? stream->bytes - from : stream->mss;
		uint32_t bytes = random_cuts ? 1 + below(m, most) : most;
		int last = from + bytes == stream->bytes && !fin_alone && !aborts;

		at += 10;
		step = segment(m, connection, stream->isn + 1 + from, bytes, SPIN_TCP_ACK | (last ? SPIN_TCP_FIN : 0));
		if (!has_syn && !from && one_in(m, 4))
			step.header_rc = pick_header_rc(m);
		transmit(m, n, at, step);
		if (one_in(m, n->loss) || one_in(m, n->doubling)) /* a timeout */
			transmit(m, n, at + n->again, step);
		if (one_in(m, n->recut))
			send_again(m, n, connection, at);
		if (one_in(m, noise))
			send_noise(m, n, connection, at);
		from += bytes;
	}
	if (fin_alone || aborts || !stream->bytes) {
		step = segment(m, connection, end, 0, aborts ? SPIN_TCP_RST | SPIN_TCP_ACK : SPIN_TCP_FIN | SPIN_TCP_ACK);
		transmit(m, n, at + 10, step);
	}
	if (one_in(m, 3))
		send_noise(m, n, connection, at + n->again);
}

static int by_time(const void *a, const void *b)
{
	const struct sent *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->step.connection - y->step.connection;
}

static void make_network_traffic(struct maker *m)
{
	static const uint32_t jitters[] = { 0, 0, 5, 15, 40, 200 };
	struct network n = { .jitter = jitters[below(m, 6)] };
	unsigned noise = one_in(m, 2) ? 4 + below(m, 10) : 0;

	n.again = 20 + below(m, 200);
	n.loss = one_in(m, 2) ? 3 + below(m, 20) : 0;
	n.doubling = one_in(m, 2) ? 3 + below(m, 10) : 0;
	n.recut = one_in(m, 2) ? 1 + below(m, 6) : 0;
	for (unsigned i = 0; i < m->s->connections; i++)
		send_stream(m, &n, i, noise);
	if (n.count)
		qsort(n.sent, n.count, sizeof(*n.sent), by_time);
	for (unsigned i = 0; i < n.count; i++)
		segment_schedule_add(m->s, &n.sent[i].step);
	free(n.sent);
}

/* --- hostile segments --- */

/* Returns a sequence number at a limit beyond which the reference decides differently. */
static uint32_t pick_number(struct maker *m, const struct segref_connection *c, const struct stream *stream)
{
	const struct segref_range *range;

	if (!c)
		return stream->isn + below(m, 3);
	range = &c->range[below(m, c->ranges)];
	switch (below(m, 12)) {
	case 0:
		return segref_first(c) - below(m, 3);
	case 1:
		return (uint32_t)range->from;
	case 2:
		return (uint32_t)range->to;
	case 3:
		return c->has_fin ? (uint32_t)c->fin : segref_next(c) + below(m, 30);
	case 4:
		return segref_next(c) + SPIN_SEGMENT_REACH;
	case 5:
		return segref_next(c) - SPIN_SEGMENT_REACH;
	case 6:
		return segref_next(c) + (1u << 31);
	case 7:
		return segref_first(c) + SPIN_SEGMENT_REACH;
	case 8:
	case 9:
		return segref_next(c) + below(m, 60);
	default:
		return segref_next(c);
	}
}

static struct segment_step hostile_segment(struct maker *m, unsigned connection, const struct segref_connection *c)
{
	static const uint32_t lengths[] = { 0, 0, 1, 1, 2, 3, 8, 100 };
	struct stream *stream = &m->stream[connection];
	uint32_t bytes = lengths[below(m, 8)], seq = pick_number(m, c, stream);
	uint8_t flags = one_in(m, 2) ? SPIN_TCP_ACK : 0;
	struct segment_step step;

	if (bytes > 1)
		bytes = 1 + below(m, bytes);
	if (one_in(m, 3))
		seq += below(m, 5) - 2;
	if (one_in(m, 3)) /* the number is the segment's end */
		seq -= bytes;
	if (one_in(m, 6))
		flags |= SPIN_TCP_FIN;
	if (one_in(m, 12))
		flags |= SPIN_TCP_RST;
	if (one_in(m, flags & SPIN_TCP_RST ? 4 : 12) || (!stream->begun && !one_in(m, 4))) {
		flags |= SPIN_TCP_SYN;
		seq--;
	}
	if (one_in(m, 10))
		flags |= SPIN_TCP_PSH;
	stream->begun = 1;
	if (c && c->has_fin && one_in(m, 5)) { /* another FIN */
		bytes = below(m, 3);
		seq = segref_next(c) + (one_in(m, 2) ? SPIN_SEGMENT_REACH + below(m, 2) : below(m, 40)) - bytes;
		flags = SPIN_TCP_FIN;
	}
	step = segment(m, connection, seq, bytes, flags);
	if (one_in(m, 5))
		step.header_rc = pick_header_rc(m);
	return step;
}

static uint32_t plain_header(void *arg, const struct segref_segment *s)
{
	(void)arg;
	return s->dscp ^ SPIN_RC_PROCESS_DATA;
}

/* Only success and drop matter to the numbers. */
static uint32_t plain_payload(void *arg, const struct segref_segment *s, uint32_t offset)
{
	(void)arg;
	(void)offset;
	return s->ttl & 7;
}

static const struct segref_connection *find(const struct maker *m, unsigned connection)
{
	const struct segment_step step = { .connection = (uint8_t)connection };
	struct segref_segment s;

	segment_of_step(m->s, &step, 0, &s);
	return segref_find(&m->reference, &s.key);
}

static void follow(struct maker *m, const struct segment_step *step)
{
	struct segref_result result;
	struct segref_segment s;

	segment_of_step(m->s, step, 0, &s);
	segref_handle(&m->reference, &s, &result);
}

static void add_and_follow(struct maker *m, struct segment_step step)
{
	segment_schedule_add(m->s, &step);
	follow(m, &step);
}

/* Sends what is missing up to the FIN, with a FIN if none is known. */
static void fill_gaps(struct maker *m, unsigned connection, const struct segref_connection *c)
{
	while (c->phase == SEGREF_OPEN && (c->ranges > 1 || c->has_fin)) {
		int64_t missing = (c->ranges > 1 ? c->range[1].from : c->fin) - c->range[0].to;
		uint32_t before = segref_next(c);

		if (missing <= 0 || missing > 2000)
			return;
		add_and_follow(m, segment(m, connection, before, (uint32_t)missing, SPIN_TCP_ACK));
		if (before == segref_next(c))
			return; /* dropped */
	}
	if (c->phase == SEGREF_OPEN)
		add_and_follow(m, segment(m, connection, segref_next(c), below(m, 2), SPIN_TCP_ACK | SPIN_TCP_FIN));
}

/* Ends connections, so that their completion handlers tell what has come before. */
static void end_connections(struct maker *m)
{
	for (unsigned i = 0; i < m->s->connections; i++) {
		const struct segref_connection *c = find(m, i);

		if (!c || c->phase != SEGREF_OPEN || one_in(m, 4))
			continue;
		if (c->has_fin && one_in(m, 3)) /* a FIN out of reach */
			add_and_follow(m, segment(m, i, segref_next(c) + SPIN_SEGMENT_REACH + 1 + below(m, 2), 0, SPIN_TCP_FIN));
		if (one_in(m, 2))
			fill_gaps(m, i, c);
		else
			add_and_follow(m, segment(m, i, segref_next(c), 0, SPIN_TCP_RST));
	}
}

static void make_hostile(struct maker *m, unsigned count)
{
	while (count--) {
		unsigned connection = below(m, m->s->connections);

		add_and_follow(m, hostile_segment(m, connection, find(m, connection)));
	}
}

/* --- a schedule --- */

static void pick_stream(struct maker *m, struct stream *stream)
{
	static const uint32_t sizes[] = { 1, 2, 5, 20, 100, 536, 1460, 1460 };

	stream->mss = one_in(m, 40) ? PAYLOAD_MAX : sizes[below(m, 8)];
	stream->bytes = one_in(m, 12) ? 0 : 1 + below(m, 12 * stream->mss);
	switch (below(m, 4)) {
	case 0:
		stream->isn = 0 - below(m, stream->bytes + 2); /* wraps in the stream, or before it */
		break;
	case 1:
		stream->isn = (1u << 31) - below(m, stream->bytes + 2);
		break;
	default:
		stream->isn = (uint32_t)random_next(&m->random);
	}
}

void segment_schedule_generate(struct segment_schedule *s, uint64_t seed)
{
	const struct segref_handlers handlers = { .header = plain_header, .payload = plain_payload };
	struct maker m = { .s = s, .random = seed };

	s->steps = 0;
	s->handler = one_in(&m, 3) ? 1 + below(&m, SEGMENT_HANDLERS - 1) : 0;
	s->fresh = one_in(&m, 8);
	s->connections = 1 + (one_in(&m, 2) ? below(&m, SEGMENT_CONNECTIONS_MAX) : 0);
	for (unsigned i = 0; i < s->connections; i++) {
		s->connection[i].slot = (uint8_t)below(&m, SEGMENT_SLOTS);
		s->connection[i].ask = (uint8_t)(one_in(&m, 2) ? below(&m, 8) : SEG_SUCCESS);
		pick_stream(&m, &m.stream[i]);
		/* near the other's numbers, so that a key too wide is noticed */
		if (i && one_in(&m, 2))
			m.stream[i] = m.stream[0];
	}
	m.asks = one_in(&m, 2) ? 3 + below(&m, 20) : 0;
	m.shapes = one_in(&m, 2) ? 1 + below(&m, 10) : 0;
	if (!one_in(&m, 3))
		make_network_traffic(&m);
	segref_start(&m.reference, &handlers, SEGREF_OBEYS);
	for (unsigned i = 0; i < s->steps; i++)
		follow(&m, &s->step[i]);
	if (one_in(&m, 2) || !s->steps)
		make_hostile(&m, 1 + below(&m, 40));
	end_connections(&m);
	segref_stop(&m.reference);
}
