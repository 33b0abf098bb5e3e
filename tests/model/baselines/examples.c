/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers in the style of PsPIN's examples, whose cycles were measured on its RTL. calibration_rows.c and machine_boots_and_recovers.c in
 * tests/model and `make accuracy` run them on the model, which must take the same cycles.
 */
#include "tests/model/baselines/pspin.h"

__handler__ void pspin_empty(struct handler_args *args)
{
	(void)args;
}

__handler__ void pspin_counter(struct handler_args *args)
{
	struct task *task = args->task;
	volatile uint32_t *counters = task->scratchpad[args->cluster_id];

	uint32_t before;

	/* PsPIN's amo_add() has a result; with x0 as destination it would take a cycle longer */
	__asm__ volatile("amoadd.w %0, %2, %1" : "=r"(before), "+A"(*counters) : "r"(1));
}

__handler__ void pspin_ping_pong(struct handler_args *args)
{
	struct task *task = args->task;
	struct ip_hdr *ip = (struct ip_hdr *)task->pkt_mem;
	uint16_t length = ip->length;
	struct udp_hdr *udp = (struct udp_hdr *)(task->pkt_mem + ip->version * 4); /* PsPIN has the IHL in this field */
	uint32_t src = ip->source_id;
	uint16_t port;

	ip->source_id = ip->dest_id;
	ip->dest_id = src;
	port = udp->src_port;
	udp->src_port = udp->dst_port;
	udp->dst_port = port;
	spin_send_packet(task->pkt_mem, length);
}
