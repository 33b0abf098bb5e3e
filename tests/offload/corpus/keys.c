/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: where the key of
 * a map lookup may be: on the stack at constant offsets that are multiples of 4. A key in the packet, in a map's value, at another or a
 * variable offset is rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : WHERE=0 */
/* expect: accept : WHERE=1 */
/* expect: reject stack-key : WHERE=2 */
/* expect: reject stack-key : WHERE=3 */
/* expect: reject stack-key : WHERE=4 OFFSET=1 */
/* expect: reject stack-key : WHERE=4 OFFSET=2 */
/* expect: accept : WHERE=4 OFFSET=4 */
/* expect: accept : WHERE=5 */
/* expect: reject stack-key : WHERE=6 */
#include "corpus.h"

#ifndef OFFSET
#define OFFSET 0
#endif
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__type(value, unsigned);
} map SEC(".maps"), other SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned one = 1;

	barrier(one);
	unsigned key[4] = { one, one, one, one };
	void *at = key;

	asm volatile("" : : "r"(key) : "memory");
	PACKET(ctx);
#if WHERE == 1
	at = &key[2];
#elif WHERE == 2
	at = data;
#elif WHERE == 3
	at = bpf_map_lookup_elem(&other, key);
	if (!at)
		return XDP_DROP;
#elif WHERE == 4
	at = (char *)key + OFFSET;
#elif WHERE == 5
	if (data[0]) {
		asm volatile("%0 = r10\n%0 += -16" : "=r"(at));
	} else {
		asm volatile("%0 = r10\n%0 += -12" : "=r"(at));
	}
#elif WHERE == 6
	unsigned long step = data[0] & 4;

	barrier(step);
	asm volatile("%0 += %1" : "+r"(at) : "r"(step));
#endif
	asm volatile("" : "+r"(at) : : "memory");
	return bpf_map_lookup_elem(&map, at) ? XDP_DROP : XDP_PASS;
}
