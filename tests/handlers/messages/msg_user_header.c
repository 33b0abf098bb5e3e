/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * msg_user_header - a message starts with 8 bytes for the header handler only: its return code, and the offset of the rest; payload
 * handlers write it there. For tests/vectors/message_headers.
 */
#include <spin/spin.h>

#define USER_HEADER 8

struct order {
	spin_be32 code; /* returned by the header handler */
	spin_be32 place;
};

struct seen {
	uint32_t place;
	uint32_t beyond; /* the header handler could read beyond the user header */
	uint32_t headers, packets, bytes, first_offset;
};
SPIN_STATE(struct seen, .first_offset = 0xffffffff);

static enum spin_header_rc user_header(struct spin_header *h, struct seen *state)
{
	const struct order *order = SPIN_GET(h, 0, struct order);

	state->headers++;
	if (SPIN_GET(h, USER_HEADER, uint8_t))
		state->beyond++;
	if (!order)
		return SPIN_HEADER_FAIL;
	state->place = spin_ntoh32(order->place);
	return (enum spin_header_rc)spin_ntoh32(order->code);
}

static enum spin_payload_rc user_payload(struct spin_payload *p, struct seen *state)
{
	state->packets++;
	state->bytes += p->length;
	if (p->offset < state->first_offset)
		state->first_offset = p->offset;
	return spin_payload_to_host(p, SPIN_ME_MEM, state->place + p->offset - USER_HEADER, 0, p->length) ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(msg_user_header, .header = user_header, .payload = user_payload, .user_header_bytes = USER_HEADER,
	      .delivery = SPIN_DELIVER_ME);
