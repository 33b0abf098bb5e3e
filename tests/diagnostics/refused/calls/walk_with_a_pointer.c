/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_FOR_EACH_WITH over a pointer. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t *words = state->words;

	SPIN_FOR_EACH_WITH(p, uint32_t, word, words, 0, sum) // compiler: SPIN_FOR_EACH_WITH words: a pointer does not tell how many elements it has; give an array
		spin_add32(sum, *word);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(with_a_pointer, .payload = f);
