/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cut - delivers as many bytes of a datagram as its first byte says (<spin/deliver.h>), for NICs with hardware XDP as well, whose programs
 * have no buffer for longer ones. More than the payload is SEGV. For tests/vectors/lengths.
 */
#include <spin/spin.h>

struct cut {
	uint32_t cut;
};

SPIN_STATE(struct cut);

static enum spin_payload_rc cut_payload(struct spin_payload *p, struct cut *state)
{
	const uint8_t *bytes = SPIN_GET(p, 0, uint8_t);

	if (!bytes)
		return SPIN_SEGV;
	spin_add32(&state->cut, 1);
	return spin_deliver(p, *bytes);
}

SPIN_HANDLERS(cut, .payload = cut_payload);
