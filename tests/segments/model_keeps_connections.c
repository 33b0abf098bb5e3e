/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs TCP segments one at a time on the modelled NIC: the reason that each gets, the handlers that run, what they are given, and the frame
 * that reaches the host must be as <spin/segment.h> says, rule by rule (out of order, gaps, resets, ends, refused, numbers that wrap). Run
 * by tests/run.
 */
#include "tests/segments/model.h"

static struct pspin *nic;

/* Forgets all connections and clears the state. */
static void begin(void)
{
	const struct seg_count zero = { 0 };
	uint32_t addr;

	CHECK(!pspin__reset(nic), "a context of segments can be reset");
	CHECK(!pspin__symbol(nic, "spin_state", &addr, NULL) && !pspin__write(nic, addr, &zero, sizeof(zero)), "its state is written");
}

static struct pspin_result send(int line, const struct segment_spec *s, enum spin_reason reason, unsigned tasks)
{
	uint8_t frame[SEGMENT_FRAME_MAX];
	const size_t bytes = segment__make(frame, s);
	const struct pspin_result r = segments__run(nic, frame, bytes);

	if (r.reason != reason || r.task_count != tasks) {
		printf("FAIL line %d: reason %d with %u tasks, expected %d with %u\n", line, r.reason, r.task_count, reason, tasks);
		failures++;
	}
	if (r.verdict == SPIN_VERDICT_PASS)
		check(line, r.frame_bytes == bytes && !memcmp(r.frame, frame, bytes), "the frame reaches the host as it came");
	check(line, r.verdict != SPIN_VERDICT_TX, "nothing is sent");
	return r;
}

/* Sends a segment with the fields ..., which must get the reason and run that many tasks. */
#define SEND(reason, tasks, ...)        send(__LINE__, &(struct segment_spec){ __VA_ARGS__ }, SPIN_REASON_##reason, tasks)
#define SYN_AT(number)                  SEND(PROCEEDED, 2, .seq = (number), .flags = SYN)
#define DATA(reason, tasks, number, t)  SEND(reason, tasks, .seq = (number), .flags = ACK, .text = (t))
#define DATA_FIN(reason, tasks, num, t) SEND(reason, tasks, .seq = (num), .flags = FIN | ACK, .text = (t))
#define EXPECT(field, value)            CHECK(segments__count(nic).field == (value), #field " is " #value)

static void whole_connection(void)
{
	begin();
	SYN_AT(100);
	EXPECT(headers, 1);
	EXPECT(syns, 1);
	EXPECT(unknown, 1);
	SEND(PROCEEDED, 0, .seq = 100, .flags = SYN);
	EXPECT(headers, 1);
	DATA(SUCCESS, 1, 101, "hello");
	EXPECT(offset, 0);
	EXPECT(payload_length, 5);
	EXPECT(flags, ACK);
	DATA(SUCCESS, 1, 101, "hello"); /* sent again, handled again */
	EXPECT(payloads, 2);
	DATA(PROCEEDED, 0, 106, NULL);
	DATA_FIN(SUCCESS, 2, 106, "world!");
	EXPECT(offset, 5);
	EXPECT(completions, 1);
	EXPECT(length, 11);
	EXPECT(dropped_bytes, 0);
	EXPECT(flow_control, 0);
	EXPECT(end_flags, FIN | ACK);
	EXPECT(end_port, 4000);
	EXPECT(end_connection, segments__count(nic).header_connection);
	EXPECT(payload_connection, segments__count(nic).header_connection);
	EXPECT(wrong, 0);
}

/* What a connection that has ended still gets. */
static void ended(void)
{
	begin();
	SYN_AT(100);
	DATA(SUCCESS, 1, 101, "hello");
	DATA_FIN(PROCEEDED, 2, 106, NULL);
	EXPECT(completions, 1);
	DATA_FIN(PROCEEDED, 0, 106, NULL);
	DATA(PROCEEDED, 0, 101, "hello");
	DATA(PROCEEDED, 0, 107, NULL);
	SEND(PROCEEDED, 0, .seq = 106, .flags = RST);
	SEND(PROCEEDED, 0, .seq = 100, .flags = SYN);
	EXPECT(headers, 1);
	EXPECT(payloads, 1);
	EXPECT(completions, 1);
	SYN_AT(5000);
	EXPECT(headers, 2);
	DATA_FIN(SUCCESS, 2, 5001, "again");
	EXPECT(completions, 2);
	EXPECT(end_length, 5);
	DATA(SUCCESS, 2, 5003, "longer"); /* its end is new: it begins another one */
	EXPECT(headers, 3);
	EXPECT(offset, 0);
}

