/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: properties of the
 * whole program. Return codes that the card does not know are a warning; sections other than "xdp", and 800 rounds of unrolled code, are
 * rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : NAME="xdp" CODE=XDP_PASS */
/* expect: accept : NAME="xdp" CODE=XDP_DROP */
/* expect: accept : NAME="xdp" CODE=XDP_TX */
/* expect: accept : NAME="xdp" CODE=XDP_ABORTED */
/* expect: warn return-code : NAME="xdp" CODE=XDP_REDIRECT */
/* expect: warn return-code : NAME="xdp" CODE=77 */
/* expect: reject prog-frags : NAME="xdp.frags" CODE=XDP_PASS */
/* expect: reject prog-kind : NAME="xdp/devmap" CODE=XDP_PASS */
/* expect: reject prog-kind : NAME="xdp/cpumap" CODE=XDP_PASS */
/* expect: accept : ROUNDS=20 */
/* expect: accept : ROUNDS=200 */
/* expect: reject program-size : ROUNDS=800 */
#include "corpus.h"

#ifdef ROUNDS
SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned long long sum;

	PACKET(ctx);
	sum = data[0];
#pragma unroll
	for (int i = 0; i < ROUNDS; i++) {
		sum ^= sum >> 7;
		barrier(sum);
	}
	*(unsigned long long *)data = sum;
	return XDP_TX;
}
#else
SEC(NAME) int prog(struct xdp_md *ctx)
{
	return CODE;
}
#endif
