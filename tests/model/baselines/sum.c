/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Hand-written baseline of tests/handlers/datagrams/sum.c: the minimum that this takes on the HPU. */
#include "tests/model/baselines/pspin.h"

uint32_t spin_state __attribute__((section(".spin_state"), aligned(8)));

static inline void sum(struct handler_args *args)
{
	struct ip_hdr *ip = (struct ip_hdr *)args->task->pkt_mem;
	uint32_t header = ip->ihl * 4 + sizeof(struct udp_hdr), bytes = swap16(ip->length) - header, sum = 0;
	const uint32_t *w = (const uint32_t *)((uint8_t *)ip + header), *end = w + bytes / 4;

	for (; w < end; w++)
		sum += *w;
	amo_add(&spin_state, sum);
}

BASELINE(sum)
