/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * c31_pingpong - sPIN's listing C.3.1: sends a message back packet by packet, or as a whole from host memory if it has more than 4,096
 * bytes. For tests/vectors/listings.
 *
 * As in the listing, the header handler does not store the source of a long message: it goes to the process that the application has
 * written to the state.
 */
#include <spin/spin.h>

enum { PTL_MAX_SIZE = 4096, STREAMING = 1 };

struct pingpong_info {
	uint32_t offset;
	struct spin_process source;
	uint32_t length;
	uint32_t stream;
};
SPIN_STATE(struct pingpong_info);
SPIN_PUTS(1);

static enum spin_header_rc pingpong_header_handler(struct spin_header *h, struct pingpong_info *i)
{
	if (h->length > PTL_MAX_SIZE || !STREAMING) {
		i->stream = 0;
		i->length = h->length;
		return SPIN_HEADER_PROCEED_COMPLETE;
	}
	i->source = spin_source(h);
	i->stream = 1;
	return SPIN_HEADER_PROCESS_DATA; /* execute payload handler to put from device */
}

static enum spin_payload_rc pingpong_payload_handler(struct spin_payload *p, struct pingpong_info *i)
{
	return spin_put_payload(p, 0, p->length, &(struct spin_put){ .target = i->source, .match_bits = 10 }) ? SPIN_SEGV : SPIN_SUCCESS;
}

static enum spin_completion_rc pingpong_completion_handler(struct spin_completion *c, struct pingpong_info *i)
{
	if (!i->stream && spin_put_from_host(c, i->offset, i->length, &(struct spin_put){ .target = i->source, .match_bits = 10 }))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(c31_pingpong, .header = pingpong_header_handler, .payload = pingpong_payload_handler,
	      .message_completion = pingpong_completion_handler, .delivery = SPIN_DELIVER_ME);
