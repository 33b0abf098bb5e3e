/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run on the NIC model by tests/model/contexts_share_the_hpus.c: loops as many rounds as the packet's first word says, so
 * that a test sets how long it takes. Used with messages and datagrams.
 */
#include <spin/spin.h>

#include "contexts.h"

SPIN_STATE(struct counts);

static enum spin_payload_rc contexts_payload(struct spin_payload *p, struct counts *state)
{
	const uint32_t *rounds = SPIN_GET(p, 0, uint32_t);
	uint32_t left = rounds ? *rounds : 0;

	while (left) {
		__asm__ volatile("" : "+r"(left));
		left--;
	}
	spin_add32(&state->packets, 1);
	spin_add32(&state->rounds, rounds ? *rounds : 0);
	return SPIN_DROP;
}

#ifndef DELIVERY
#define DELIVERY SPIN_DELIVER_STACK
#endif
SPIN_HANDLERS(contexts, .payload = contexts_payload, .delivery = DELIVERY);
