/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A value of 57 bytes: its 64 and the key's 8 are too much together. */
#include "tests/offload/rules/rules.h"

LICENSE;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, 4);
	__uint(value_size, 57);
	__uint(max_entries, 16);
} table SEC(".maps");

SEC("xdp")
int lookup(struct xdp_md *ctx)
{
	__u32 key[1] = { 0 };

	return bpf_map_lookup_elem(&table, key) ? XDP_PASS : XDP_DROP;
}
