/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: the stack. Up to
 * 512 bytes, accessed in all widths, are accepted. A variable offset is rejected, and on 6.1 also a read of bytes that were never written.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : WORDS=4 */
/* expect: accept : WORDS=8 */
/* expect: accept : WORDS=20 */
/* expect: accept : WORDS=60 */
/* expect: accept : WORDS=4 LOWEST=512 */
/* expect: reject kernel-verifier : WORDS=4 LOWEST=520 */
/* expect: accept : WORDS=8 AT=0 WIDTH=char */
/* expect: accept : WORDS=8 AT=3 WIDTH=char */
/* expect: accept : WORDS=20 AT=3 WIDTH=char */
/* expect: accept : WORDS=20 AT=6 WIDTH=short */
/* expect: accept : WORDS=20 AT=150 WIDTH=short */
/* expect: accept : WORDS=60 AT=444 WIDTH=int */
/* expect: accept : WORDS=60 AT=32 WIDTH=int */
/* expect: reject stack-offset : WORDS=8 INDEX=1 */
/* expect: reject uninitialized on 6.1 : WORDS=8 UNWRITTEN=1 */
#include "corpus.h"

#ifndef AT
#define AT    8
#define WIDTH long long
#endif

SEC("xdp") int prog(struct xdp_md *ctx)
{
	volatile unsigned long long local[WORDS];
	unsigned long long sum;

	PACKET(ctx);
#ifdef LOWEST
	asm volatile("*(u64 *)(r10 - %1) = %0" ::"r"(1ull), "i"(LOWEST) : "memory");
#endif
#ifndef UNWRITTEN
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		local[i] = data[i % 60];
#endif
#ifdef INDEX
	sum = local[data[0] & 7];
#else
	*(volatile WIDTH *)((volatile char *)local + AT + sizeof(WIDTH)) = (WIDTH)data[1];
	sum = (unsigned long long)*(volatile WIDTH *)((volatile char *)local + AT) + local[WORDS - 1];
#endif
	return sum == 77 ? XDP_DROP : XDP_PASS;
}
