/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Asserts every field of the task descriptor in each kind of handler, the calls that return the HPU's number, and that the packet is the
 * same in L1 and in L2; a failed ASSERT traps. The scratchpad of a message's home cluster counts its handlers. Run by
 * tests/model/pspin_files_compute.c: each of 10 messages must have run 1 header, 6 payload and 1 completion handler.
 */
#include <handler.h>
#include <packets.h>
#include <pspin_rt.h>
#include <string.h>

struct seen {
	uint32_t headers, payloads, completions, bytes;
};

static struct seen *check(handler_args_t *args)
{
	task_t *task = args->task;
	struct seen *seen = (struct seen *)task->scratchpad[task->home_cluster_id];
	unsigned clusters = 0;

	ASSERT(args->hpu_gid == args->cluster_id * NB_CORES + args->hpu_id && args->hpu_id < NB_CORES)
	ASSERT(rt_core_id() == args->hpu_id && rt_cluster_id() == args->cluster_id)
	ASSERT(hal_core_id() == args->hpu_id && hal_cluster_id() == args->cluster_id)
	ASSERT((uint32_t)task == HWSCHED_HANDLER_MEM_ADDR && MMIO_READ(HWSCHED_FLOW_ID) == task->flow_id)
	ASSERT(task->handler_mem == (void *)0x1c300000 && task->handler_mem_size == 1 << 20)
	while (clusters < NB_CLUSTERS && task->scratchpad[clusters])
		clusters++;
	ASSERT(args->cluster_id < clusters && task->home_cluster_id == task->flow_id % clusters)
	for (unsigned i = 0; i < NB_CLUSTERS; i++) {
		ASSERT(task->scratchpad_size[i] == (i < clusters ? 400 * 1024 : 0))
		ASSERT(i >= clusters || (uint32_t)task->scratchpad[i] >> 22 == (0x10000000 >> 22) + i)
	}
	ASSERT(task->host_mem_size == 256 << 20 && (task->host_mem_high || task->host_mem_low))
	return seen + task->flow_id;
}

static void same_in_both(task_t *task)
{
	ip_hdr_t *ip = (ip_hdr_t *)task->pkt_mem;
	udp_hdr_t *udp = (udp_hdr_t *)((uint8_t *)ip + ip->ihl * 4);
	uint32_t bytes;
	uint8_t *payload;

	ASSERT((uint32_t)task->pkt_mem % 4 == 0 && (uint32_t)task->l2_pkt_mem >> 22 >= 0x1c400000 >> 22)
	ASSERT(ip->ihl == 5 && ip->version == 4 && ip->protocol == 17 && ip->length == task->pkt_mem_size)
	ASSERT(sizeof(pkt_hdr_t) == 28 && udp->length == ip->length - sizeof(ip_hdr_t))
	ASSERT(!memcmp(task->pkt_mem, task->l2_pkt_mem, task->pkt_mem_size))
	GET_IP_UDP_PLD(task->pkt_mem, payload, bytes);
	ASSERT(payload == (uint8_t *)task->pkt_mem + sizeof(pkt_hdr_t) && bytes == task->pkt_mem_size - sizeof(pkt_hdr_t))
}

__handler__ void tasks_hh(handler_args_t *args)
{
	struct seen *seen = check(args);

	same_in_both(args->task);
	ASSERT(!seen->payloads && !seen->completions)
	amo_add((volatile int32_t *)&seen->headers, 1);
}

__handler__ void tasks_ph(handler_args_t *args)
{
	struct seen *seen = check(args);

	same_in_both(args->task);
	ASSERT(seen->headers == 1 && !seen->completions)
	amo_add((volatile int32_t *)&seen->payloads, 1);
	amo_add((volatile int32_t *)&seen->bytes, (int32_t)args->task->pkt_mem_size);
}

__handler__ void tasks_th(handler_args_t *args)
{
	struct seen *seen = check(args);

	ASSERT(seen->headers == 1 && seen->payloads)
	seen->completions++;
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*hh = tasks_hh;
	*ph = tasks_ph;
	*th = tasks_th;
	*handler_mem = NULL;
}
