/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: malloc(): handlers have no heap. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

void *malloc(size_t bytes);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t *w = malloc(p->length); // compiler: 'malloc': handlers have no heap; keep memory in the struct of SPIN_STATE or in a SPIN_TABLE

	if (w)
		state->n = *w;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(libc_malloc, .payload = f);
