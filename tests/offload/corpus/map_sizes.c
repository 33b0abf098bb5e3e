/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sizes of keys and values, each just accepted and just refused. */
/* expect: accept : KEY=4 VALUE=4 */
/* expect: accept : KEY=56 VALUE=8 */
/* expect: accept : KEY=8 VALUE=56 */
/* expect: accept : KEY=32 VALUE=32 */
/* expect: accept : KEY=1 VALUE=1 */
/* expect: accept : KEY=55 VALUE=5 */
/* expect: reject map-key-size : KEY=60 VALUE=4 */
/* expect: reject map-key-size : KEY=57 VALUE=1 */
/* expect: reject map-value-size : KEY=4 VALUE=60 */
/* expect: reject map-element-size : KEY=56 VALUE=9 */
/* expect: reject map-element-size : KEY=33 VALUE=32 */
/* expect: reject map-element-size : KEY=9 VALUE=56 */
#include "corpus.h"

struct key {
	unsigned char b[KEY];
};
struct value {
	unsigned char b[VALUE];
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, struct key);
	__type(value, struct value);
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	struct key key __attribute__((aligned(8)));
	unsigned zero = 0;

	barrier(zero);
#pragma unroll
	for (int i = 0; i < KEY; i++)
		((volatile unsigned char *)key.b)[i] = (unsigned char)zero;
	return bpf_map_lookup_elem(&map, &key) ? XDP_DROP : XDP_PASS;
}
