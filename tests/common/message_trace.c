/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generates packets of several messages at once (SLMP, the message protocol over UDP), in a random but repeatable order (message_trace.h).
 * Called by tests/fuzz/fuzz_traffic.c.
 */
#include <string.h>

#include <spin/slmp.h>

#include "tests/common/message_trace.h"

#define MESSAGE_BYTES_MAX 8192u

static uint32_t below(struct message_trace *trace, uint32_t n)
{
	/* xorshift64* */
	trace->random ^= trace->random >> 12;
	trace->random ^= trace->random << 25;
	trace->random ^= trace->random >> 27;
	return (uint32_t)((trace->random * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

void message_trace_start(struct message_trace *trace, uint64_t seed, uint32_t messages)
{
	memset(trace, 0, sizeof(*trace));
	trace->random = seed * 0x9e3779b97f4a7c15ull + 1;
	trace->messages = messages;
}

static int start_message(struct message_trace *trace, struct message_trace_message *one)
{
	uint32_t stride = 4 + 4 * below(trace, 350);

	if (trace->begun == trace->messages)
		return 0;
	trace->begun++;
	one->id = ++trace->next_id;
	one->stride = stride;
	one->packets = 1 + below(trace, MESSAGE_BYTES_MAX / stride < 20 ? MESSAGE_BYTES_MAX / stride : 20);
	one->next = 0;
	one->has_overtaken = 0;
	return !message_packet_make(&one->packet, stride);
}

static const uint8_t *packet(struct message_trace *trace, struct message_trace_message *one, uint32_t number, uint32_t *bytes)
{
	uint32_t last = number + 1 == one->packets, value;

	message_packet_head(&one->packet, (number && below(trace, 4) ? 0 : SPIN_SLMP_SYN) | (last ? SPIN_SLMP_EOM : 0), one->id,
			    number * one->stride);
	for (uint32_t at = 0; at < one->stride; at += sizeof(value)) {
		value = below(trace, 1100);
		memcpy(one->packet.payload + at, &value, sizeof(value));
	}
	*bytes = one->packet.bytes;
	return one->packet.frame;
}

const uint8_t *message_trace_next(struct message_trace *trace, uint32_t *bytes)
{
	struct message_trace_message *one = &trace->open[below(trace, MESSAGE_TRACE_OPEN)];
	uint32_t number;

	for (unsigned i = 0; i < MESSAGE_TRACE_OPEN && one->next == one->packets; i++) {
		if (start_message(trace, one))
			break;
		one = one + 1 == trace->open + MESSAGE_TRACE_OPEN ? trace->open : one + 1;
	}
	if (one->next == one->packets)
		return NULL;
	if (one->next && !below(trace, 30)) /* a duplicate */
		return packet(trace, one, one->next - 1, bytes);
	number = one->next;
	if (!one->has_overtaken && number + 2 < one->packets && !below(trace, 10)) {
		one->has_overtaken = 1;
		return packet(trace, one, number + 1, bytes);
	}
	one->next += 1 + (uint32_t)one->has_overtaken;
	one->has_overtaken = 0;
	return packet(trace, one, number, bytes);
}
