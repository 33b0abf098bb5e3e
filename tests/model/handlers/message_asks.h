/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_MESSAGE_ASKS_H
#define TESTS_MODEL_HANDLERS_MESSAGE_ASKS_H

/* Packets, state and scratchpad that message_asks.c shares with messages_on_the_hpu.c. */
#include <stdint.h>

enum { ASK_TRAP = 100, ASK_NO_END, ASK_COPY, ASK_COPY_AND_STORE, ASK_STATE }; /* any other value: the handler returns it */

struct asks {
	uint32_t what;
	uint32_t add; /* added to the scratchpad's words */
};

struct results {
	uint32_t completions, dropped_bytes, flow_control, length;
	uint32_t sum, last;
};

/* The longest scratchpad that is possible. */
struct pad {
	uint32_t sum, unused[1918], last;
};

#endif
