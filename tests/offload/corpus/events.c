/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test input for `spinctl check --target nfp`, which predicts whether the driver of NFP cards takes an XDP program. Here:
 * bpf_perf_event_output. Accepted are the current CPU as flags, with data in a map's value or on the stack, aligned to 4 bytes; not data
 * that is on the stack on one path and in the packet on another.
 *
 * The file is one program for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS` below, compiled with those macros (corpus.h); the
 * checker must give that verdict. Used by tests/offload/checker_knows_each_rule.sh.
 */
/* expect: accept : FLAGS=BPF_F_CURRENT_CPU DATA=local BYTES=8 */
/* expect: reject event-cpu : FLAGS=0 DATA=local BYTES=8 */
/* expect: reject event-cpu : FLAGS=1 DATA=local BYTES=8 */
/* expect: reject event-cpu : FLAGS=data[3] DATA=local BYTES=8 */
/* expect: accept : FLAGS=(BPF_F_CURRENT_CPU|(64ull<<32)) DATA=local BYTES=8 */
/* expect: reject kernel-verifier : FLAGS=BPF_F_CURRENT_CPU DATA=data BYTES=32 */
/* expect: accept : FLAGS=BPF_F_CURRENT_CPU DATA=value BYTES=8 */
/* expect: reject stack-key : FLAGS=BPF_F_CURRENT_CPU DATA=((char*)local+2) BYTES=4 */
/* expect: accept : FLAGS=BPF_F_CURRENT_CPU DATA=((char*)local+4) BYTES=4 */
/* expect: reject kernel-verifier : FLAGS=BPF_F_CURRENT_CPU DATA=local BYTES=8 TO=map */
/* expect: reject kernel-verifier : FLAGS=BPF_F_CURRENT_CPU DATA=local BYTES=8 FROM=events */
/* expect: reject event-data : FLAGS=BPF_F_CURRENT_CPU DATA=either BYTES=8 */
#include "corpus.h"

#ifndef TO
#define TO events
#endif
#ifndef FROM
#define FROM map
#endif

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} events SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, unsigned);
	__type(value, unsigned long long);
} map SEC(".maps");

SEC("xdp") int prog(struct xdp_md *ctx)
{
	unsigned long long one = 1;
	unsigned key = 0;
	void *value, *either;

	barrier(one);
	unsigned long long local[2] = { one, one };
	either = local;
	asm volatile("" : : "r"(local) : "memory");
	PACKET(ctx);
	barrier(key);
	value = bpf_map_lookup_elem(&FROM, &key);
	if (!value)
		return XDP_DROP;
	if (data[1])
		either = data;
	barrier(either);
	bpf_perf_event_output(ctx, &TO, FLAGS, DATA, BYTES);
	return XDP_PASS;
}
