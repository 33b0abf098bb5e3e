/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the kernel's verifier: an unbounded table index. Expected error: the faulty line's comment (verifier_refuses.sh) */
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
	spin_count(&routes[spin_ntoh16(spin_src_port(p))].packets, 1); // verifier: the index may be beyond the array; take SPIN_AT(array, i) and test it for NULL, or mask i with a power of two
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(index_table, .payload = f);
