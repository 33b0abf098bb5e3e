/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_for - counted loops (SPIN_FOR) with bounds from the packet, little-endian. The first runs from `from` to below `to`, and its rounds,
 * sum and last index are stored. The second sums the payload's bytes, skips those of 0x22 (continue), and ends at index `stop` (break).
 * Both take steps from one budget of 300. For tests/vectors/actions.
 */
#include <spin/spin.h>

struct ask {
	uint32_t from, to, stop;
	uint8_t byte[32];
};

struct counted {
	uint32_t rounds, sum, last;
	uint32_t bytes;
	uint32_t slot[16];
};
SPIN_STATE(struct counted);

static enum spin_payload_rc act_for_payload(struct spin_payload *p, struct counted *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	uint32_t from, to, stop, sum = 0, rounds = 0, bytes = 0;

	if (!ask)
		return SPIN_FAIL;
	from = ask->from;
	to = ask->to;
	stop = ask->stop;
	SPIN_FOR(p, i, from, to) {
		sum += i;
		rounds++;
		state->last = i;
		state->slot[i & 15]++;
	}
	SPIN_FOR(p, i, 0, p->length) {
		const uint8_t *byte = SPIN_GET(p, i, uint8_t);

		if (!byte || i == stop)
			break;
		if (*byte == 0x22)
			continue;
		bytes += *byte;
	}
	state->sum = sum;
	state->rounds = rounds;
	state->bytes = bytes;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_for, .payload = act_for_payload, .budget = 300);
