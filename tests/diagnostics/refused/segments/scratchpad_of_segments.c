/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a scratchpad of TCP segments. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct words { uint32_t a, b; };
SPIN_SCRATCHPAD(struct words);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_SCRATCH(p)->a = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS); // compiler: SPIN_SCRATCHPAD is a message's: register .delivery = SPIN_DELIVER_ME, or keep it in SPIN_STATE
