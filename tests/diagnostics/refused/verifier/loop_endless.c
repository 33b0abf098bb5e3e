/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: an endless loop. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	for (;;) // verifier: the verifier cannot prove that this loop ends; write SPIN_FOR(v, i, from, to), or give it a constant bound, and leave it by break
		spin_add32(&state->n, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_endless, .payload = f);
