/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what <spin/segment.h> guarantees of whole streams, on every engine: segments are cut, ordered and repeated at random. When the
 * completion handler runs, which it does once, with the stream's length, handlers must have seen each byte with its right value; and the
 * host must get every byte. Two senders transmit what the host has not got, until it has all. Run by tests/run.
 *
 *	stream_is_cut_anyhow [--engine host|bpf|isolated|model]
 */
#include <stdio.h>
#include <string.h>

#include <spin/libspin.h>
#include <spin/wire.h>

#include "tests/common/each_engine.h"
#include "tests/common/net/slow.h"
#include "tests/common/random.h"
#include "tests/handlers/segments/seg_stream.h"
#include "tests/segments/frame.h"
#include "tests/segments/reference_engine.h"

#define ROUNDS       200
#define SEGMENTS_MAX 20000 /* of one round: far more than needed */

/* A stream from its sender, and what the host has got of it. */
struct sender {
	struct segref_key key;
	uint32_t isn, bytes, longest; /* longest: segment */
	uint8_t byte[SEG_STREAM_BYTES];
	uint8_t got[SEG_STREAM_BYTES];
	uint32_t missing; /* bytes that the host has not got */
	int got_fin, completed;
	/* what the completion handler must be told */
	uint32_t dropped_bytes;
	int flow_control;
};

struct test {
	enum engine_kind kind;
	struct engine *engine;
	uint64_t random;
	unsigned round, loss, drops, repeats; /* one in so many; 0: none */
	struct sender sender[2];
	struct seg_streams state;
};

static uint32_t below(struct test *t, uint32_t n)
{
	return random_below(&t->random, n);
}

static int one_in(struct test *t, uint32_t n)
{
	return n && below(t, n) == 0;
}

#define FAIL(t, which, format, ...)                                                                                       \
	(printf("FAIL  %s, round %u, stream of %u bytes to an %s port: " format "\n", engine_name((t)->kind), (t)->round, \
		(t)->sender[which].bytes, (which) ? "odd" : "even" __VA_OPT__(, ) __VA_ARGS__),                           \
	 1)

static void start_sender(struct test *t, unsigned which)
{
	static const uint32_t longest[] = { 1, 7, 100, 536, 1460 };
	struct sender *s = &t->sender[which];

	memset(s, 0, sizeof(*s));
	s->key.ip_version = t->round % 2 ? 4 : 6;
	s->key.src[0] = s->key.dst[0] = t->round % 2 ? 10 : 0xfd;
	s->key.src[3] = 2;
	s->key.dst[3] = 1;
	s->key.src_port = 5000;
	s->key.dst_port = (uint16_t)(80 + which);
	s->longest = longest[below(t, 5)];
	s->bytes = below(t, s->longest < 8 ? 60 * s->longest : SEG_STREAM_BYTES + 1);
	s->isn = one_in(t, 2) ? 0 - below(t, s->bytes + 2) : (uint32_t)random_next(&t->random);
	s->missing = s->bytes;
	random_fill(&t->random, s->byte, s->bytes);
}

/* Compares what the handlers have seen when the completion handler has run. Prints the first difference and returns 1. */
static int check_completion(struct test *t, unsigned which)
{
	const uint16_t *seen = which ? t->state.odd : t->state.even;
	const struct seg_stream *stream = &t->state.stream[which];
	struct sender *s = &t->sender[which];

	s->completed = 1;
	if (s->missing || !s->got_fin)
		return FAIL(t, which, "the completion handler ran before the host had %u bytes%s", s->missing,
			    s->got_fin ? "" : " and FIN");
	for (uint32_t i = 0; i < s->bytes; i++)
		if (seen[i] != (SEG_STREAM_SEEN | s->byte[i]))
			return FAIL(t, which, "the payload handlers saw %#x at %u, which is %#x", seen[i], i, SEG_STREAM_SEEN | s->byte[i]);
	if (stream->length != s->bytes || stream->dropped_bytes != s->dropped_bytes || (int)stream->flow_control != s->flow_control)
		return FAIL(t, which, "the completion handler got length %u, dropped bytes %u, flow control %u; the latter are %u and %u",
			    stream->length, stream->dropped_bytes, stream->flow_control, s->dropped_bytes, s->flow_control);
	return 0;
}

static int check_state(struct test *t, unsigned which)
{
	const struct seg_stream *stream = &t->state.stream[which];
	const struct sender *s = &t->sender[which];
	int err = t->engine->ops->read(t->engine, "spin_state", 0, &t->state, sizeof(t->state));

	if (err)
		return err;
	if (stream->headers != 1)
		return FAIL(t, which, "the header handler ran %u times", stream->headers);
	if (stream->completions > 1)
		return FAIL(t, which, "the completion handler ran %u times", stream->completions);
	if (stream->completions && !s->completed)
		return check_completion(t, which);
	if (!stream->completions && s->got_fin && !s->missing)
		return FAIL(t, which, "the host has all bytes, and the completion handler did not run");
	return 0;
}

