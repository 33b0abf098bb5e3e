/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a 64-bit atomic in a function used by two handlers. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint64_t n, last; };
SPIN_STATE(struct tally);

static inline void swap(struct tally *state, uint64_t by)
{
	state->last = __atomic_exchange_n(&state->n, by, __ATOMIC_SEQ_CST); // compiler: atomics of another size than 32 bits; use spin_add32 and spin_cas32
}

static enum spin_header_rc begin(struct spin_header *h, struct tally *state)
{
	swap(state, h->length);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	SPIN_FOR_EACH(p, uint32_t, word)
		swap(state, *word);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(in_function, .header = begin, .payload = f);
