/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_BASELINES_PSPIN_H
#define TESTS_MODEL_BASELINES_PSPIN_H

/*
 * PsPIN's handler interface as its examples use it, for the hand-written handlers in this directory with which tests/model compares ours
 * (baselines). A baseline is what one would write for PsPIN without this project, for real IP packets and with the same compiler flags.
 */
#include <stdint.h>

#define __handler__ __attribute__((used, section(".text.hpu")))

/* The task descriptor and the handler's arguments, as the NIC lays them out. */
struct task {
	void *handler_mem;
	uint32_t handler_mem_size;
	uint8_t *pkt_mem;
	uint32_t pkt_mem_size;
	void *scratchpad[4];
	uint32_t scratchpad_size[4];
	uint32_t host_mem_high, host_mem_low, host_mem_size;
	uint8_t *l2_pkt_mem;
	uint32_t home_cluster_id, flow_id;
} __attribute__((packed));

struct handler_args {
	struct task *task;
	uint32_t hpu_gid, cluster_id, hpu_id;
};

struct ip_hdr {
	uint8_t ihl : 4, version : 4;
	uint8_t tos;
	uint16_t length, identification, offset;
	uint8_t ttl, protocol;
	uint16_t checksum;
	uint32_t source_id, dest_id;
} __attribute__((packed));

struct udp_hdr {
	uint16_t src_port, dst_port, length, checksum;
} __attribute__((packed));

static inline void amo_add(volatile uint32_t *at, uint32_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

static inline uint32_t spin_send_packet(void *data, uint32_t length)
{
	uint32_t id;

	__asm__ volatile("sw %2, 144(%1); sw %3, 148(%1); sw %5, 152(%1); sw %4, 156(%1);"
			 "sw %6, 160(%1); sw %7, 140(%1); lw %0, 128(%1)"
			 : "=r"(id)
			 : "r"(0x1b205000), "r"(0), "r"(0), "r"(0), "r"(data), "r"(length), "r"(2));
	return id;
}

static inline uint32_t spin_dma_to_host(uint32_t high, uint32_t low, void *data, uint32_t length)
{
	uint32_t id;

	__asm__ volatile("sw %2, 148(%1); sw %3, 144(%1); sw %4, 152(%1); sw %5, 156(%1);"
			 "sw %6, 160(%1); sw zero, 140(%1); lw %0, 128(%1)"
			 : "=r"(id)
			 : "r"(0x1b205000), "r"(high), "r"(low), "r"(data), "r"(length), "r"(1)
			 : "memory");
	return id;
}

/*
 * Copies by the cluster's DMA; PsPIN's call has a wait function of its own. A stack address is local to the cluster, so it is converted to
 * the global one.
 */
static inline void spin_dma(const void *source, void *dest, uint32_t length)
{
	volatile uint32_t *const dma = (uint32_t *)0x1b204400;
	uint32_t hart, to = (uint32_t)dest, id;

	__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart)); /* csrr of uhartid */
	to += 0x10000000 - 0x1b000000 + (hart >> 5 & 63) * 0x400000;
	dma[0] = (uint32_t)source;
	dma[1] = 0;
	dma[2] = to;
	dma[3] = 0;
	dma[4] = length;
	id = dma[6];
	while ((int32_t)(dma[8] - id) < 0)
		;
	__asm__ volatile("" ::: "memory");
}

static inline uint16_t swap16(uint16_t v)
{
	return (uint16_t)(v << 8 | v >> 8);
}

/* Copies the packet, as it is now, to the message's host memory. */
static inline void deposit(struct task *task, void *packet)
{
	spin_dma_to_host(task->host_mem_high, task->host_mem_low, packet, task->pkt_mem_size);
}

/* Makes `handler` the payload entry that the NIC calls; the other entries are empty. */
#define BASELINE(handler)                                           \
	__handler__ void hpu_payload_ip4(struct handler_args *args) \
	{                                                           \
		handler(args);                                      \
	}                                                           \
	__handler__ void hpu_payload_ip6(void)                      \
	{                                                           \
	}                                                           \
	__handler__ void hpu_header_ip4(void)                       \
	{                                                           \
	}                                                           \
	__handler__ void hpu_header_ip6(void)                       \
	{                                                           \
	}                                                           \
	__handler__ void hpu_proceed_ip4(void)                      \
	{                                                           \
	}                                                           \
	__handler__ void hpu_proceed_ip6(void)                      \
	{                                                           \
	}                                                           \
	__handler__ void hpu_completion(void)                       \
	{                                                           \
	}

#endif
