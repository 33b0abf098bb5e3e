/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a call by pointer that the compiler resolves (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static inline uint32_t twice(uint32_t n)
{
	return 2 * n;
}
static inline uint32_t apply(uint32_t (*op)(uint32_t), uint32_t n)
{
	return op(n);
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = apply(twice, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(function_pointe, .payload = f);
