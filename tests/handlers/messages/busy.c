/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * busy - loops for as many rounds as the host sets, and drops the datagram. HPUs share nothing that it writes, so they do not slow each
 * other down. For tests/bench/hpus.c, which measures the gain from a second HPU by the length of handlers.
 */
#include <spin/spin.h>

#include "hammer.h"

SPIN_STATE(struct hammer_state, .rounds = 0);

static enum spin_payload_rc busy_payload(struct spin_payload *p, struct hammer_state *state)
{
	uint32_t left = state->rounds, sum = left;

	SPIN_WHILE(p, left) {
		sum = sum * 1664525u + 1013904223u;
		left--;
	}
	if (sum == 0x5eed)
		state->sink = sum;
	return SPIN_DROP;
}

SPIN_HANDLERS(busy, .payload = busy_payload);
