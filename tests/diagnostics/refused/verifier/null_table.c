/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: SPIN_FIND's result used without a test. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct route {
	SPIN_KEY(uint32_t, src);
	SPIN_READ_ONLY(uint32_t, port);
	SPIN_COUNTER(packets);
	SPIN_READ_ONLY(uint32_t, unused);
};
SPIN_TABLE(routes, struct route, 64);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct route *route = SPIN_FIND(routes, spin_src_addr4(p));

	spin_count(&route->packets, 1); // verifier: a pointer is used that may be NULL; test what SPIN_GET, SPIN_AT or SPIN_FIND gave before using it
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(null_table, .payload = f);
