/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: the difference of two pointers. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t), *v = SPIN_GET(p, 8, uint32_t);

	if (w && v)
		state->n = (uint32_t)(v - w); // isolated: the difference of two pointers; compute with offsets or indices
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_differ, .payload = f);
