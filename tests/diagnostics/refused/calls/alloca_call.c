/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: alloca of a length known only at run time. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint8_t *copy = __builtin_alloca(p->length); // compiler: memory of variable size on the stack; write an array of its largest length (about 256 bytes in all)

	copy[0] = 1;
	state->n = copy[0];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(alloca_call, .payload = f);
