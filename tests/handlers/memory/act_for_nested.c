/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_for_nested - two nested counted loops (SPIN_FOR) with bounds from the packet: the inner one starts at the index of the outer one.
 * Counts pairs of the same parity (continue), at most `stop` of them (break), and keeps the least and the greatest product. Both loops take
 * steps from one budget of 1,200. For tests/vectors/actions.
 */
#include <spin/spin.h>

struct ask {
	uint32_t from, to, stop;
};

struct pairs {
	uint32_t pairs, least, most, unused;
};
SPIN_STATE(struct pairs);

static enum spin_payload_rc act_for_nested_payload(struct spin_payload *p, struct pairs *state)
{
	const struct ask *ask = SPIN_GET(p, 0, struct ask);
	uint32_t from, to, stop, pairs = 0, least = UINT32_MAX, most = 0;

	if (!ask)
		return SPIN_FAIL;
	from = ask->from;
	to = ask->to;
	stop = ask->stop;
	SPIN_FOR(p, i, from, to) {
		SPIN_FOR(p, j, i, to) {
			if ((i ^ j) & 1)
				continue;
			if (pairs == stop)
				break;
			pairs++;
			least = i * j < least ? i * j : least;
			most = i * j > most ? i * j : most;
		}
	}
	state->pairs = pairs;
	state->least = least;
	state->most = most;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_for_nested, .payload = act_for_nested_payload, .budget = 1200);
