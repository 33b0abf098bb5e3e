/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a function without its last brace. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (p->length) {
		state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(brace_absent, .payload = f); // compiler: SPIN_HANDLERS stands inside a function; end the function with }
