/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_COUNT_RUNS_H
#define TESTS_HANDLERS_COUNT_RUNS_H

/*
 * Counts runs of the payload handler and the bytes of payload. The same function is registered for datagrams (count_datagram.c) and for
 * messages (count_message.c), so that a difference in cost comes from the runtime.
 */
#include <spin/spin.h>

struct runs {
	uint32_t runs, bytes;
};

SPIN_STATE(struct runs);

static enum spin_payload_rc count_payload(struct spin_payload *p, struct runs *state)
{
	spin_add32(&state->runs, 1);
	spin_add32(&state->bytes, p->length);
	return SPIN_SUCCESS;
}

#endif
