/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MESSAGE_TRACE_H
#define TESTS_COMMON_MESSAGE_TRACE_H

/*
 * Packets of many concurrent messages; the same seed gives the same packets. Messages have up to 8 KiB of small integers, and start and end
 * all the time. Occasionally a packet overtakes the one before it, or is duplicated. Used by tests/fuzz/fuzz_traffic.c.
 */
#include "tests/common/net/message_packet.h"

#define MESSAGE_TRACE_OPEN 24u

struct message_trace {
	uint64_t random;
	uint32_t next_id, messages, begun; /* begun: messages started so far */
	struct message_trace_message {
		uint32_t id, stride, packets, next;
		int has_overtaken; /* packet next + 1 has been returned */
		struct message_packet packet;
	} open[MESSAGE_TRACE_OPEN];
};

void message_trace_start(struct message_trace *trace, uint64_t seed, uint32_t messages);
/* Returns the next packet's frame, valid until the next call. NULL: all messages have ended. */
const uint8_t *message_trace_next(struct message_trace *trace, uint32_t *bytes);

#endif
