/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: a loop until the state changes. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct turns { uint32_t n, packets; };
SPIN_STATE(struct turns);

/* Nothing here writes `n`: a compiler that assumes that every loop ends may remove this one. */
static enum spin_payload_rc f(struct spin_payload *p, struct turns *state)
{
	while (state->n != 5) // verifier: the verifier cannot prove that this loop ends; write SPIN_FOR(v, i, from, to), or give it a constant bound, and leave it by break
		;
	state->packets++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_on_state, .payload = f);