static void out_of_order(void)
{
	begin();
	SYN_AT(100);
	DATA(SUCCESS, 1, 106, "later");
	EXPECT(offset, 5);
	DATA_FIN(PROCEEDED, 0, 111, NULL); /* before the gap is filled */
	EXPECT(completions, 0);
	DATA(SUCCESS, 2, 101, "first");
	EXPECT(completions, 1);
	EXPECT(end_length, 10);

	begin();
	SYN_AT(100);
	DATA_FIN(SUCCESS, 1, 106, "later");
	DATA(SUCCESS, 2, 101, "first");
	EXPECT(end_length, 10);

	begin();
	SYN_AT(100);
	DATA_FIN(PROCEEDED, 0, 104, NULL); /* a byte after it proves it wrong */
	DATA(SUCCESS, 1, 101, "12345");
	EXPECT(completions, 0);
	DATA_FIN(PROCEEDED, 0, 103, NULL); /* before the first missing byte */
	DATA_FIN(PROCEEDED, 2, 106, NULL);
	EXPECT(end_length, 5);
}

static void gaps_are_limited(void)
{
	begin();
	SYN_AT(100);
	for (uint32_t i = 1; i <= 4; i++)
		DATA(SUCCESS, 1, 101 + 10 * i, "range");
	DATA(BEYOND_WINDOW, 0, 151, "range");
	DATA_FIN(BEYOND_WINDOW, 0, 161, "range");
	DATA(SUCCESS, 1, 146, "joins");
	DATA(SUCCESS, 1, 116, "joins"); /* two others: three ranges are left */
	DATA(SUCCESS, 1, 161, "range");
	DATA(BEYOND_WINDOW, 0, 171, "range");
	DATA_FIN(PROCEEDED, 0, 166, NULL); /* no bytes: needs no range */
	EXPECT(completions, 0);
	SEND(SUCCESS, 2, .seq = 101, .flags = ACK, .bytes = 65);
	EXPECT(completions, 1);
	EXPECT(end_length, 65);
	EXPECT(end_dropped, 15);
	EXPECT(flow_control, 1);
}

static void resets(void)
{
	begin();
	SEND(PROCEEDED, 0, .seq = 1, .flags = RST);
	SYN_AT(100);
	DATA(SUCCESS, 1, 101, "hello");
	SEND(PROCEEDED, 0, .seq = 107, .flags = RST);
	SEND(PROCEEDED, 0, .seq = 105, .flags = RST | ACK, .text = "not data");
	EXPECT(completions, 0);
	SEND(PROCEEDED, 2, .seq = 106, .flags = RST);
	EXPECT(completions, 1);
	EXPECT(end_length, 5);
	EXPECT(end_flags, RST);
	SEND(PROCEEDED, 0, .seq = 106, .flags = RST);
	DATA(PROCEEDED, 0, 101, "hello");
	EXPECT(completions, 1);
	DATA(SUCCESS, 2, 106, "more"); /* it goes on */
	EXPECT(headers, 2);
	EXPECT(syns, 1);
}

static void dropped_ends(void)
{
	begin();
	SYN_AT(100);
	DATA_FIN(DROPPED, 2, 101, "Drop"); /* the completion task returns at once */
	EXPECT(completions, 0);
	DATA_FIN(FAILED, 2, 101, "Fail");
	EXPECT(completions, 0);
	DATA_FIN(SUCCESS, 2, 101, "take");
	EXPECT(completions, 1);
	EXPECT(end_length, 4);
	EXPECT(end_dropped, 8);

	begin();
	SYN_AT(100);
	DATA(DROPPED, 1, 101, "Drop");
	DATA(SUCCESS, 1, 105, "next");
	DATA_FIN(PROCEEDED, 0, 109, NULL);
	DATA(DROPPED, 2, 101, "Drop");
	EXPECT(completions, 0);
	DATA(SUCCESS, 2, 101, "take");
	EXPECT(completions, 1);
	EXPECT(end_length, 8);
	EXPECT(end_dropped, 8);
}

