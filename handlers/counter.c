/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * counter - counts datagrams and their bytes
 *
 * Counts datagrams and the bytes of their payloads, modulo 2^32, and drops them. The payload handler runs for each datagram, at XDP or on
 * the NIC. The application may read the counts while packets arrive, and may reset them at any time.
 */
#include <spin/spin.h>

struct counter {
	uint32_t packets, bytes;
};

SPIN_STATE(struct counter);

static enum spin_payload_rc counter_payload(struct spin_payload *p, struct counter *c)
{
	spin_add32(&c->packets, 1);
	spin_add32(&c->bytes, p->length);
	return SPIN_DROP;
}

/* The counts are in L1, where an atomic addition takes one cycle. The handler does not read the payload, so it stays in L2. */
SPIN_HANDLERS(counter,
	      .payload = counter_payload,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .state_placement = SPIN_STATE_IN_L1);
