/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a budget of 2^32 - 1 steps. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f, .budget = 0xffffffff); // compiler: budget is 4294967295, at most 4194304 steps; more would keep an HPU from its packets
