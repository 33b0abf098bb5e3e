/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a new destination port for a TCP segment. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	spin_set_dst_port(p, spin_hton16(7)); // compiler: spin_set_dst_port is for datagrams: the host's TCP knows a connection by its ports
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS);
