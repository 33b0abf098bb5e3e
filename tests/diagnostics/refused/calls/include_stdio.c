/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: <stdio.h>: handlers have no C library. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

#include <stdio.h> // compiler: this header is the system's, which no HPU has; include <spin/spin.h> and headers of your own

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(include_stdio, .payload = f);
