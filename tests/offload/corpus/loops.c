/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: loops that the
 * verifier follows are accepted, an endless one is rejected, and one of 2,000,000 rounds is unknown.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : KIND=0 */
/* expect: accept : KIND=1 */
/* expect: accept : KIND=2 */
/* expect: reject endless-loop : KIND=3 */
/* expect: accept : KIND=4 */
/* expect: unknown too-complex : KIND=5 */
#include "corpus.h"

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned sum = 0;

	PACKET(ctx);
#if KIND == 0
#pragma clang loop unroll(disable)
	for (int i = 0; i < 20; i++) {
		sum += data[i];
		barrier(sum);
	}
#elif KIND == 1
#pragma clang loop unroll(disable)
	for (int i = 0; i < 100; i++) {
		unsigned char *at = data + i;

		if (at + 1 > end)
			break;
		sum += *at;
		barrier(sum);
	}
#elif KIND == 2
#pragma clang loop unroll(disable)
	for (int i = 0; i < 10; i++) {
#pragma clang loop unroll(disable)
		for (int j = 0; j < 5; j++)
			sum += data[j];
		barrier(sum);
	}
#elif KIND == 3
	asm volatile("1: r0 = 1\nif r0 == 1 goto 1b" : : : "r0");
	asm volatile("2: r0 = *(u8 *)(%0 + 0)\nif r0 != 7 goto 2b" : : "r"(data) : "r0");
#elif KIND == 4
#pragma unroll
	for (int i = 0; i < 20; i++)
		sum += data[i] ^ i;
#elif KIND == 5
#pragma clang loop unroll(disable)
	for (int i = 0; i < 2000000; i++)
		barrier(sum);
#endif
	return sum == 77 ? XDP_DROP : XDP_PASS;
}
