/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * datagram - loaded by `spinctl doctor` to test whether this kernel loads datagram handlers
 *
 * It does what most handlers do: reads the payload, counts in its state, answers.
 * Embedded by test_load_image.S. It is loaded and closed again, never attached.
 */
#include <spin/spin.h>

struct seen {
	SPIN_COUNTER(packets);
};
SPIN_STATE(struct seen);

static enum spin_payload_rc datagram_payload(struct spin_payload *p, struct seen *seen)
{
	const spin_be32 *word = SPIN_GET(p, 0, spin_be32);

	if (!word)
		return SPIN_SUCCESS;
	spin_count(&seen->packets, 1);
	return spin_ntoh32(*word) ? SPIN_SUCCESS : spin_reply(p, 4);
}

SPIN_HANDLERS(datagram, .payload = datagram_payload);
