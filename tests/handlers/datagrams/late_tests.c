/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * late_tests - takes pointers to three places of the payload, each NULL if the packet is too short, and tests them only afterwards, some
 * twice. It counts packets and bytes, and sums what is there. In the isolated class Linux before 6.17 refuses late tests unless spincc
 * keeps the paths apart (kernel/README.md); with spincc it must load. For tests/vectors/late_tests and tests/kernels.
 */
#include <spin/spin.h>

struct pair {
	uint16_t left, right;
};

struct seen {
	uint32_t packets, bytes;
	uint32_t sum;     /* of what was there */
	uint32_t product; /* of the last packet that had the first and the third piece */
	uint32_t lacking; /* packets without the second piece */
};

SPIN_STATE(struct seen);

static enum spin_payload_rc late_tests_payload(struct spin_payload *p, struct seen *state)
{
	const uint32_t *first = SPIN_GET(p, 0, uint32_t);
	const struct pair *second = SPIN_GET(p, 8, struct pair);
	const uint8_t *third = SPIN_GET(p, 20, uint8_t);

	state->packets++;
	state->bytes += p->length;
	if (first)
		state->sum += *first;
	if (second)
		state->sum += second->left ^ second->right;
	if (third)
		state->sum += *third;
	if (first && third)
		state->product = *first * *third;
	state->lacking += !second;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(late_tests, .payload = late_tests_payload);
