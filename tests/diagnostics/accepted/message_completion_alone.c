/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a completion handler alone, lengths by sizeof and enum, the longest user header (accepts.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

enum { BYTES = 8 };
struct pad {
	uint32_t words[4];
};
SPIN_SCRATCHPAD(struct pad);

static enum spin_completion_rc done(struct spin_completion *c, struct spin_no_state *unused)
{
	struct pad *pad = SPIN_SCRATCH(c);

	if (spin_dma_to_host(c, SPIN_ME_MEM, 0, pad, sizeof(*pad)) || spin_dma_to_host(c, SPIN_ME_MEM, sizeof(*pad), pad->words, BYTES))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(alone, .message_completion = done, .delivery = SPIN_DELIVER_ME, .user_header_bytes = SPIN_USER_HEADER_MAX);