/* The host's TCP gets the frame. */
static int receive(struct test *t, unsigned which, const struct engine_out *out, uint32_t offset)
{
	struct sender *s = &t->sender[which];
	struct segframe_parsed p;

	if (!segframe_parse(out->frame, out->frame_bytes, &p) || !p.is_right)
		return FAIL(t, which, "the host would discard the frame");
	if (p.segment.flags & SPIN_TCP_FIN)
		s->got_fin = 1;
	for (uint32_t i = 0; i < p.segment.bytes; i++) {
		if (p.segment.payload[i] != s->byte[offset + i])
			return FAIL(t, which, "byte %u reaches the host as %#x", offset + i, p.segment.payload[i]);
		s->missing -= !s->got[offset + i];
		s->got[offset + i] = 1;
	}
	return 0;
}

static int transmit(struct test *t, unsigned which, uint32_t offset, uint32_t bytes, uint8_t flags)
{
	static uint8_t frame[ENGINE_FRAME_MAX];
	static struct engine_out out;
	const struct segframe_shape shape = { .options = (uint8_t)below(t, 4) };
	struct sender *s = &t->sender[which];
	uint32_t start = s->isn + 1 + offset;
	struct segref_segment segment = { .key = s->key, .flags = flags, .bytes = bytes, .payload = s->byte + offset };
	int err;

	segment.seq = flags & SPIN_TCP_SYN ? start - 1 : start;
	segment.ttl = (uint8_t)(64 | (one_in(t, t->drops) ? SEG_STREAM_DROPS : 0));
	err = t->engine->ops->packet(t->engine, frame, segframe_build(&segment, &shape, frame), &out);
	if (err)
		return err;
	if (out.reason == SPIN_REASON_BEYOND_WINDOW)
		s->flow_control = 1;
	if (out.reason == SPIN_REASON_BEYOND_WINDOW || out.reason == SPIN_REASON_DROPPED)
		s->dropped_bytes += bytes;
	else if (out.reason != SPIN_REASON_PROCEEDED && out.reason != SPIN_REASON_SUCCESS)
		return FAIL(t, which, "a segment is %s", spin_reason_name(out.reason));
	if (s->completed && out.reason != SPIN_REASON_PROCEEDED)
		return FAIL(t, which, "after the end a segment is %s", spin_reason_name(out.reason));
	if (out.verdict == SPIN_VERDICT_PASS)
		err = receive(t, which, &out, offset);
	return err ? err : check_state(t, which);
}

/* Sends something that the host lacks, or anything. */
static int send_some(struct test *t, unsigned which)
{
	struct sender *s = &t->sender[which];
	uint32_t offset = below(t, s->bytes + 1), bytes;
	uint8_t flags = SPIN_TCP_ACK;

	if (one_in(t, 30))
		return transmit(t, which, 0, one_in(t, 2) ? below(t, s->bytes < s->longest ? s->bytes + 1 : s->longest) : 0, SPIN_TCP_SYN);
	if (s->missing && !one_in(t, t->repeats))
		for (uint32_t i = 0; i < s->bytes && (offset == s->bytes || s->got[offset]); i++)
			offset = offset + 1 < s->bytes ? offset + 1 : 0;
	bytes = s->bytes - offset < s->longest ? s->bytes - offset : s->longest;
	if (bytes && one_in(t, 2))
		bytes = 1 + below(t, bytes);
	if (offset + bytes == s->bytes && !one_in(t, 3))
		flags |= SPIN_TCP_FIN;
	return one_in(t, t->loss) ? 0 : transmit(t, which, offset, bytes, flags);
}

static int is_done(const struct sender *s)
{
	return !s->missing && s->got_fin;
}

static int run_round(struct test *t)
{
	static const struct seg_streams zero;
	unsigned left = SEGMENTS_MAX;
	int err = t->engine->ops->write(t->engine, "spin_state", 0, &zero, sizeof(zero));

	t->loss = below(t, 2) * (2 + below(t, 6));
	t->drops = below(t, 2) * (2 + below(t, 6));
	t->repeats = 1 + below(t, 6);
	for (unsigned which = 0; which < 2 && !err; which++) {
		start_sender(t, which);
		err = transmit(t, which, 0, 0, SPIN_TCP_SYN);
	}
	if (t->repeats == 1)
		t->repeats = 0;
	while (!err && --left && !(is_done(&t->sender[0]) && is_done(&t->sender[1])))
		err = send_some(t, below(t, 2));
	if (!err && !left)
		return FAIL(t, is_done(&t->sender[0]), "the host does not get all of it");
	/* what is sent again after the end */
	for (unsigned i = 0; i < 20 && !err; i++)
		err = send_some(t, i % 2);
	return err;
}

static int run(enum engine_kind kind)
{
	static struct test t;
	int err;

	memset(&t, 0, sizeof(t));
	t.kind = kind;
	t.random = 1;
	err = segment_engine_open(kind, "seg_stream", &t.engine);
	for (t.round = 0; t.round < slow_rounds(ROUNDS) && !err; t.round++)
		err = run_round(&t);
	if (!err)
		printf("%s: %u rounds\n", engine_name(kind), t.round);
	engine_close(t.engine);
	return err;
}

int main(int argc, char **argv)
{
	return each_engine(argc, argv, run);
}
