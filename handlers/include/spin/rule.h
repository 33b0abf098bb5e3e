/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_RULE_H
#define SPIN_RULE_H

#include <stdint.h>

/*
 * Which packets belong to an execution context (PsPIN 3.1: the inbound engine
 * matches packets to contexts). All fields must match; zero matches anything.
 * The same struct configures the BPF program and the model's inbound engine.
 */
struct spin_rule {
	uint32_t src_addr[4];  /* network byte order; an IPv4 address stands in word 0 */
	uint32_t src_mask[4];  /* network byte order; a packet matches if (addr & mask) == src_addr */
	uint32_t dst_addr[4];
	uint32_t dst_mask[4];
	uint16_t src_port;     /* host byte order; 0: any */
	uint16_t dst_port;     /* host byte order; 0: any */
	uint8_t  ip_version;   /* 4, 6, or 0: both (then address masks must be zero) */
	uint8_t  protocol;     /* IPPROTO_UDP (17) */
	uint8_t  pad[2];
};

_Static_assert(sizeof(struct spin_rule) == 72, "spin_rule is shared by BPF, host and model");

#endif
