/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * copy_from_host - serves reads of host memory (PsPIN 4.2.2 and 4.3, from the host to the network)
 *
 * A message is a read of as many bytes as it is long: each of its packets comes back with the matching entry's memory
 * at the packet's place in the message, in place of what it carried. A put's offset says where in the entry the
 * read begins; the entry's bounds are those of what can be read, and a packet that reaches beyond fails unanswered.
 *
 * Nothing is promised of bytes that the host stores to in the meantime. An answer is sent once, and a packet that comes
 * again is not answered again: a reader that misses one reads those bytes by another message.
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
