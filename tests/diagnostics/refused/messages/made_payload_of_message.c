/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a payload from the buffer for a message's packet. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_REPLY(64);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_REPLY_OF(p)[0] = 1;
	return spin_deliver_from_buffer(p, 4); // compiler: spin_deliver_from_buffer is for datagrams: packets of messages are not passed on
}

SPIN_HANDLERS(made, .payload = f, .delivery = SPIN_DELIVER_ME);
