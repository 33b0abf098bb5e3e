/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: assembly without an instruction, as a compiler barrier (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->words[0] = 1;
	__asm__ volatile("" ::: "memory");
	state->words[1] = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(compiler_barrie, .payload = f);
