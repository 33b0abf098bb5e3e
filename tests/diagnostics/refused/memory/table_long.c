/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a long in a table. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct route {
	SPIN_KEY(uint32_t, src);
	SPIN_READ_ONLY(unsigned long, bytes); // compiler: 'bytes' is an unsigned long, which has 8 bytes in the kernel and 4 on an HPU; use int32_t, uint32_t, int64_t or uint64_t
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

SPIN_HANDLERS(table_long, .payload = f);
