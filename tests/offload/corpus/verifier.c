/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: what no kernel
 * accepts, for any card, is rejected: packet accesses without a test, unwritten registers, a jump into an instruction, the stack of a
 * function that has returned. Tests in other forms (<=, >=, <) are accepted.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: reject packet-bounds : KIND=0 */
/* expect: reject packet-bounds : KIND=1 */
/* expect: accept : KIND=2 */
/* expect: accept : KIND=3 */
/* expect: accept : KIND=4 */
/* expect: reject uninitialized : KIND=5 */
/* expect: reject packet-bounds : KIND=6 */
/* expect: accept : KIND=7 */
/* expect: reject kernel-verifier : KIND=8 */
/* expect: reject kernel-verifier : KIND=9 */
#include "corpus.h"

static __attribute__((noinline)) int store_own_frame(unsigned long long *to)
{
	asm volatile("*(u64 *)(%0 + 0) = r10" ::"r"(to) : "memory");
	return 0;
}

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data, *end = (unsigned char *)(long)ctx->data_end;

#if KIND == 0
	return data[0] ? XDP_PASS : XDP_DROP;
#elif KIND == 1
	if (data + 4 > end)
		return data[0] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 2
	if (data + 4 <= end)
		return data[3] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 3
	if (end >= data + 4)
		return data[3] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 4
	if (data + 4 < end)
		return data[4] ? XDP_PASS : XDP_DROP;
	return XDP_PASS;
#elif KIND == 5
	unsigned x;

	asm volatile("%0 = r8" : "=r"(x));
	return x ? XDP_PASS : XDP_DROP;
#elif KIND == 6
	if (data + 14 > end || bpf_xdp_adjust_head(ctx, 4))
		return XDP_DROP;
	data = (unsigned char *)(long)ctx->data;
	return data[0];
#elif KIND == 8
	/* goto +1: into the second half of a 64-bit load, which is the load of a value of map 1 */
	asm volatile("r0 = 2\n"
		     ".byte 0x05, 0, 1, 0, 0, 0, 0, 0\n"
		     ".byte 0x18, 3, 0, 0, 0, 0, 0, 0\n"
		     ".byte 0x18, 0x21, 0, 0, 1, 0, 0, 0\n"
		     ".byte 0, 0, 0, 0, 0, 0, 0, 0\n"
		     "r2 = *(u32 *)(r1 + 0)" ::
			     : "r0", "r1", "r2", "r3");
	return XDP_PASS;
#elif KIND == 9
	unsigned long long *stored = 0;
	unsigned read;

	store_own_frame((unsigned long long *)&stored);
	asm volatile("r3 = %1\n%0 = *(u32 *)(r3 - 8)" : "=r"(read) : "r"(stored) : "r3");
	return read ? XDP_PASS : XDP_DROP;
#else
	if (data + 14 > end)
		return XDP_DROP;
	if (data + 10 > end)
		return XDP_TX;
	return XDP_PASS;
#endif
}
