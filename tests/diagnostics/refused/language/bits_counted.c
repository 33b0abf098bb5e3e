/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: popcount, clz, ctz and parity. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)__builtin_popcount(p->length) + (uint32_t)__builtin_clz(p->length | 1) + (uint32_t)__builtin_ctzll(state->n | 1u) + __builtin_bswap32(p->length) + (uint32_t)__builtin_parity(state->n); // compiler: eBPF has no instruction that counts bits; count them in a loop with a constant bound
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(bits_counted, .payload = f);
