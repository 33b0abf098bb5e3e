/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hand-written PsPIN handler that does the same as tests/model/handlers/message_sum.c, which adds up the words of a message: the minimum
 * that this takes on an HPU (a core of the NIC). tests/model/message_wrapper_costs_at_most_5.c compares ours with it on the NIC model: the
 * same results, at most 5 cycles more.
 */
#include "tests/model/baselines/message.h"

uint32_t spin_state __attribute__((section(".spin_state"), aligned(8)));

static inline void sum(struct handler_args *args)
{
	struct ip_hdr *ip = ip_of(args->task->pkt_mem);
	uint32_t header = header_bytes(ip), bytes = swap16(ip->length) - header, sum = 0;
	const uint32_t *w = (const uint32_t *)((uint8_t *)ip + header), *end = w + bytes / 4;

	for (; w < end; w++)
		sum += *w;
	amo_add(&spin_state, sum);
}

BASELINE(sum)
