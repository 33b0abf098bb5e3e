/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: memcpy() without a declaration. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	memcpy(state->words, p, 4); // compiler: 'memcpy' of a length that is not constant, or too long to be written out; write a loop with a constant bound, or __builtin_memcpy with a constant length
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(memcpy_undeclar, .payload = f);
