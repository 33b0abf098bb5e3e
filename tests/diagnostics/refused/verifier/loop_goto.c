/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: a goto loop without a known bound. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	uint32_t n = w ? *w : 0;

	again:
	if (n != 1) { // verifier: the verifier cannot prove that this loop ends; write SPIN_FOR(v, i, from, to), or give it a constant bound, and leave it by break
		n = n & 1 ? 3 * n + 1 : n / 2;
		spin_add32(&state->n, n);
		goto again;
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(loop_goto, .payload = f);
