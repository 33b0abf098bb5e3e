/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a scratchpad in handlers of datagrams. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct pad { uint32_t n, words[15]; };
SPIN_SCRATCHPAD(struct pad);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_SCRATCH(p)->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(scratchpad, .payload = f); // compiler: SPIN_SCRATCHPAD is a message's: register .delivery = SPIN_DELIVER_ME, or keep it in SPIN_STATE
