/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a file without SPIN_HANDLERS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}
 // compiler: no handlers are registered; end the file with SPIN_HANDLERS(name, .payload = function)
