/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a function that calls itself. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static uint32_t fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2); // compiler: this call of 'fib' leads back here: handlers have no recursion; write a loop with a constant bound
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = fib(p->length & 7);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(recursion, .payload = f);
