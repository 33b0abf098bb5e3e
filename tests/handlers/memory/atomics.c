/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * atomics - the three words of a packet are operands of atomic operations on the state, which is in the HPUs' L2 memory: the first is added
 * to `sum`, and `cell` becomes the third if it equals the second. `swapped` and `kept` count the two outcomes. For tests/vectors/atomics.
 */
#include <spin/spin.h>

struct ask {
	spin_be32 add, expect, swap;
};

struct words {
	uint32_t sum, cell, swapped, kept, copy;
};

SPIN_STATE(struct words, .cell = 7);

static enum spin_payload_rc atomics_payload(struct spin_payload *p, struct words *state)
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

SPIN_HANDLERS(atomics, .payload = atomics_payload);
