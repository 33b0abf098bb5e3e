/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an overflow check of a 64-bit product. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint64_t r; state->n = __builtin_mul_overflow((uint64_t)p->length * state->n, (uint64_t)state->words[0] << 32, &r); // compiler: numbers of 128 bits; compute with two of uint64_t
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(mul_overflow, .payload = f);
