/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers for tests that include the message engine as plain C (bpf/context.host.c): the payload handler calls the test's hook() while it
 * runs. Included by yielding_message_is_begun_again.c and refused_while_handlers_run.c.
 */
#include <spin/spin.h>

SPIN_NO_STATE;

static void hook(void);

static enum spin_payload_rc hooked_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)p;
	(void)unused;
	hook();
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(hooked, .payload = hooked_payload, .bytes_in_l1 = SPIN_HEADERS_ONLY, .delivery = SPIN_DELIVER_ME);
