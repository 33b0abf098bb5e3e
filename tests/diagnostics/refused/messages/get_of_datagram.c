/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a get, sent for a datagram. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_get get = { .target = spin_source(p) };

	if (spin_get(p, 8, &get)) // compiler: spin_get is for messages: a datagram gives its target the bytes alone
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f);
