/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts packets and bytes of each flow, which is a message. Each cluster counts in its scratchpad; the completion handler writes the sums
 * to the host. The header handler records each flow in handler memory. Run by tests/model/pspin_files_compute.c: 12 flows of 8 packets must
 * each have 8 packets and all their bytes in host memory, and be in the list once. tests/docs/docs.inc copies it for the documents'
 * examples.
 */
#include <handler.h>
#include <packets.h>

struct flow {
	uint32_t packets, bytes;
};

/* A flow's number is its UDP source port modulo this. */
#define FLOWS 64

struct flow_list {
	uint32_t begun;
	uint32_t of[FLOWS];
};

static uint32_t flow_of(const task_t *task)
{
	const ip_hdr_t *ip = (const ip_hdr_t *)task->pkt_mem;
	const udp_hdr_t *udp = (const udp_hdr_t *)((const uint8_t *)ip + ip->ihl * 4);

	return __builtin_bswap16(udp->src_port) % FLOWS;
}

__handler__ void flow_counter_hh(handler_args_t *args)
{
	struct flow_list *list = (struct flow_list *)args->task->handler_mem;
	uint32_t place = amo_add((volatile int32_t *)&list->begun, 1);

	list->of[place % FLOWS] = flow_of(args->task);
}

__handler__ void flow_counter_ph(handler_args_t *args)
{
	task_t *task = args->task;
	struct flow *flow = (struct flow *)task->scratchpad[args->cluster_id] + flow_of(task);
	uint8_t *payload;
	uint32_t bytes;

	GET_IP_UDP_PLD(task->pkt_mem, payload, bytes);
	(void)payload;
	amo_add((volatile int32_t *)&flow->packets, 1);
	amo_add((volatile int32_t *)&flow->bytes, bytes);
}

__handler__ void flow_counter_th(handler_args_t *args)
{
	task_t *task = args->task;
	uint32_t number = flow_of(task);
	uint64_t host = ((uint64_t)task->host_mem_high << 32 | task->host_mem_low) + 8 * number, packets = 0, bytes = 0;
	spin_cmd_t written;

	for (int i = 0; i < NB_CLUSTERS; i++) {
		volatile struct flow *flow = task->scratchpad_size[i] ? (struct flow *)task->scratchpad[i] + number : NULL;

		packets += flow ? flow->packets : 0;
		bytes += flow ? flow->bytes : 0;
	}
	spin_host_write(host, bytes << 32 | packets, &written);
	spin_cmd_wait(written);
}

void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)
{
	*hh = flow_counter_hh;
	*ph = flow_counter_ph;
	*th = flow_counter_th;
}
