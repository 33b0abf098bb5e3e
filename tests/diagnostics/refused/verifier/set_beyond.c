/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: spin_set32() past SPIN_GET's word. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	if (w)
		spin_set32(p, w + 1, 0); // verifier: this goes beyond what was tested of the packet; give SPIN_GET a type that covers all that is used, or walk with SPIN_FOR_EACH
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(set_beyond, .payload = f);
