/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_BASELINES_MESSAGE_H
#define TESTS_MODEL_BASELINES_MESSAGE_H

/* Packet layout for the baselines of message handlers: Ethernet frames of SLMP. Included by message_copy.c and message_sum.c. */
#include "tests/model/baselines/pspin.h"

struct eth_hdr {
	uint8_t dst[6], src[6];
	uint16_t type;
} __attribute__((packed));

struct slmp_hdr {
	uint16_t flags;
	uint32_t msg_id, pkt_off;
} __attribute__((packed));

static inline uint32_t swap32(uint32_t v)
{
	return v << 24 | (v & 0xff00) << 8 | (v >> 8 & 0xff00) | v >> 24;
}

static inline struct ip_hdr *ip_of(uint8_t *frame)
{
	return (struct ip_hdr *)(frame + sizeof(struct eth_hdr));
}

static inline uint32_t header_bytes(const struct ip_hdr *ip)
{
	return ip->ihl * 4 + sizeof(struct udp_hdr) + sizeof(struct slmp_hdr);
}

static inline const struct slmp_hdr *slmp_of(const struct ip_hdr *ip)
{
	return (const struct slmp_hdr *)((const uint8_t *)ip + ip->ihl * 4 + sizeof(struct udp_hdr));
}

#endif
