/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: `.puts` in SPIN_HANDLERS instead of SPIN_PUTS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(puts, .payload = f, .puts = 2); // compiler: how many packets handlers send is registered by SPIN_PUTS(n) before the first handler
