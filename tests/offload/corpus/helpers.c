/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here: every helper that
 * a datagram's program might call. Accepted are map lookup, random numbers, bpf_xdp_adjust_head in its forms, and shortening by
 * bpf_xdp_adjust_tail; tail calls, callbacks and other helpers are rejected.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
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
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,4) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,46) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,47) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,-84) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,-85) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,(int)key[1]) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,14)||bpf_xdp_adjust_head(ctx,14) */
/* expect: accept : CALL=bpf_xdp_adjust_head(ctx,8)||read_again(ctx) */
/* expect: reject tail-call : CALL=(bpf_tail_call(ctx,&programs,1),0) PROGRAMS=1 */
/* expect: reject callback : CALL=bpf_loop(10,round,key,0) */
/* expect: reject link : CALL=missing() */
#include "corpus.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__type(value, unsigned);
} map SEC(".maps");

#ifdef PROGRAMS
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__uint(key_size, 4);
	__uint(value_size, 4);
} programs SEC(".maps");
#endif

int missing(void);

static int round(__u32 index, void *sum)
{
	*(unsigned *)sum += index;
	return 0;
}

/* Reads the packet's pointers again after bpf_xdp_adjust_head(). */
static __always_inline int read_again(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;

	if (data + 14 > (unsigned char *)(long)ctx->data_end)
		return 1;
	data[3] = 7;
	return 0;
}

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned key[2] = { 1, 2 };

	barrier(key[0]);
	barrier(key[1]);
	return (CALL) == 77 ? XDP_DROP : XDP_PASS;
}
