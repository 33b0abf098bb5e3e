/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run on the NIC model by tests/model/handlers_send_and_overrun.c: the payload handler sends as many packets as the first
 * word says, and fails if sending changes its own packet; header and completion handler send one each. SPIN_PUTS is 3, so more must fail.
 * If the word is OVERRUNS, the payload handler loops until its budget ends it.
 */
#include <spin/spin.h>

#include "sends.h"

#ifndef BYTES_IN_L1
#define BYTES_IN_L1 SPIN_WHOLE_PACKET
#endif

SPIN_NO_STATE;
SPIN_PUTS(3);

static struct spin_process next(struct spin_process source)
{
	source.port = spin_hton16(7000);
	return source;
}

static enum spin_header_rc sends_header(struct spin_header *h, struct spin_no_state *unused)
{
	uint32_t word = 0x11;
	struct spin_put put;

	(void)unused;
	put.target = next(spin_source(h)); /* one by one: for an initializer gcc 14 calls memset(), which the image lacks */
	put.match_bits = 1;
	put.hdr_data = put.remote_offset = 0;
	return spin_put_from_device(h, &word, 4, &put) ? SPIN_HEADER_SEGV : SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc sends_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const uint32_t *count = SPIN_GET(p, 0, uint32_t);
	struct spin_process to = next(spin_source(p));
	uint32_t left = count ? *count : 0;

	(void)unused;
	SPIN_WHILE(p, left == OVERRUNS || left--) {
		if (left == OVERRUNS)
			continue;
		if (spin_forward(p, &to))
			return SPIN_SEGV;
		if (spin_src_port(p) != spin_hton16(4000))
			return SPIN_FAIL;
	}
	return SPIN_SUCCESS;
}

static enum spin_completion_rc sends_completion(struct spin_completion *c, struct spin_no_state *unused)
{
	struct spin_put put = { .target = next(spin_source(c)), .hdr_data = 2, .remote_offset = 3 };

	(void)unused;
	return spin_put_from_host(c, 0, 64, &put) ? SPIN_COMPLETION_SEGV : SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(sends, .header = sends_header, .payload = sends_payload, .message_completion = sends_completion, .delivery = SPIN_DELIVER_ME,
	      .budget = 5, .bytes_in_l1 = BYTES_IN_L1);
