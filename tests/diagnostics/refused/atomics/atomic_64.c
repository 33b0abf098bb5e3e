/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an atomic compare-and-swap of 64 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__atomic_compare_exchange_n((uint64_t *)state->words, &(uint64_t){ 0 }, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); // compiler: atomics of another size than 32 bits; use spin_add32 and spin_cas32
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(atomic_64, .payload = f);
