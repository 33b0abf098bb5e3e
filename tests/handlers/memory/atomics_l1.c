/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * atomics_l1 - atomics.c (an addition, and a compare-and-swap, with operands from the packet) with the state in the HPUs' L1 and the
 * payload in L2 memory. The results must be the same. For tests/vectors/atomics.
 */
#include <spin/spin.h>

struct ask {
	spin_be32 add, expect, swap;
};

struct words {
	uint32_t sum, cell, swapped, kept, copy;
};

SPIN_STATE(struct words, .cell = 7);

static enum spin_payload_rc atomics_l1_payload(struct spin_payload *p, struct words *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);

	if (!ask)
		return SPIN_SEGV;
	spin_add32(&state->sum, spin_ntoh32(ask->add));
	if (spin_cas32(&state->cell, spin_ntoh32(ask->expect), spin_ntoh32(ask->swap)))
		spin_add32(&state->swapped, 1);
	else
		spin_add32(&state->kept, 1);
	spin_store32(&state->copy, spin_load32(&state->cell) + 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(atomics_l1, .payload = atomics_l1_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY, .state_placement = SPIN_STATE_IN_L1);
