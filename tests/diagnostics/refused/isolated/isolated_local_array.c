/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: a local array with a variable index. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t copy[8] = { 0 };

	copy[p->length & 7] = 1; // isolated: a local array is indexed with a variable; keep the array in the state
	for (uint32_t i = 0; i < 8; i++)
		state->words[i] = copy[i];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_local_, .payload = f);
