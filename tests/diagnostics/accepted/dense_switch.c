/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a dense switch, which must not become a jump table: eBPF has none (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	switch (p->length) {
	case 1:
		state->n = 3;
		break;
	case 2:
		state->n = 9;
		break;
	case 3:
		state->n = 77;
		break;
	case 4:
		state->n *= 5;
		break;
	case 5:
		state->n ^= 6;
		break;
	case 6:
		state->n += 4;
		break;
	case 7:
		state->n = 1;
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(dense_switch, .payload = f);
