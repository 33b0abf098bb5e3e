/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: __builtin_ffs(), the number of the lowest set bit. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)__builtin_ffs((int)p->length); // compiler: eBPF has no instruction that counts bits; count them in a loop with a constant bound
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(first_bit, .payload = f);
