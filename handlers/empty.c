/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * empty - what the NIC takes by itself (PsPIN 4.2, "Packet latency")
 *
 * Every datagram is dropped, and nothing is done: the handler's first instruction is its last one. What is
 * measured of it is the way to a handler and back.
 */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc empty_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_DROP;
}

SPIN_HANDLERS(empty, .payload = empty_payload);
