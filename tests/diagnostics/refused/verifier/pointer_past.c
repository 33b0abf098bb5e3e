/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: the word after SPIN_GET's. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);

	if (w)
		state->n = w[1]; // verifier: this goes beyond what was tested of the packet; give SPIN_GET a type that covers all that is used, or walk with SPIN_FOR_EACH
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pointer_past, .payload = f);
