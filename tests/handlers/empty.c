/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* empty - every datagram goes on to the host. */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc empty_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)p;
	(void)unused;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(empty, .payload = empty_payload);
