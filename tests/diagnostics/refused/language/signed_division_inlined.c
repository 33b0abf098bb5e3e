/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a signed division in an inlined function. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static inline int mean(int sum, int n)
{
	return n ? sum / n : 0; // compiler: signed division or modulo; eBPF divides unsigned numbers only: use uint32_t or uint64_t
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)mean((int)state->n, (int)p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(signed_division, .payload = f);
