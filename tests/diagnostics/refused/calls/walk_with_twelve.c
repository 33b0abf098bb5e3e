/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_FOR_EACH_WITH over an array of 12. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t words[12]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	SPIN_FOR_EACH_WITH(p, uint32_t, word, state->words, 0, sum) // compiler: SPIN_FOR_EACH_WITH state->words: its elements must be a power of two
		spin_add32(sum, *word);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(with_twelve, .payload = f);
