/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_fetch - accepts fetching atomics only (messages that change host memory and return the old value); act_fetch_ask sends them. Its
 * header handler returns PROCEED (the NIC does the operation), or the low byte of the match bits (a tag in the message's header) as code,
 * if that is not 0. For tests/vectors/entries.
 */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_header_rc act_fetch_header(struct spin_header *h, struct spin_no_state *state)
{
	(void)state;
	return h->match_bits & 255 ? (enum spin_header_rc)(h->match_bits & 255) : SPIN_HEADER_PROCEED;
}

SPIN_HANDLERS(act_fetch, .header = act_fetch_header, .delivery = SPIN_DELIVER_ME, .takes = SPIN_TAKES_FETCH);
