/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: number, kind and
 * sizes of maps, each at its limit and just beyond: 128 maps, 3,072,000 entries, keys and values of 56 bytes and of 64 together, each
 * rounded up to 8. Variables, which are maps with flags, are rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : COUNT=128 */
/* expect: reject map-count : COUNT=129 */
/* expect: accept : TYPE=BPF_MAP_TYPE_HASH */
/* expect: accept : TYPE=BPF_MAP_TYPE_ARRAY */
/* expect: reject map-type : TYPE=BPF_MAP_TYPE_PERCPU_ARRAY */
/* expect: reject map-type : TYPE=BPF_MAP_TYPE_LRU_HASH */
/* expect: reject map-type : TYPE=BPF_MAP_TYPE_PERCPU_HASH */
/* expect: reject map-flags : TYPE=BPF_MAP_TYPE_HASH FLAGS=BPF_F_NO_PREALLOC */
/* expect: reject map-flags : TYPE=BPF_MAP_TYPE_ARRAY FLAGS=BPF_F_MMAPABLE */
/* expect: reject map-flags : TYPE=BPF_MAP_TYPE_ARRAY FLAGS=BPF_F_RDONLY_PROG */
/* expect: accept : TYPE=BPF_MAP_TYPE_ARRAY ENTRIES=3072000 */
/* expect: reject map-entries : TYPE=BPF_MAP_TYPE_ARRAY ENTRIES=3072001 */
/* expect: reject map-entries : TYPE=BPF_MAP_TYPE_HASH ENTRIES=3072001 */
/* expect: reject map-shape : TYPE=BPF_MAP_TYPE_ARRAY ENTRIES=0 */
/* expect: reject map-shape : TYPE=BPF_MAP_TYPE_ARRAY KEY=8 */
/* expect: accept : KEY=4 VALUE=4 */
/* expect: accept : KEY=56 VALUE=8 */
/* expect: accept : KEY=8 VALUE=56 */
/* expect: accept : KEY=32 VALUE=32 */
/* expect: accept : KEY=1 VALUE=1 */
/* expect: accept : KEY=55 VALUE=5 */
/* expect: reject map-key-size : KEY=60 VALUE=4 */
/* expect: reject map-key-size : KEY=57 VALUE=1 */
/* expect: reject map-value-size : KEY=4 VALUE=60 */
/* expect: reject map-value-size : KEY=4 VALUE=57 */
/* expect: reject map-element-size : KEY=56 VALUE=9 */
/* expect: reject map-element-size : KEY=33 VALUE=32 */
/* expect: reject map-element-size : KEY=9 VALUE=56 */
/* expect: reject map-element-size : KEY=9 VALUE=55 */
/* expect: reject map-element-size : KEY=33 VALUE=31 */
/* expect: reject global-data : DATA=0 */
/* expect: reject global-data : DATA=1 */
/* expect: reject global-data : DATA=2 */
/* expect: reject global-data : DATA=3 */
#include "corpus.h"

#ifndef TYPE
#define TYPE BPF_MAP_TYPE_HASH
#endif
#ifndef ENTRIES
#define ENTRIES 16
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef KEY
#define KEY 4
#endif
#ifndef VALUE
#define VALUE 8
#endif

#if defined(COUNT)
/* none of them needs to be used */
/* clang-format off */
#define MAP(n)                                    \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__uint(key_size, 4);              \
		__uint(value_size, 4);            \
	} map##n SEC(".maps");
#define MAPS4(n)  MAP(n##0) MAP(n##1) MAP(n##2) MAP(n##3)
#define MAPS16(n) MAPS4(n##0) MAPS4(n##1) MAPS4(n##2) MAPS4(n##3)
#define MAPS64(n) MAPS16(n##0) MAPS16(n##1) MAPS16(n##2) MAPS16(n##3)
MAPS64(_0) MAPS64(_1)
#if COUNT == 129
MAP(_last)
#endif
/* clang-format on */
#elif defined(DATA)
#if DATA == 0
unsigned counter;
#elif DATA == 1
unsigned counter = 7;
#elif DATA == 2
const volatile unsigned counter = 7;
#endif
#else
struct {
	__uint(type, TYPE);
	__uint(max_entries, ENTRIES);
	__uint(key_size, KEY);
	__uint(value_size, VALUE);
	__uint(map_flags, FLAGS);
} map SEC(".maps");
#endif

		SEC("xdp") int prog(struct xdp_md *ctx)
{
#if defined(COUNT)
	return XDP_PASS;
#elif defined(DATA) && DATA < 3
	return counter > 5 ? XDP_DROP : XDP_PASS;
#elif defined(DATA)
	bpf_printk("seen");
	return XDP_PASS;
#else
	unsigned char key[KEY] __attribute__((aligned(8)));
	unsigned zero = 0;

	barrier(zero);
#pragma unroll
	for (int i = 0; i < KEY; i++)
		((volatile unsigned char *)key)[i] = (unsigned char)zero;
	return bpf_map_lookup_elem(&map, key) ? XDP_DROP : XDP_PASS;
#endif
}
