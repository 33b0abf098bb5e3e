/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a direct store to the packet. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);

	if (w)
		*w = 0; // compiler: this is read-only; packets are written with spin_set16 and spin_set32, read-only table fields by the host, constants by nobody
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(write_packet, .payload = f);
