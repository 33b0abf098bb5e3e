/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Key and value, each rounded up to 8, are more than 64 bytes. */
#include "tests/offload/rules/rules.h"

LICENSE;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, 33);
	__uint(value_size, 32);
	__uint(max_entries, 16);
} table SEC(".maps");

SEC("xdp")
int lookup(struct xdp_md *ctx)
{
	__u32 key[9] = { 0 };

	return bpf_map_lookup_elem(&table, key) ? XDP_PASS : XDP_DROP;
}
