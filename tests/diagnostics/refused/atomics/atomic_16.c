/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an atomic addition of 16 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__sync_fetch_and_add((uint16_t *)state->words, 1); // compiler: atomics of another size than 32 bits; use spin_add32 and spin_cas32
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(atomic_16, .payload = f);
