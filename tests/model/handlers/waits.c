/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run on the NIC model by tests/model/waits_are_for_the_right_command.c: issues more commands (DMA) than there are slots, and
 * stores the number of each in the state when the wait for it has returned. The test checks that it is complete by then.
 */
#include "waits.h"

SPIN_STATE(struct waits);

static enum spin_payload_rc waits(struct spin_payload *p, struct waits *state)
{
	uint32_t words[WAITS_MORE], word;
	struct spin_dma dma[WAITS_MORE];

	spin_dma_from_host(p, SPIN_HANDLER_MEM, 0, &word, sizeof(word));
	spin_store32(&state->done, 0);
	for (uint32_t i = 0; i < WAITS_MORE; i++)
		spin_dma_from_host_nb(p, SPIN_HANDLER_MEM, i * 4, &words[i], sizeof(words[i]), &dma[i]);
	for (uint32_t i = WAITS_MORE; i--;) { /* the commands after the fourth first */
		spin_dma_wait(p, &dma[i]);
		spin_store32(&state->done, 1 + i);
	}
	spin_dma_from_host_nb(p, SPIN_HANDLER_MEM, 0, &words[0], sizeof(words[0]), &dma[0]);
	spin_dma_from_host_nb(p, SPIN_HANDLER_MEM, 4, &words[1], sizeof(words[1]), &dma[1]);
	while (!spin_dma_test(p, &dma[1]))
		;
	spin_store32(&state->done, WAITS_MORE + 2);
	while (!spin_dma_test(p, &dma[0]))
		;
	spin_store32(&state->done, WAITS_MORE + 1);
	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 512, &words[2], sizeof(words[2]), &dma[0]); /* the handler does not wait for it */
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(waits, .payload = waits);
