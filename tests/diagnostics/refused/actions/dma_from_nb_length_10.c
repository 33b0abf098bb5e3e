/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a non-blocking DMA of 10 bytes, no multiple of 4. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct spin_dma dma;

	if (spin_dma_from_host_nb(p, SPIN_HANDLER_MEM, 0, state->words, 10, &dma)) // compiler: the length of spin_dma_from_host_nb must be a constant and a multiple of 4
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(lengths, .payload = f, .delivery = SPIN_DELIVER_ME);
