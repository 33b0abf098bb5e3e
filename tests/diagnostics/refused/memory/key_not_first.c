/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_KEY after another field. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct route {
	SPIN_READ_ONLY(uint32_t, port);
	SPIN_KEY(uint32_t, src); // compiler: SPIN_KEY src: SPIN_FIND looks for the key in an entry's first field; make it that
	SPIN_READ_ONLY(uint32_t, unused);
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

SPIN_HANDLERS(key_not_first, .payload = f);
