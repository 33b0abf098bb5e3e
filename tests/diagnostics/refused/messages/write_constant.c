/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a store to a constant through a cast. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static const uint32_t primes[4] = { 2, 3, 5, 7 };

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	((uint32_t *)primes)[p->length & 3] = 1; // compiler: this cast makes read-only memory writable; packets are written with spin_set16 and spin_set32, read-only table fields by the host, constants by nobody
	state->n = primes[state->n & 3];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(write_constant, .payload = f);
