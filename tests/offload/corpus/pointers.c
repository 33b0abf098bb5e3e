/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: one instruction
 * that sees two pointers. Two offsets in the packet or, aligned to 4 bytes, on the stack and values of two maps are accepted; pointers of
 * two kinds are rejected, and so are accesses by data_end and arithmetic that no kernel allows.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: reject two-pointer-types : KIND=0 */
/* expect: reject two-pointer-types : KIND=1 */
/* expect: accept : KIND=2 */
/* expect: accept : KIND=3 */
/* expect: accept : KIND=4 */
/* expect: reject stack-alignment : KIND=5 */
/* expect: reject two-pointer-types : KIND=6 */
/* expect: reject pointer-type : KIND=7 */
/* expect: reject pointer-arithmetic : KIND=8 */
/* expect: reject pointer-arithmetic : KIND=9 */
#include "corpus.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__uint(value_size, 32);
} map SEC(".maps"), other SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned long long one = 1;
	unsigned key = 0, sum = 0;
	unsigned char *p, *value, *second;

	barrier(one);
	barrier(key);
	unsigned long long local[4] = { one, one, one, one };
	asm volatile("" : : "r"(local) : "memory");
	PACKET(ctx);
	value = bpf_map_lookup_elem(&map, &key);
	if (!value)
		return XDP_DROP;
	second = bpf_map_lookup_elem(&other, &key);
	if (!second)
		return XDP_DROP;
	p = data;
#if KIND == 0
	if (data[0])
		p = value;
#elif KIND == 1
	if (data[0])
		asm volatile("%0 = r10\n%0 += -8" : "=r"(p));
#elif KIND == 2
	p = data[0] ? value : second;
#elif KIND == 3
	p = data[0] ? data : data + 20;
#elif KIND == 4 || KIND == 5
	if (data[0])
		asm volatile("%0 = r10\n%0 += -8" : "=r"(p));
	else
		asm volatile("%0 = r10\n%0 += %1" : "=r"(p) : "i"(KIND == 4 ? -16 : -10));
#elif KIND == 7
	asm volatile("%0 = %1" : "=r"(p) : "r"(end));
#elif KIND == 8
	asm volatile("%0 = %1\n%0 += 4" : "=r"(p) : "r"(end));
#elif KIND == 9
	asm volatile("%0 = %1\n%0 *= 4" : "+r"(p) : "r"(data));
#endif
	barrier(p);
#if KIND == 5
	asm volatile("%0 = *(u8 *)(%1 + 0)" : "=r"(sum) : "r"(p));
#elif KIND == 4
	asm volatile("%0 = *(u32 *)(%1 + 0)" : "=r"(sum) : "r"(p));
#elif KIND == 6
	sum = data[0] ? data[2] : value[2];
#else
	asm volatile("%0 = *(u32 *)(%1 + 4)" : "=r"(sum) : "r"(p));
#endif
	return sum == 77 ? XDP_DROP : XDP_PASS;
}
