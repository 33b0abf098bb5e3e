/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: bytes in SPIN_PER_CLUSTER, which adds 32-bit words. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct tally {
	uint32_t packets;
	uint8_t low[8]; // compiler: 'low' is not a uint32_t but uint8_t: the value of SPIN_PER_CLUSTER is the sum of its copies, by 32-bit words
};
SPIN_PER_CLUSTER(struct tally, tally);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *state)
{
	(void)state;
	spin_add32(&SPIN_LOCAL(p, tally)->packets, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(cluster_bytes, .payload = f);
