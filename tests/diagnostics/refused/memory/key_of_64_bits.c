/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a key of 64 bits. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct route {
	SPIN_KEY(uint64_t, match); // compiler: SPIN_KEY match: a key has 32 bits
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

SPIN_HANDLERS(key_of_64_bits, .payload = f);
