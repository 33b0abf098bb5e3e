/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written PsPIN handler that does the same as tests/handlers/datagrams/sums.c, which adds each word of a packet to a sum of its own:
 * the minimum that this takes on an HPU (a core of the NIC). tests/model/for_each_adds_no_instruction.sh compares the loops of both.
 */
#include "tests/model/baselines/pspin.h"

struct sums {
	uint32_t sum[512];
	uint32_t from;
} spin_state __attribute__((section(".spin_state"), aligned(8)));

static inline void sums(struct handler_args *args)
{
	struct ip_hdr *ip = (struct ip_hdr *)args->task->pkt_mem;
	uint32_t header = ip->ihl * 4 + sizeof(struct udp_hdr), words = (swap16(ip->length) - header) / 4,
		 from = spin_state.from < 512 ? spin_state.from : 512;
	const uint32_t *w = (const uint32_t *)((uint8_t *)ip + header), *end = w + (words < 512 - from ? words : 512 - from);

	for (uint32_t *sum = spin_state.sum + from; w < end; w++, sum++)
		amo_add(sum, *w);
}

BASELINE(sums)
