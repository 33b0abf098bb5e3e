/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_reply() to a TCP segment. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return spin_reply(p, p->length); // compiler: spin_reply is for datagrams: a TCP segment is answered by the host's TCP
}

SPIN_HANDLERS(segments, .payload = f, .delivery = SPIN_DELIVER_SEGMENTS);
