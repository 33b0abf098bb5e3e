/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sender - loaded by `spinctl doctor` to see whether handlers that send packets load here
 *
 * Each datagram makes it send a word of its state to where the datagram came from.
 */
#include <spin/spin.h>

struct seen {
	uint32_t packets;
};
SPIN_STATE(struct seen);
SPIN_PUTS(1);

static enum spin_payload_rc sender_payload(struct spin_payload *p, struct seen *seen)
{
	struct spin_put put = { .target = spin_source(p) };

	if (spin_put_from_device(p, &seen->packets, sizeof(seen->packets), &put))
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(sender, .payload = sender_payload);
