/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a DMA of 6 bytes, not a multiple of 4. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct pad { uint32_t n, words[15]; };
SPIN_SCRATCHPAD(struct pad);

static enum spin_completion_rc done(struct spin_completion *c, struct spin_no_state *unused)
{
	struct pad *pad = SPIN_SCRATCH(c);

	if (spin_dma_to_host(c, SPIN_ME_MEM, 0, pad, 6)) // compiler: the length of spin_dma_to_host must be a constant and a multiple of 4
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(dma_length, .message_completion = done, .delivery = SPIN_DELIVER_ME);
