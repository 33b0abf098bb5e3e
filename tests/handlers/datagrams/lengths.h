/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LENGTHS_H
#define LENGTHS_H

/*
 * Handlers that deliver datagrams in another length (<spin/deliver.h>), as the payload's first bytes say (struct ask): cut, or with a
 * payload from the buffer, in which the bytes count up by one from `first`. The packet's word after these bytes is inverted before, so it
 * arrives inverted unless the payload is the buffer's. Other codes and replies after the call show that only SPIN_SUCCESS delivers.
 * Registered by lengths.c, lengths_user.c and lengths_host.c, for tests/vectors/lengths and tests/sockets.
 */
#include <spin/spin.h>

enum { CUT = 1, MADE, CUT_THEN_DROP, CUT_THEN_REPLY, MADE_THEN_CUT, CUT_THEN_MADE, CUT_TWICE };

struct ask {
	uint8_t what, first;
	spin_be16 bytes;
	uint32_t inverted;
};

struct lengths {
	uint32_t asked, refused, completed_bytes;
};

SPIN_STATE(struct lengths);
SPIN_REPLY(1024);

static void fill(struct spin_payload *p, uint32_t first)
{
	uint32_t *out = SPIN_REPLY_OF(p);

	SPIN_FOR(p, i, 0, 256) {
		const uint32_t at = first + 4 * i;

		out[i & 255] = spin_hton32((at & 255) << 24 | ((at + 1) & 255) << 16 | ((at + 2) & 255) << 8 | ((at + 3) & 255));
	}
}

static enum spin_payload_rc lengths_payload(struct spin_payload *p, struct lengths *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	enum spin_payload_rc rc = SPIN_SUCCESS;
	uint32_t what, bytes;

	if (!ask)
		return SPIN_SUCCESS;
	state->asked++;
	what = ask->what;
	bytes = spin_ntoh16(ask->bytes);
	if (what == MADE || what == MADE_THEN_CUT || what == CUT_THEN_MADE)
		fill(p, ask->first);
	spin_set32(p, &ask->inverted, ~ask->inverted);
	if (what == MADE_THEN_CUT)
		rc = spin_deliver_from_buffer(p, 32);
	if (what == CUT_THEN_MADE)
		rc = spin_deliver(p, 8);
	if (what == CUT_TWICE)
		rc = spin_deliver(p, p->length);
	if (what == MADE || what == CUT_THEN_MADE)
		rc = spin_deliver_from_buffer(p, bytes);
	else if (what)
		rc = spin_deliver(p, bytes);
	if (rc != SPIN_SUCCESS)
		state->refused++;
	if (what == CUT_THEN_DROP)
		return SPIN_DROP;
	return what == CUT_THEN_REPLY ? spin_reply(p, p->length) : rc;
}

static enum spin_completion_rc lengths_completion(struct spin_completion *c, struct lengths *state)
{
	state->completed_bytes = c->length;
	return SPIN_COMPLETION_SUCCESS;
}

#endif
