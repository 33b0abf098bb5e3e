/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: a packet byte at an index past SPIN_GET's. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint8_t *bytes = SPIN_GET(p, 0, uint8_t);

	if (bytes)
		state->n += bytes[p->length - 1]; // verifier: this goes beyond what was tested of the packet; give SPIN_GET a type that covers all that is used, or walk with SPIN_FOR_EACH
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(index_packet, .payload = f);
