/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: __sync_val_compare_and_swap() of 64 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint64_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__sync_val_compare_and_swap(&state->n, 0, p->length); // compiler: atomics of another size than 32 bits; use spin_add32 and spin_cas32
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(swap_if_64, .payload = f);
