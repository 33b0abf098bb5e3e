/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_CHECKSUM_H
#define HWMODEL_NIC_CHECKSUM_H

/*
 * The Internet checksum (RFC 1071, RFC 1624), as computed by the NIC's engines. Called by inbound.c and outbound.c of the modelled NIC, and
 * by tests.
 */
#include <stddef.h>
#include <stdint.h>

/* Returns the unfolded sum of `bytes` bytes as 16-bit network-order words in memory order; an odd last byte is padded with zero. */
uint64_t checksum__sum(const void *data, size_t bytes);

/* Folds the carries. Returns 16 bits in memory order, not complemented. */
uint16_t checksum__fold(uint64_t sum);

/* Returns the unfolded sum of the pseudo-header of an IP packet with `bytes` bytes of the protocol. */
uint64_t checksum__pseudo(const uint8_t *ip, uint8_t protocol, uint32_t bytes);

/* What is in a packet's checksum field. */
enum checksum_state {
	CHECKSUM_RIGHT,
	CHECKSUM_NONE,    /* 0 on IPv4 */
	CHECKSUM_OFFLOAD, /* the bare folded pseudo-header sum, and not the right checksum */
	CHECKSUM_WRONG,
};

/* Returns the state of an IP packet's UDP checksum. The caller must have validated the lengths. */
enum checksum_state checksum__udp_state(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_bytes);

/* The same of a TCP checksum: there 0 is a checksum like any other, so NONE is not returned. */
enum checksum_state checksum__tcp_state(const uint8_t *ip, uint32_t ip_bytes, uint32_t tcp_bytes);

/* Returns the right UDP checksum, never 0. The field's present content is ignored. */
uint16_t checksum__udp(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_bytes);

/* Is the checksum of an ICMP or ICMPv6 message right? The caller must have validated the lengths. */
int checksum__icmp_right(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes);

/* Returns the right ICMP checksum; 0xffff where 0 would be equivalent. The field's present content is ignored. */
uint16_t checksum__icmp(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes);

#endif
