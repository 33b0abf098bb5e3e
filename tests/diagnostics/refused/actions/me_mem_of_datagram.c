/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a datagram's DMA from a message's entry. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_dma_from_host(p, SPIN_ME_MEM, 0, state->words, 16)) // compiler: SPIN_ME_MEM is the memory of a message's matching entry, which a datagram does not have; use SPIN_HANDLER_MEM
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(me_mem, .payload = f);
