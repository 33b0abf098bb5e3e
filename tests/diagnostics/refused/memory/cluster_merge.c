/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_MERGE into another type. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct state { uint32_t words[3]; };
SPIN_STATE(struct state);

struct tally { uint32_t packets; };
SPIN_PER_CLUSTER(struct tally, tally);

static enum spin_payload_rc f(struct spin_payload *p, struct state *state)
{
	SPIN_MERGE(p, tally, &state->words); // compiler: SPIN_MERGE tally: `to` must point to a variable of its type
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(cluster_merge, .payload = f);