static void refused(void)
{
	struct pspin_result r;

	begin();
	SEND(HEADER_DROPPED, 3, .port = SEG_PORT_DROP, .seq = 100, .flags = SYN);
	EXPECT(completions, 1);
	EXPECT(end_length, 0);
	SEND(HEADER_DROPPED, 0, .port = SEG_PORT_DROP, .seq = 100, .flags = SYN);
	SEND(HEADER_DROPPED, 0, .port = SEG_PORT_DROP, .seq = 101, .flags = ACK, .text = "hello");
	SEND(HEADER_DROPPED, 0, .port = SEG_PORT_DROP, .seq = 101, .flags = RST);
	SEND(HEADER_DROPPED, 0, .port = SEG_PORT_DROP, .seq = 101, .flags = FIN);
	EXPECT(headers, 1);
	SEND(HEADER_DROPPED, 3, .port = SEG_PORT_DROP, .seq = 200, .flags = SYN);
	EXPECT(headers, 2);
	EXPECT(completions, 2);
	begin();
	SEND(HEADER_DROPPED, 3, .port = SEG_PORT_DROP, .seq = 100, .flags = ACK, .text = "hello");
	EXPECT(end_dropped, 5);
	EXPECT(payloads, 0);

	r = SEND(FAILED, 2, .port = SEG_PORT_FAIL, .seq = 100, .flags = SYN);
	CHECK(r.event_count == 1 && r.events[0].type == SPIN_EVENT_FAIL && r.events[0].handler == SPIN_KIND_HEADER &&
		      r.events[0].src_addr[0] == 0x0100000a && r.events[0].src_port == SEG_PORT_FAIL && r.events[0].dst_port == 80,
	      "a header handler's error is an event");
	r = SEND(HEADER_DROPPED, 0, .port = SEG_PORT_FAIL, .seq = 101, .flags = FIN, .text = "hello");
	CHECK(!r.event_count, "only the first one is");
	EXPECT(completions, 1);
}

static void proceeding(void)
{
	begin();
	SEND(PROCEEDED, 2, .port = SEG_PORT_PROCEED, .seq = 100, .flags = SYN);
	SEND(PROCEEDED, 0, .port = SEG_PORT_PROCEED, .seq = 101, .flags = ACK, .text = "hello");
	SEND(PROCEEDED, 0, .port = SEG_PORT_PROCEED, .seq = 106, .flags = FIN);
	SEND(PROCEEDED, 0, .port = SEG_PORT_PROCEED, .seq = 101, .flags = ACK, .text = "hello");
	SEND(PROCEEDED, 2, .port = SEG_PORT_PROCEED, .seq = 106, .flags = FIN, .text = "begins");
	EXPECT(headers, 2);
	EXPECT(completions, 0);
	SEND(PROCEEDED, 2, .port = SEG_PORT_COMPLETE, .seq = 100, .flags = SYN);
	SEND(PROCEEDED, 0, .port = SEG_PORT_COMPLETE, .seq = 101, .flags = ACK, .text = "hello");
	SEND(PROCEEDED, 2, .port = SEG_PORT_COMPLETE, .seq = 106, .flags = FIN, .text = "world");
	EXPECT(payloads, 0);
	EXPECT(completions, 1);
	EXPECT(end_length, 10);
	EXPECT(end_dropped, 0);
}

