/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* deliver - every datagram goes on to the host. The least that a handler can do, for tests and benchmarks of the way around it. */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc deliver_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)p;
	(void)unused;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(deliver, .payload = deliver_payload);
