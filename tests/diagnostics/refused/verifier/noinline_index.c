/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: an unbounded index in a function not inlined. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static __attribute__((noinline)) uint32_t at(const struct tally *t, uint32_t n)
{
	return t->words[n]; // verifier: the index may be beyond the array; take SPIN_AT(array, i) and test it for NULL, or mask i with a power of two
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = at(state, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(noinline_index, .payload = f);
