/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run on the NIC model by tests/model/atomics_go_on.c: for each packet adds 1 to the first word of host memory, in the way
 * that the packet selects (blocking, non-blocking, compare-and-swap). The old value is a ticket, which must be unique.
 */
#include "atomics_nb.h"

SPIN_STATE(struct atomics_nb);

SPIN_INLINE void work(struct spin_payload *p, struct atomics_nb *state)
{
	SPIN_FOR(p, i, 0, ATOMICS_ROUNDS)
		*(volatile uint32_t *)&state->work = i;
}

SPIN_INLINE void record_ticket(struct atomics_nb *state, uint64_t ticket)
{
	uint8_t *taken = &state->taken[ticket & (ATOMICS_PACKETS - 1)];

	if (ticket >= ATOMICS_PACKETS || *taken)
		spin_add32(&state->twice, 1);
	*taken = 1;
}

static enum spin_payload_rc atomics_nb(struct spin_payload *p, struct atomics_nb *state)
{
	const uint32_t *how = SPIN_GET(p, 0, uint32_t);
	uint64_t ticket = 0, before;
	struct spin_dma dma;

	if (!how)
		return SPIN_FAIL;
	switch (*how) {
	case ATOMICS_BLOCKING:
		spin_dma_fadd64(p, SPIN_HANDLER_MEM, 0, 1, &ticket);
		work(p, state);
		break;
	case ATOMICS_OVERLAP:
		spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, 0, 1, &ticket, &dma);
		work(p, state);
		spin_dma_wait(p, &dma);
		break;
	case ATOMICS_LOCKED:
		spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, 0, 1, &ticket, &dma);
		SPIN_LOCKED(p, &state->lock) {
			spin_dma_fadd64(p, SPIN_HANDLER_MEM, 8, 1, &before);
			state->locked++;
		}
		while (!spin_dma_test(p, &dma))
			;
		break;
	case ATOMICS_CAS:
		do {
			before = ticket;
			spin_dma_cas64_nb(p, SPIN_HANDLER_MEM, 0, &ticket, before + 1, &dma);
			spin_dma_wait(p, &dma);
		} while (ticket != before);
		break;
	case ATOMICS_NO_WAIT:
		spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, 16, 1, &before, &dma);
		return SPIN_DROP;
	case ATOMICS_NO_WAIT_STATE:
		spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, 0, 1, &state->left, &dma);
		return SPIN_DROP;
	}
	record_ticket(state, ticket);
	return SPIN_DROP;
}

SPIN_HANDLERS(atomics_nb, .payload = atomics_nb, .budget = 100000);
