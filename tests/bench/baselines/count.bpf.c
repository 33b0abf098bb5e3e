/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written XDP programs that do the same as tests/handlers/messages/count_runs.h (count packets and bytes), for messages and for
 * datagrams: the cost of handling each packet exactly once without our runtime. Baselines of tests/bench/mpq.c. handle() and complete() are
 * called by receiver.h.
 */
#define MESSAGES    64
#define PACKETS_MAX 32768
#include "tests/bench/baselines/receiver.h"

struct runs {
	__u32 runs, bytes;
};

struct runs runs;

static __always_inline int handle(struct message *m, const __u8 *payload, const __u8 *end, __u32 bytes, __u32 offset)
{
	__sync_fetch_and_add(&runs.runs, 1);
	__sync_fetch_and_add(&runs.bytes, bytes);
	return 0;
}

static __always_inline void complete(struct message *m)
{
	emit_event(m);
}

/* The same packets as single datagrams. */
SEC("xdp")
int datagram(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	enum reason reason = MALFORMED;
	struct packet p;

	if ((void *)(eth + 1) <= end)
		reason = eth->h_proto == bpf_htons(ETH_P_IP) ? parse(data, eth + 1, end, &p) : OTHER;
	if (reason == HANDLED)
		handle(0, (const __u8 *)(p.slmp + 1), end, p.bytes, 0);
	counts[bpf_get_smp_processor_id() & 255][reason & 15]++;
	return XDP_PASS;
}
