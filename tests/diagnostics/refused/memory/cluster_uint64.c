/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: 64-bit words in SPIN_PER_CLUSTER. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct tally {
	uint32_t packets;
	uint64_t bytes; // compiler: 'bytes' is not a uint32_t but uint64_t: the value of SPIN_PER_CLUSTER is the sum of its copies, by 32-bit words
};
SPIN_PER_CLUSTER(struct tally, tally);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	(void)state;
	spin_add32(&SPIN_LOCAL(p, tally)->packets, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(cluster_uint64, .payload = f);
