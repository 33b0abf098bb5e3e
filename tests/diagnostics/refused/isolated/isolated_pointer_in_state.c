/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: a pointer stored in the state. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	*(uint64_t *)&state->words[1] = (uint64_t)(uintptr_t)state; // isolated: a pointer is stored where the host could read it; store an offset or an index
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_pointe, .payload = f);
