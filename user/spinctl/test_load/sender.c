/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sender - loaded by `spinctl doctor` to test whether this kernel loads handlers that send
 *
 * For each datagram it sends a word of its state to the datagram's source.
 * Embedded by test_load_image.S. It is loaded and closed again, never attached.
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
