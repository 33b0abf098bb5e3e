/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * walk - three loops over the payload (SPIN_FOR_EACH), by words, halfwords and bytes, whose counts and sums are stored. The first one skips
 * zero words and stops at a word of all ones. For tests/vectors/walk.
 */
#include <spin/spin.h>

struct sums {
	uint32_t words, word_sum, halves, half_sum, bytes, byte_sum, walked_after_break;
};

SPIN_STATE(struct sums);

static enum spin_payload_rc walk_payload(struct spin_payload *p, struct sums *state)
{
	uint32_t words = 0, word_sum = 0, halves = 0, half_sum = 0, bytes = 0, byte_sum = 0, stopped = 0;

	SPIN_FOR_EACH(p, uint32_t, w) {
		if (!*w)
			continue;
		if (*w == 0xffffffff) {
			stopped = 1;
			break;
		}
		words++;
		word_sum += *w;
	}
	SPIN_FOR_EACH(p, uint16_t, h) {
		halves++;
		half_sum += *h;
	}
	SPIN_FOR_EACH(p, uint8_t, b) {
		bytes++;
		byte_sum += *b;
	}
	state->words = words;
	state->word_sum = word_sum;
	state->halves = halves;
	state->half_sum = half_sum;
	state->bytes = bytes;
	state->byte_sum = byte_sum;
	state->walked_after_break += stopped;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(walk, .payload = walk_payload);
