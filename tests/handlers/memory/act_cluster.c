/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_cluster - datagrams of two words, an operation and a number, on memory of clusters, of which each cluster of HPUs has a copy. 0 adds
 * the number to the local copy, by all atomic operations whose total does not depend on the cluster. 1 merges: stores the sum of all copies
 * in the state. 2 subtracts the number. For tests/vectors/actions_memory, tests/live/memory_of_clusters_is_a_sum.c and
 * tests/model/images_are_for_pspin.sh.
 */
#include <spin/spin.h>

struct tally {
	uint32_t sum, packets;
	struct {
		uint32_t low, high;
	} half[2]; /* halves of the number, by its lowest bit */
};
SPIN_PER_CLUSTER(struct tally, tally);
SPIN_PER_CLUSTER(uint32_t, beside);

struct merged {
	struct tally tally;
	uint32_t before, beside;
};
SPIN_STATE(struct merged, .before = 7);

static enum spin_payload_rc act_cluster_payload(struct spin_payload *p, struct merged *state)
{
	const uint32_t *op = SPIN_GET(p, 0, uint32_t), *n = SPIN_GET(p, 4, uint32_t);
	struct tally *local = SPIN_LOCAL(p, tally);

	if (!op || !n)
		return SPIN_FAIL;
	if (*op == 1) {
		SPIN_MERGE(p, tally, &state->tally);
		SPIN_MERGE(p, beside, &state->beside);
		return SPIN_DROP;
	}
	if (*op == 2) {
		spin_add32(&local->sum, -*n);
		return SPIN_SUCCESS;
	}
	spin_fadd32(&local->sum, *n);
	spin_add32(&local->packets, 1);
	spin_add32(&local->half[*n & 1].low, *n & 0xffff);
	spin_add32(&local->half[*n & 1].high, *n >> 16);
	spin_add32(SPIN_LOCAL(p, beside), 2);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(act_cluster, .payload = act_cluster_payload);
