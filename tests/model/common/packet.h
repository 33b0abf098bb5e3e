/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_PACKET_H
#define TESTS_MODEL_PACKET_H

/*
 * Makes an IPv4 UDP datagram over Ethernet with correct checksums. Addresses are in network byte order. Used by most tests in tests/model.
 */
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/nic/checksum.h"

static inline size_t packet__make(uint8_t *frame, uint32_t src, const void *payload, uint32_t bytes)
{
	struct spin_eth eth = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 }, spin_hton16(SPIN_ETH_IP4) };
	struct spin_ip4 ip = { .version_ihl = 0x45,
			       .total_length = spin_hton16((uint16_t)(28 + bytes)),
			       .ttl = 9,
			       .protocol = SPIN_IP_UDP,
			       .src = src,
			       .dst = 0x0200000a };
	struct spin_udp udp = { spin_hton16(4000), spin_hton16(9000), spin_hton16((uint16_t)(8 + bytes)), 0 };
	uint8_t *at = frame + sizeof(eth);

	ip.checksum = (uint16_t)~checksum__fold(checksum__sum(&ip, sizeof(ip)));
	memcpy(frame, &eth, sizeof(eth));
	memcpy(at, &ip, sizeof(ip));
	memcpy(at + 20, &udp, sizeof(udp));
	memcpy(at + 28, payload, bytes);
	udp.checksum = checksum__udp(at, 20, 8 + bytes);
	memcpy(at + 20, &udp, sizeof(udp));
	return sizeof(eth) + 28 + bytes;
}

#endif
