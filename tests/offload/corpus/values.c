/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: what a program
 * may do with a map's value: read at constant offsets, and add atomically to words that it does not read. Stores, variable offsets and
 * words that are both read and added to are rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : DO=0 */
/* expect: accept : DO=1 */
/* expect: accept : DO=2 */
/* expect: reject value-store : DO=3 */
/* expect: reject value-store : DO=4 */
/* expect: reject value-offset : DO=5 */
/* expect: reject word-read-and-counted : DO=6 */
/* expect: reject word-read-and-counted : DO=7 */
/* expect: accept : DO=8 */
/* expect: reject word-read-and-counted : DO=9 */
/* expect: accept : DO=10 */
/* expect: reject word-read-and-counted : DO=11 */
/* expect: reject null-check : DO=12 */
/* expect: reject value-bounds : DO=13 */
/* expect: accept : DO=14 */
/* expect: reject value-store : DO=15 */
/* expect: reject atomic-op : DO=16 */
/* expect: reject value-offset : DO=17 */
#include "corpus.h"

struct value {
	unsigned w[8];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__type(value, struct value);
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned key = 0;
	struct value *v;
	unsigned sum = 0;

	PACKET(ctx);
	barrier(key);
	v = bpf_map_lookup_elem(&map, &key);
#if DO == 12
	asm volatile("%0 = *(u32 *)(%1 + 0)" : "=r"(sum) : "r"(v));
#endif
	if (!v)
		return XDP_DROP;
#if DO == 0
	sum = v->w[0] + v->w[7];
#elif DO == 1
	__sync_fetch_and_add(&v->w[0], 1);
#elif DO == 2
	sum = v->w[0];
	__sync_fetch_and_add(&v->w[1], data[0]);
#elif DO == 3
	v->w[0] = data[0];
#elif DO == 4
	v->w[0]++;
#elif DO == 5
	sum = v->w[data[0] & 7];
#elif DO == 6
	sum = v->w[0];
	__sync_fetch_and_add(&v->w[0], 1);
#elif DO == 7
	__sync_fetch_and_add((unsigned long long *)&v->w[0], 1);
	sum = v->w[1];
#elif DO == 8
	__sync_fetch_and_add((unsigned long long *)&v->w[0], 1);
	sum = v->w[2];
#elif DO == 9
	if (data[1])
		sum = ((volatile unsigned char *)v)[1];
	else
		__sync_fetch_and_add(&v->w[0], 1);
#elif DO == 10
	sum = ((unsigned char *)v)[1] + ((unsigned short *)v)[3] + *(unsigned long long *)&v->w[2];
#elif DO == 11
	sum = *(volatile unsigned long long *)&v->w[0];
	__sync_fetch_and_add(&v->w[1], 1);
#elif DO == 13
	asm volatile("%0 = *(u32 *)(%1 + 32)" : "=r"(sum) : "r"(v));
#elif DO == 14
	asm volatile("%0 = *(u32 *)(%1 + 28)" : "=r"(sum) : "r"(v));
#elif DO == 15
	((unsigned char *)v)[data[0] & 31] = 1;
#elif DO == 16
	sum = __sync_fetch_and_add(&v->w[0], 1);
#elif DO == 17
	__sync_fetch_and_add(&v->w[data[0] & 7], 1);
#endif
	return sum == 77 ? XDP_DROP : XDP_PASS;
}
