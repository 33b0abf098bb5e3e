/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * copy_from_host - serves reads of host memory (PsPIN 4.2.2 and 4.3, from the host to the network)
 *
 * A message requests as many bytes as it has: each of its packets is returned with bytes of the matching entry's memory, which the host has
 * posted for reading, from the packet's offset in the message on, in place of its payload. A put's offset selects where in the entry the
 * read begins. Only the entry can be read: a packet that reaches beyond its end fails and is not answered.
 *
 * Bytes that the host writes during the read may be old or new. An answer is sent once, and a duplicate packet is not
 * answered again: a reader that misses an answer must request those bytes by another message.
 */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc copy_from_host_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_process source = spin_source(p);

	if (spin_payload_from_host(p, SPIN_ME_MEM, p->offset, 0, p->length) || spin_forward(p, &source))
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(copy_from_host,
	      .payload = copy_from_host_payload,
	      .delivery = SPIN_DELIVER_ME);
