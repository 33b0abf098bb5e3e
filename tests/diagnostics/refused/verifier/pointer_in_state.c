/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: a pointer stored in the state. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	*(const void **)state->words = p; // verifier: a pointer is used as a number; keep offsets and indices, not pointers
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pointer_in_stat, .payload = f);
