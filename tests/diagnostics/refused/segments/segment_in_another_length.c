/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_deliver() of a TCP segment. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return spin_deliver(p, 4); // compiler: spin_deliver is for datagrams: the host's TCP counts the bytes of a segment
}

SPIN_HANDLERS(cut, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS);
