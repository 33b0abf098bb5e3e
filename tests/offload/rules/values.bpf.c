/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Keys, and what may be done with a map's value. */
#include "tests/offload/rules/rules.h"

LICENSE;

struct value {
	__u32 limit, count;
	__u64 bytes;
	__u32 words[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u32);
	__type(value, struct value);
	__uint(max_entries, 16);
} table SEC(".maps");

static __always_inline struct value *find(__u32 key)
{
	return bpf_map_lookup_elem(&table, &key);
}

SEC("xdp")
int value_read(struct xdp_md *ctx)
{
	struct value *value = find(PACKET(ctx, 14)[0]);

	return value && value->limit > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int value_add(struct xdp_md *ctx)
{
	struct value *value = find(PACKET(ctx, 14)[0]);

	if (!value)
		return XDP_DROP;
	__sync_fetch_and_add(&value->count, 1);
	__sync_fetch_and_add(&value->bytes, 64);
	return value->limit > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int value_add_and_read(struct xdp_md *ctx)
{
	struct value *value = find(PACKET(ctx, 14)[0]);

	if (!value)
		return XDP_DROP;
	__sync_fetch_and_add(&value->count, 1);
	return value->count > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int value_fetch_and_add(struct xdp_md *ctx)
{
	struct value *value = find(PACKET(ctx, 14)[0]);

	return value && __sync_fetch_and_add(&value->count, 1) > 3 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int value_or(struct xdp_md *ctx)
{
	struct value *value = find(PACKET(ctx, 14)[0]);

	if (value)
		/* lock *(u32 *)(r1 + 4) |= r2 */
		asm volatile("r1 = %0\nr2 = 1\n.8byte 0x00000040000421c3" ::"r"(value) : "r1", "r2", "memory");
	return XDP_PASS;
}

SEC("xdp")
int value_store(struct xdp_md *ctx)
{
	struct value *value = find(PACKET(ctx, 14)[0]);

	if (value)
		value->limit = bpf_get_prandom_u32();
	return XDP_PASS;
}

SEC("xdp")
int value_at_variable_offset(struct xdp_md *ctx)
{
	__u32 index = PACKET(ctx, 14)[1] & 3;
	struct value *value = find(1);

	return value && value->words[index] ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int add_to_stack(struct xdp_md *ctx)
{
	__u64 own = bpf_get_prandom_u32();

	asm volatile("lock *(u64 *)(%0 + 0) += %1" ::"r"(&own), "r"(own) : "memory");
	return own & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int key_in_packet(struct xdp_md *ctx)
{
	return bpf_map_lookup_elem(&table, PACKET(ctx, 14)) ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int key_unaligned(struct xdp_md *ctx)
{
	__u8 keys[8] = { 0 };

	return bpf_map_lookup_elem(&table, keys + 2) ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int update(struct xdp_md *ctx)
{
	struct value value = { 0 };
	__u32 key = 1;

	bpf_map_update_elem(&table, &key, &value, BPF_ANY);
	return XDP_PASS;
}

SEC("xdp")
int delete (struct xdp_md *ctx)
{
	__u32 key = 1;

	bpf_map_delete_elem(&table, &key);
	return XDP_PASS;
}
