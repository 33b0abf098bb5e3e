/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_copy() with a length known only at run time. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct state { uint32_t from[8], to[8]; };
SPIN_STATE(struct state);

static enum spin_payload_rc f(struct spin_payload *p, struct state *state)
{
	spin_copy(p, state->to, state->from, p->length); // compiler: the length of spin_copy must be a constant and a multiple of 4
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(copy_length, .payload = f);
