/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c35_read - sPIN's listing C.3.5, data server: the user header contains a length, and the reply to it is a put of that many bytes from the
 * start of the message's place in the entry. For tests/vectors/listings.
 */
#include <spin/spin.h>

struct user_header {
	uint32_t length;
};
SPIN_NO_STATE;
SPIN_PUTS(1);

/* The message starts at h->offset in the entry, so h->offset is 0 here. */
static enum spin_header_rc primary_read_header_handler(struct spin_header *h, struct spin_no_state *unused)
{
	const struct user_header *user_hdr = SPIN_GET(h, 0, struct user_header);

	if (!user_hdr ||
	    spin_put_from_host(h, 0, user_hdr->length, &(struct spin_put){ .target = spin_source(h), .match_bits = h->match_bits }))
		return SPIN_HEADER_SEGV;
	return SPIN_HEADER_PROCEED;
}

SPIN_HANDLERS(c35_read, .header = primary_read_header_handler, .user_header_bytes = sizeof(struct user_header),
	      .delivery = SPIN_DELIVER_ME);
