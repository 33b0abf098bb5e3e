/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* spincc --trusted: accepts a local array of 256 bytes; its variable index needs CAP_PERFMON (run by accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint32_t copy[64];

	for (uint32_t i = 0; i < 64; i++)
		copy[i] = spin_load32(&state->words[i & 15]) + i;
	for (uint32_t i = 0; i < 64; i++)
		state->n += copy[copy[i] & 63];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(stack_256_bytes, .payload = f);
