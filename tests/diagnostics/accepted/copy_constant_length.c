/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: copies of a constant length, from the packet and to the state (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

struct pair {
	uint32_t a, b;
};

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const struct pair *from = SPIN_GET(p, 0, struct pair);
	struct pair pair = { 0 };

	if (from)
		pair = *from;
	__builtin_memcpy(state->words, &pair, sizeof(pair));
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(copy_constant_l, .payload = f);
