/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: an array index that a loop counts. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	for (uint32_t i = 0; i < 32; i++)
		state->words[i & 15] += p->length; // isolated: the index differs between the ways to here, as a loop's counter does; write #pragma unroll before the loop, and a constant bound
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_index_, .payload = f);
