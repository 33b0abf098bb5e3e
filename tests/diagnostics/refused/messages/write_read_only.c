/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a store to a SPIN_READ_ONLY field. Expected error: the faulty line's comment (compilers_refuse.sh) */
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

	if (route)
		route->port = 1; // compiler: 'port' is read-only; packets are written with spin_set16 and spin_set32, read-only table fields by the host, constants by nobody
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(write_read_only, .payload = f);
