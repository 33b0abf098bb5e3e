/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * endless - a piece of a TCP stream that starts with 'x' makes the handler loop until the work limit of the isolated class ends it; for
 * tests/sockets/streams_are_whole.c. The loop is the kernel's own instruction, which does not use up the budget.
 */
#include <spin/spin.h>

struct endless {
	uint32_t rounds, pieces;
};

SPIN_STATE(struct endless);

#if defined(__bpf__) && !defined(SPIN_BOUNDED_LOOPS)
#define ROUNDS                                                                                                         \
	({                                                                                                             \
		__label__ out;                                                                                         \
		_Bool on_ = 1;                                                                                         \
		__asm__ goto("1: .byte 0xe5; .byte 0; .long ((%l[out] - 1b - 8) / 8) & 0xffff; .short 0" : : : : out); \
		if (0) {                                                                                               \
		out:                                                                                                   \
			on_ = 0;                                                                                       \
		}                                                                                                      \
		on_;                                                                                                   \
	})
#else
#define ROUNDS 0
#endif

static enum spin_payload_rc endless_payload(struct spin_payload *p, struct endless *state)
{
	const uint8_t *first = SPIN_GET(p, 0, uint8_t);

	spin_add32(&state->pieces, 1);
	if (first && *first == 'x')
		while (ROUNDS)
			state->rounds++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(endless, .payload = endless_payload);
