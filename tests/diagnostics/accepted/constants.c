/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: constant arrays and a string; floating point that the compiler folds (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static const uint32_t primes[4] = { 2, 3, 5, 7 };
static const char name[] = "constants";

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	static const uint8_t shifts[] = { 1, 3 };

	state->n = primes[p->length & 3] >> shifts[state->n & 1] ^ (uint32_t)name[state->n & 7];
	state->words[0] = (uint32_t)(1.5 * 4);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(constants, .payload = f);
