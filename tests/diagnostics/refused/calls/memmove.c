/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: memmove(), even of a constant length. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__builtin_memmove(&state->words[1], &state->words[0], 16); // compiler: there is no function 'memmove'; use __builtin_memcpy of a constant length where the two places do not overlap, and a loop with a constant bound where they do
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(memmove, .payload = f);
