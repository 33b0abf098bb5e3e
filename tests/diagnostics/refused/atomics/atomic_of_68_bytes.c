/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_atomic() of 68 bytes, 4 too many. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t words[17]; };
SPIN_STATE(struct tally);
SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct spin_put put = { .target = spin_source(p) };

	if (spin_atomic(p, SPIN_ATOMIC_ADD32, state->words, 68, &put)) // compiler: spin_atomic: at most 64 bytes
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(puts, .payload = f, .delivery = SPIN_DELIVER_ME);
