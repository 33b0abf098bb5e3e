/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a new destination port for a message's packet. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

SPIN_INLINE void redirect(struct spin_payload *p)
{
	spin_set_dst_port(p, spin_hton16(7)); // compiler: spin_set_dst_port is for datagrams: packets of messages are not passed on
}

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	redirect(p);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(dst_port, .payload = f, .delivery = SPIN_DELIVER_ME);
