/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a function with variable arguments. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static uint32_t sum(uint32_t n, ...)
{
	__builtin_va_list args;
	uint32_t total = 0;

	__builtin_va_start(args, n); // compiler: variable arguments, which eBPF does not have; pass an array and its length
	for (uint32_t i = 0; i < n; i++)
		total += __builtin_va_arg(args, uint32_t);
	__builtin_va_end(args);
	return total;
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = sum(2, p->length, 7u);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(varargs, .payload = f);
