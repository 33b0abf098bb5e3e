/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a table of 100 entries, not a power of two. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct route {
	SPIN_KEY(uint32_t, src);
	SPIN_COUNTER(packets);
};
SPIN_TABLE(routes, struct route, 100); // compiler: SPIN_TABLE routes: entries must be a power of two up to 1048576

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = routes[0].src;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(table_size, .payload = f);
