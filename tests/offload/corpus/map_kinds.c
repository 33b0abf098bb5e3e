/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Types, flags and shapes of maps. */
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
/* expect: reject map-shape : TYPE=BPF_MAP_TYPE_ARRAY ENTRIES=0 */
/* expect: reject map-shape : TYPE=BPF_MAP_TYPE_ARRAY WORD=8 */
/* expect: accept : TYPE=BPF_MAP_TYPE_HASH WORD=8 */
#include "corpus.h"

#ifndef ENTRIES
#define ENTRIES 4
#endif
#ifndef WORD
#define WORD 4
#endif
struct {
	__uint(type, TYPE);
	__uint(max_entries, ENTRIES);
	__uint(key_size, WORD);
	__uint(value_size, 8);
#ifdef FLAGS
	__uint(map_flags, FLAGS);
#endif
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned long long key = 0;

	barrier(key);
	return bpf_map_lookup_elem(&map, &key) ? XDP_DROP : XDP_PASS;
}
