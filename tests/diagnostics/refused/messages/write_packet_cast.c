/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a pointer to the packet that is not const. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t *w = SPIN_GET(p, 0, uint32_t); // compiler: what is read-only becomes writable here; declare the pointer const: packets are written with spin_set16 and spin_set32, read-only table fields by the host, constants by nobody

	if (w)
		*w = 0;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(write_packet_ca, .payload = f);
