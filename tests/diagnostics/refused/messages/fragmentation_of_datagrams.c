/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: fragmentation_bytes for datagrams. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f, .fragmentation_bytes = 8); // compiler: fragmentation_bytes is for messages: register .delivery = SPIN_DELIVER_ME, or look at the length of each packet
