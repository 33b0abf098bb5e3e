/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written PsPIN handler that does the same as tests/model/handlers/message_copy.c, which copies packets of a message to host memory:
 * the minimum that this takes on an HPU (a core of the NIC). tests/model/message_wrapper_costs_at_most_5.c compares ours with it on the NIC
 * model: the same results, at most 5 cycles more.
 */
#include "tests/model/baselines/message.h"

/* The scratchpad starts with data of the NIC and of our runtime. */
struct progress {
	uint32_t runtime[16], packets, bytes;
};

static inline void copy(struct handler_args *args)
{
	struct task *task = args->task;
	struct progress *progress = task->scratchpad[task->home_cluster_id];
	struct ip_hdr *ip = ip_of(task->pkt_mem);
	uint32_t header = header_bytes(ip), bytes = swap16(ip->length) - header, to = swap32(slmp_of(ip)->pkt_off);

	if (to > task->host_mem_size || bytes > task->host_mem_size - to)
		return;
	spin_dma_to_host(task->host_mem_high, task->host_mem_low + to, task->l2_pkt_mem + sizeof(struct eth_hdr) + header, bytes);
	amo_add(&progress->packets, 1);
	amo_add(&progress->bytes, bytes);
}

BASELINE(copy)
