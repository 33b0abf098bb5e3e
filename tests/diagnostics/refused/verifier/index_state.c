/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: an index into the state, from the packet. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);

	if (w)
		state->words[*w]++; // verifier: the index may be beyond the array; take SPIN_AT(array, i) and test it for NULL, or mask i with a power of two
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(index_state, .payload = f);
