/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a value of `.takes` that is not a SPIN_TAKES_*. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f, .delivery = SPIN_DELIVER_ME, .takes = 8); // compiler: takes is 8: SPIN_TAKES_GET, SPIN_TAKES_ATOMIC, SPIN_TAKES_FETCH, or several with |
