/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: `.scratchpad_bytes` instead of SPIN_SCRATCHPAD. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pad, .payload = f, .delivery = SPIN_DELIVER_ME, .scratchpad_bytes = 64); // compiler: the scratchpad's size is registered by SPIN_SCRATCHPAD(TYPE) before the first handler
