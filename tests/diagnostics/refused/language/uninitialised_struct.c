/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a field that is read before it has a value. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct pair { uint32_t a, b; };

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct pair pair;

	pair.a = p->length;
	state->n = pair.a + pair.b; // compiler: 'pair.b' is read before it has a value; initialise it
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(uninitialised_s, .payload = f);
