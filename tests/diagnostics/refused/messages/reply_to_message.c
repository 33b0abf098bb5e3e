/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_reply() to a message's packet. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return spin_reply(p, 4); // compiler: spin_reply is for datagrams: packets of messages are acknowledged by the NIC
}

SPIN_HANDLERS(reply, .payload = f, .delivery = SPIN_DELIVER_ME);
