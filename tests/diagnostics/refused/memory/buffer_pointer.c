/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a pointer in SPIN_BUFFER. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct entry {
	const uint8_t *at; // compiler: 'at' is a pointer; state has none: keep an index
	uint32_t bytes;
};
SPIN_BUFFER(struct entry, buf, 64);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_BUFFER_OF(p, buf)[p->length & 63].bytes = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_pointer, .payload = f);
