/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: handlers without SPIN_STATE or SPIN_NO_STATE. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(state_absent, .payload = f); // compiler: no state is registered; write SPIN_STATE(struct name) or SPIN_NO_STATE before the first handler
