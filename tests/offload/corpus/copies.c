/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: runs of loads and
 * stores, which the JIT turns into copies: aligned, odd, downward, from a map's value. All are accepted.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : BYTES=8 */
/* expect: accept : BYTES=20 */
/* expect: accept : BYTES=32 */
/* expect: accept : BYTES=33 */
/* expect: accept : BYTES=36 */
/* expect: accept : BYTES=40 */
/* expect: accept : BYTES=45 */
/* expect: accept : BYTES=64 */
/* expect: accept : BYTES=100 */
/* expect: accept : BYTES=128 */
/* expect: accept : BYTES=160 */
/* expect: accept : BYTES=24 DOWN=1 */
/* expect: accept : BYTES=24 FROM_VALUE=1 */
/* expect: accept : BYTES=48 FROM_VALUE=1 */
/* expect: accept : BYTES=24 WIDTH=char */
/* expect: accept : BYTES=24 WIDTH=short */
/* expect: accept : BYTES=24 WIDTH=int */
#include "corpus.h"

#ifndef WIDTH
#define WIDTH long long
#endif
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__uint(value_size, 56);
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data, *end = (unsigned char *)(long)ctx->data_end;
	unsigned char *from = data;
	unsigned key = 0;

	barrier(key);
	if (data + 512 > end)
		return XDP_DROP;
#ifdef FROM_VALUE
	from = bpf_map_lookup_elem(&map, &key);
	if (!from)
		return XDP_DROP;
#endif
#pragma unroll
	for (unsigned i = 0; i + sizeof(WIDTH) <= BYTES; i += sizeof(WIDTH)) {
#ifdef DOWN
		unsigned at = BYTES - sizeof(WIDTH) - i;
#else
		unsigned at = i;
#endif
		*(volatile WIDTH *)(data + 256 + at) = *(volatile WIDTH *)(from + at);
	}
	return XDP_TX;
}
