/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: gets accepted without SPIN_PUTS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f, .delivery = SPIN_DELIVER_ME, .takes = SPIN_TAKES_GET); // compiler: it takes gets, whose answers are sent: say with SPIN_PUTS(n) before the first handler how many packets at most for one that came, the answer among them
