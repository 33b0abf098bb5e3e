/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_PACKETS_H
#define PSPIN_PACKETS_H

/*
 * Headers of the packets that PsPIN's examples parse: like IPv4 and UDP, but with version and ihl swapped in the first byte, and both
 * lengths in the HPU's byte order. Ports, addresses and the other fields are in network byte order. `spinctl cost --framing pspin` produces
 * such packets. Included by handler files written for PsPIN's own runtime (`spincc --api pspin`).
 */
#include <stdint.h>

typedef struct ip_hdr {
	uint8_t version : 4; /* low half of the byte */
	uint8_t ihl     : 4; /* length of this header, in words */
	uint8_t tos;
	uint16_t length; /* bytes of the packet, including this header */

	uint16_t identification;
	uint16_t offset;

	uint8_t ttl;
	uint8_t protocol;
	uint16_t checksum;

	uint32_t source_id; /* addresses */
	uint32_t dest_id;
} __attribute__((__packed__)) ip_hdr_t;

typedef struct udp_hdr {
	uint16_t src_port;
	uint16_t dst_port;
	uint16_t length; /* bytes, including this header */
	uint16_t checksum;
} __attribute__((__packed__)) udp_hdr_t;

/* For packets without IP options. */
typedef struct pkt_hdr {
	ip_hdr_t ip_hdr;
	udp_hdr_t udp_hdr;
} __attribute__((__packed__)) pkt_hdr_t;

#endif
