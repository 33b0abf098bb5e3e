/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL: three words of the state
 * (L2 handler memory) to the host for each packet, which is itself read from L1 for the host. The host DMA waits at each change of memory,
 * and reads handler memory for two commands at a time.
 */
#include <spin/spin.h>

struct words {
	uint32_t word[3];
};

SPIN_STATE(struct words);

static enum spin_payload_rc words_payload(struct spin_payload *p, struct words *state)
{
	struct spin_dma dma;

	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 0, &state->word[0], 4, &dma);
	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 4, &state->word[1], 4, &dma);
	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 8, &state->word[2], 4, &dma);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(words_to_host, .payload = words_payload, .checksum = SPIN_CHECKSUM_HOST);
