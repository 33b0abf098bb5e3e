/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: memcmp(): handlers have no C library. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (!__builtin_memcmp(&state->words[0], &state->words[8], 8)) // compiler: there is no function 'memcmp'; compare words or fields one by one, or bytes in a loop
		state->n++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(comparison, .payload = f);
