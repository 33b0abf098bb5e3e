/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a DMA with a length known only at run time. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_dma_from_host(p, SPIN_HANDLER_MEM, 0, state->words, p->length)) // compiler: the length of spin_dma_from_host must be a constant and a multiple of 4
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(lengths, .payload = f, .delivery = SPIN_DELIVER_ME);
