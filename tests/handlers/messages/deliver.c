/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* deliver - passes every datagram to the host. The minimal handler, for tests and benchmarks of the code around it. */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc deliver_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)p;
	(void)unused;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(deliver, .payload = deliver_payload);
