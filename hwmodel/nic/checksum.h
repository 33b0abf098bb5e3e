/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_CHECKSUM_H
#define HWMODEL_NIC_CHECKSUM_H

/* The Internet checksum (RFC 1071, RFC 1624), as the NIC's engines compute it. */
#include <stddef.h>
#include <stdint.h>

/* Sum of `bytes` bytes as 16-bit network-order words in memory order, unfolded; an odd last byte is
 * padded. */
uint64_t checksum__sum(const void *data, size_t bytes);

/* Carries folded in: 16 bits, memory order, not complemented. */
uint16_t checksum__fold(uint64_t sum);

/* Unfolded sum of the pseudo-header of an IP packet with so many bytes of a protocol. */
uint64_t checksum__pseudo(const uint8_t *ip, uint8_t protocol, uint32_t bytes);

enum checksum_state {
	CHECKSUM_RIGHT,
	CHECKSUM_NONE,    /* 0 on IPv4 */
	CHECKSUM_OFFLOAD, /* the bare folded pseudo-header sum, and not right */
	CHECKSUM_WRONG,
};

/* What the UDP checksum of an IP packet is; lengths must have been validated. */
enum checksum_state checksum__udp_state(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_bytes);

/* The UDP checksum field that belongs there, never 0. The field's present content does not matter.
 */
uint16_t checksum__udp(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_bytes);

/* Is the checksum of an ICMP or ICMPv6 message right? Lengths must have been validated. */
int checksum__icmp_right(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes);

/* The checksum field that belongs there, of the two that are one 0xffff. The field's present content does not matter. */
uint16_t checksum__icmp(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes);

#endif
