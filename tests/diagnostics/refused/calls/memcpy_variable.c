/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a memcpy of a length known only at run time. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint8_t *from = SPIN_GET(p, 0, uint8_t);

	if (from)
		__builtin_memcpy(state->words, from, p->length & 15); // compiler: 'memcpy' of a length that is not constant, or too long to be written out; write a loop with a constant bound, or __builtin_memcpy with a constant length
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(memcpy_variable, .payload = f);