static void errors(void)
{
	struct pspin_result r;

	begin();
	SYN_AT(100);
	r = DATA(FAILED, 1, 101, "Fail");
	CHECK(r.event_count == 1 && r.events[0].type == SPIN_EVENT_FAIL && r.events[0].handler == SPIN_KIND_PAYLOAD,
	      "a payload handler's error is an event");
	r = DATA(BAD_RETURN, 1, 101, "Reply");
	CHECK(!r.event_count, "only a connection's first one is");
	SEND(PROCEEDED, 2, .port = 7, .seq = 100, .flags = SYN);
	r = SEND(BAD_RETURN, 1, .port = 7, .seq = 101, .flags = ACK, .text = "Reply");
	CHECK(r.event_count == 1 && r.events[0].type == SPIN_EVENT_BAD_RETURN, "TCP has no replies");
	r = SEND(BAD_RETURN, 1, .port = 7, .seq = 101, .flags = ACK, .text = "X");
	CHECK(!r.event_count, "the other connection's second one is none");
}

static void without_syn(void)
{
	begin();
	DATA(PROCEEDED, 0, 100, NULL);
	DATA_FIN(PROCEEDED, 0, 100, NULL);
	EXPECT(headers, 0);
	DATA(SUCCESS, 2, 100, "hello");
	EXPECT(headers, 1);
	EXPECT(syns, 0);
	EXPECT(offset, 0);
	DATA_FIN(SUCCESS, 2, 105, "world");
	EXPECT(end_length, 10);
	SEND(SUCCESS, 3, .port = 9, .seq = 100, .flags = SYN | FIN, .text = "all at once");
	EXPECT(completions, 2);
	EXPECT(end_length, 11);
	SEND(DROPPED, 3, .port = 10, .seq = 100, .flags = SYN | FIN, .text = "Drop");
	EXPECT(completions, 2);
	SEND(SUCCESS, 2, .port = 10, .seq = 100, .flags = SYN | FIN, .text = "take"); /* a SYN sent again */
	EXPECT(headers, 3);
	EXPECT(completions, 3);
}

static void wraps_around(void)
{
	begin();
	SYN_AT(0xfffffff0);
	SEND(SUCCESS, 1, .seq = 0xfffffff1, .flags = ACK, .bytes = 20);
	SEND(SUCCESS, 1, .seq = 15, .flags = ACK, .bytes = 10);
	EXPECT(offset, 30);
	DATA_FIN(PROCEEDED, 0, 25, NULL);
	SEND(SUCCESS, 2, .seq = 5, .flags = ACK, .bytes = 10);
	EXPECT(end_length, 40);

	begin(); /* the number of the first byte is 0 */
	SYN_AT(0xffffffff);
	DATA_FIN(SUCCESS, 2, 0, "hello");
	EXPECT(offset, 0);
	EXPECT(end_length, 5);
}

static void begins_again(void)
{
	begin();
	SYN_AT(100);
	DATA(SUCCESS, 1, 101, "hello");
	SEND(PROCEEDED, 0, .seq = 900, .flags = SYN | RST); /* a reset begins nothing */
	SYN_AT(900);
	EXPECT(headers, 2);
	EXPECT(completions, 0); /* the first one never ended */
	DATA(SUCCESS, 1, 901, "other");
	EXPECT(offset, 0);
	EXPECT(payload_connection, 0);
	DATA(SUCCESS, 1, 906 + SPIN_SEGMENT_REACH, "far"); /* beyond a gap, in reach */
	EXPECT(headers, 2);
	DATA(SUCCESS, 1, 906 - SPIN_SEGMENT_REACH, "old");
	EXPECT(headers, 2);
	DATA(SUCCESS, 1, 907 + SPIN_SEGMENT_REACH, "too far"); /* handled, but not accepted */
	EXPECT(headers, 2);
	EXPECT(offset, 6 + SPIN_SEGMENT_REACH);
	SEND(PROCEEDED, 2, .port = 8, .seq = 100, .flags = SYN);
	EXPECT(header_connection, 1);
}

int main(void)
{
	struct rig_file image = segments__build("seg_count");

	nic = segments__open(image, seg_count_registration);
	whole_connection();
	ended();
	out_of_order();
	gaps_are_limited();
	resets();
	dropped_ends();
	refused();
	proceeding();
	errors();
	without_syn();
	wraps_around();
	begins_again();
	pspin__close(nic);
	free(image.data);
	return failures != 0;
}
