/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a fetching atomic, sent for a datagram. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t words[2]; };
SPIN_STATE(struct tally);

SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct spin_get get = { .target = spin_source(p) };

	if (spin_fetch_atomic(p, SPIN_ATOMIC_ADD32, state->words, 8, &get)) // compiler: spin_fetch_atomic is for messages: a datagram gives its target the bytes alone
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(fetches, .payload = f);
