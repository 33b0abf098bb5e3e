/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an atomic addition of 64 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint64_t n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__sync_fetch_and_add(&state->n, p->length); // compiler: atomics of another size than 32 bits; use spin_add32 and spin_cas32
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(atomic_64_add, .payload = f);
