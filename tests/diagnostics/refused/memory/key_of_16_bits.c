/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a key of 16 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct route {
	SPIN_KEY(uint16_t, port); // compiler: SPIN_KEY port: a key has 32 bits
	SPIN_READ_ONLY(uint16_t, unused);
	SPIN_COUNTER(packets);
};
SPIN_TABLE(routes, struct route, 64);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	struct route *r = SPIN_FIND(routes, p->length);

	(void)state;
	if (r)
		spin_count(&r->packets, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(key_of_16_bits, .payload = f);
