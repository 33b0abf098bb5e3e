/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SPREAD_H
#define BPF_SPREAD_H

/*
 * Chooses a CPU for each packet of a context whose packets are spread over CPUs (SPIN_HPUS_SPREAD), and redirects the packet there. Called
 * by spin_spread (context.bpf.c), the program in front of the handlers. A message's packets go to its home CPU while fewer than
 * SPIN_SPREAD_HOME packets are pending there, then to the CPU with the fewest pending, as PsPIN's dispatcher gives tasks to clusters
 * (3.2.1). Where flows are messages, they go to the home CPU only. If the chosen CPU has SPIN_SPREAD_MOST pending, the packet is dropped as
 * NO_HPU; on PsPIN it would wait in front of the dispatcher.
 *
 * The kernel silently drops what does not fit into a CPU's queue. So the queue is longer than SPIN_SPREAD_MOST, by more than all HPUs can
 * add at the same time.
 */
#include <bpf/bpf_helpers.h>

#include "bpf/abi/spread.h"
#include "bpf/atomic.h"
#include "bpf/parse.h"

const volatile struct spin_spread_config spin_spread_config = { 0 };
struct spin_cpu_load spin_cpu_loads[SPIN_HPUS_MAX] __attribute__((aligned(64)));

/* CPUs with the context's program; created only for SPIN_HPUS_SPREAD. */
struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8); /* struct bpf_cpumap_val */
} spin_cpus SEC(".maps");

SPIN_INLINE void spin_spread_finished(void)
{
	struct spin_cpu_load *load = &spin_cpu_loads[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)];

	spin_write_once(&load->finished, load->finished + 1);
}

/* Returns the packets pending on the CPU. */
SPIN_INLINE uint32_t spin_spread_held_(uint32_t cpu)
{
	const struct spin_cpu_load *load = &spin_cpu_loads[cpu & (SPIN_HPUS_MAX - 1)];
	uint32_t held = spin_read_once(&load->given) - spin_read_once(&load->finished);

	return held > 0x7fffffffu ? 0 : held; /* the packets of a CPU that went offline were handled on others */
}

SPIN_INLINE uint32_t spin_spread_mix_(uint32_t hash, uint32_t word)
{
	hash = (hash ^ word) * 0x9e3779b1u;
	return hash ^ hash >> 15; /* mixes the word into all bits; the upper ones choose the CPU */
}

/*
 * Hash of the message's key: source address, source port, message_id. Datagrams use both ports, ICMP the type, the code and the echo
 * identifier. Other frames use the sender's Ethernet address only.
 */
SPIN_INLINE uint32_t spin_spread_hash_(struct xdp_md *ctx, _Bool messages, enum spin_takes takes)
{
	const struct spin_view view = { SPIN_DIRECT, .data = SPIN_CONTEXT_POINTER_(ctx, data),
					.end = SPIN_CONTEXT_POINTER_(ctx, data_end) };
	const struct spin_ip6 *ip6;
	const struct spin_slmp *slmp;
	struct spin_datagram d;
	uint32_t hash = 0;

	/* also for a multi-buffer frame: its headers are in the first buffer */
	if (spin_parse_again(&view, takes, &d) == SPIN_REASON_TRUNCATED)
		return 0;
	if (takes == SPIN_TAKES_ETHER) {
		for (int i = 0; i < 3; i++)
			hash = spin_spread_mix_(hash, ((const uint16_t *)d.eth->src)[i]);
		return spin_spread_mix_(hash, 0);
	}
	if (d.is_ip4) {
		hash = spin_spread_mix_(hash, ((const struct spin_ip4 *)d.ip)->src);
	} else {
		ip6 = (const void *)spin_barrier_pointer_(d.ip);
		if (!spin_inside_(&view, ip6 + 1))
			return 0;
		for (int i = 0; i < 4; i++)
			hash = spin_spread_mix_(hash, ip6->src[i]);
	}
	hash = spin_spread_mix_(hash, d.udp->src_port);
	slmp = (const void *)(d.udp + 1);
	if (!messages || spin_flows_are_messages_())
		hash = spin_spread_mix_(hash, takes == SPIN_TAKES_ICMP ? ((const struct spin_icmp *)d.udp)->id : d.udp->dst_port);
	else if (spin_inside_(&view, slmp + 1))
		hash = spin_spread_mix_(hash, slmp->message_id);
	return spin_spread_mix_(hash, 0);
}

/* Returns the CPU for the packet; SPIN_HPUS_MAX if none has room. */
SPIN_INLINE uint32_t spin_spread_choose_(uint32_t hash)
{
	uint32_t hpus = spin_spread_config.hpus, most = SPIN_SPREAD_MOST, cpu, held;
	uint32_t chosen = spin_spread_config.cpu[(uint32_t)((uint64_t)hash * hpus >> 32) & (SPIN_HPUS_MAX - 1)];

	if (spin_likely(spin_spread_held_(chosen) < SPIN_SPREAD_HOME))
		return chosen;
	/* packets of a flow carry no offset, so they must stay in order */
	if (spin_flows_are_messages_())
		return spin_spread_held_(chosen) < most ? chosen : SPIN_HPUS_MAX;
	chosen = SPIN_HPUS_MAX;
	for (uint32_t i = 0; i < SPIN_HPUS_MAX && i < hpus; i++) {
		cpu = spin_spread_config.cpu[i];
		held = spin_spread_held_(cpu);
		if (held < most) {
			most = held;
			chosen = cpu;
		}
	}
	return chosen;
}

/* Redirects the packet to a CPU. Returns XDP_REDIRECT, or -1: no HPU. */
SPIN_INLINE int spin_spread_give(struct xdp_md *ctx, _Bool messages, enum spin_takes takes)
{
	uint32_t cpu = spin_spread_choose_(spin_spread_hash_(ctx, messages, takes)), at = cpu & (SPIN_HPUS_MAX - 1);
	int action;

	if (cpu >= SPIN_HPUS_MAX)
		return -1;
	action = (int)bpf_redirect_map(&spin_cpus, at, XDP_ABORTED);
	if (action != XDP_REDIRECT)
		return -1;
	spin_fetch_add(&spin_cpu_loads[at].given, 1);
	return action;
}

#endif
