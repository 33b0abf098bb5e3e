/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: strlen(): handlers have no C library. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)__builtin_strlen((const char *)state->words); // compiler: there is no function 'strlen'; handlers have no C library: call those of <spin/spin.h> and your own
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(libc_strlen, .payload = f);
