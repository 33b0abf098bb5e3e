/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: a comparison of two pointers. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t), *v = SPIN_GET(p, state->n & 63, uint32_t);

	if (w && v && w < v) // isolated: pointers are compared; compare offsets or indices
		state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_compar, .payload = f);
