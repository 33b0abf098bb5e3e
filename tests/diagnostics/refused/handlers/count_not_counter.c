/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_count() of a field that is not a SPIN_COUNTER. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	spin_count(&state->n, 1); // compiler: member reference base type 'uint32_t' (aka 'unsigned int') is not a structure or union
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(count_not_count, .payload = f);
