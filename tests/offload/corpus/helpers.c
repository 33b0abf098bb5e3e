/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Every helper that a datagram's program might call. */
/* expect: accept : CALL=bpf_get_prandom_u32() */
/* expect: reject helper : CALL=bpf_ktime_get_ns() */
/* expect: reject helper : CALL=bpf_ktime_get_boot_ns() */
/* expect: reject helper : CALL=bpf_get_smp_processor_id() */
/* expect: reject helper : CALL=bpf_redirect(1,0) */
/* expect: reject helper : CALL=bpf_jiffies64() */
/* expect: reject helper : CALL=bpf_csum_diff(0,0,key,4,0) */
/* expect: reject helper : CALL=bpf_xdp_adjust_meta(ctx,-4) */
/* expect: reject helper : CALL=bpf_xdp_get_buff_len(ctx) */
/* expect: reject helper : CALL=bpf_xdp_load_bytes(ctx,0,key,4) */
/* expect: reject helper : CALL=bpf_xdp_store_bytes(ctx,0,key,4) */
/* expect: reject helper-firmware : CALL=bpf_map_update_elem(&map,key,key,0) */
/* expect: reject helper-firmware : CALL=bpf_map_delete_elem(&map,key) */
/* expect: accept : CALL=!bpf_map_lookup_elem(&map,key) */
/* expect: accept : CALL=bpf_xdp_adjust_tail(ctx,-4) */
/* expect: warn adjust-tail : CALL=bpf_xdp_adjust_tail(ctx,4) */
#include "corpus.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__type(value, unsigned);
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned key[2] = { 1, 2 };

	barrier(key[0]);
	return (CALL) == 77 ? XDP_DROP : XDP_PASS;
}
