/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c35_acknowledge - sPIN's listing C.3.5, data server: forwards the parity server's acknowledgement to the client that the user header
 * names. For tests/vectors/listings.
 */
#include <spin/spin.h>

#include "c35_raid.h"

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_header_rc primary_send_acknowledgement_header_handler(struct spin_header *h, struct spin_no_state *unused)
{
	const struct raid_process *client = SPIN_GET(h, 0, struct raid_process);
	uint32_t reply = SPIN_RC_SUCCESS;

	if (!client || spin_put_from_device(h, &reply, sizeof(reply),
					    &(struct spin_put){ .target = raid_process(client), .match_bits = h->match_bits }))
		return SPIN_HEADER_SEGV;
	return SPIN_HEADER_PROCEED;
}

SPIN_HANDLERS(c35_acknowledge, .header = primary_send_acknowledgement_header_handler, .user_header_bytes = sizeof(struct raid_process),
	      .delivery = SPIN_DELIVER_ME);
