/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * empty - the shortest possible handler, to measure the NIC's own latency (PsPIN 4.2, "Packet latency")
 *
 * Drops every datagram and does nothing else: the handler's first instruction is its last one. What is measured is the
 * way to a handler and back.
 */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc empty_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_DROP;
}

SPIN_HANDLERS(empty, .payload = empty_payload);
