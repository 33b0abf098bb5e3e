/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_SCRATCH without SPIN_SCRATCHPAD. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	uint32_t *pad = SPIN_SCRATCH(p); // compiler: SPIN_SCRATCH needs SPIN_SCRATCHPAD(TYPE) before the first handler function

	*pad = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(scratchpad, .payload = f, .delivery = SPIN_DELIVER_ME);
