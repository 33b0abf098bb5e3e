/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: two functions that call each other. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static uint32_t odd(uint32_t n, const uint32_t *words);
static uint32_t even(uint32_t n, const uint32_t *words)
{
	return n ? odd(n - 1, words) + words[n & 15] : 1;
}
static uint32_t odd(uint32_t n, const uint32_t *words)
{
	return n ? even(n - 1, words) ^ words[n & 15] : 0; // compiler: this call of 'even' leads back here: handlers have no recursion; write a loop with a constant bound
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = even(p->length, state->words);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(recursion_mutua, .payload = f);
