/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the payload and the addresses of a received frame (packet.h). Called by queue.c for each packet of an AF_XDP socket. The dispatcher
 * has parsed the frame before, but handlers may have changed it since. So every length is checked again, and what does not fit the frame is
 * left out: ip_version is 0, or the payload ends with the frame.
 */
#include <stddef.h>
#include <string.h>

#include <spin/wire.h>

#include "user/libspin/ring/packet.h"

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns the length of the header that holds the ports: of UDP or TCP; 0: the packet has none, or is shorter. */
static uint32_t ports_header_bytes(const uint8_t *at, uint32_t protocol, uint32_t bytes)
{
	uint32_t header_bytes = 0;

	if (protocol == SPIN_IP_UDP)
		header_bytes = sizeof(struct spin_udp);
	else if (protocol == SPIN_IP_TCP && bytes >= sizeof(struct spin_tcp))
		header_bytes = (at[offsetof(struct spin_tcp, words)] >> 4) * 4u;
	if (protocol == SPIN_IP_TCP && header_bytes < sizeof(struct spin_tcp))
		return 0;
	return header_bytes <= bytes ? header_bytes : 0;
}

/* As for handlers: the payload starts after the header of UDP or TCP, or is the whole ICMP message. `end`: end of the IP packet. */
static void read_transport(struct spin_ring_packet *packet, uint32_t protocol, uint32_t at, uint32_t end)
{
	const uint32_t header_bytes = ports_header_bytes(packet->frame + at, protocol, end - at);
	struct spin_udp ports; /* TCP's header begins with its ports, as UDP's does */

	packet->payload_at = at + header_bytes;
	packet->payload_bytes = end - packet->payload_at;
	if (!header_bytes)
		return;
	memcpy(&ports, packet->frame + at, sizeof(ports));
	packet->src_port = spin_ntoh16(ports.src_port);
	packet->dst_port = spin_ntoh16(ports.dst_port);
}

static void read_ip4(struct spin_ring_packet *packet, uint32_t at)
{
	struct spin_ip4 ip;
	uint32_t header_bytes, end;

	if (packet->frame_bytes - at < sizeof(ip))
		return;
	memcpy(&ip, packet->frame + at, sizeof(ip));
	header_bytes = (ip.version_ihl & 15u) * 4u;
	end = min_u32(packet->frame_bytes, at + spin_ntoh16(ip.total_length));
	if (ip.version_ihl >> 4 != 4 || header_bytes < sizeof(ip) || at + header_bytes > end)
		return;
	packet->ip_version = 4;
	packet->src_addr[0] = ip.src;
	packet->dst_addr[0] = ip.dst;
	read_transport(packet, ip.protocol, at + header_bytes, end);
}

static void read_ip6(struct spin_ring_packet *packet, uint32_t at)
{
	struct spin_ip6 ip;
	uint32_t end;

	if (packet->frame_bytes - at < sizeof(ip))
		return;
	memcpy(&ip, packet->frame + at, sizeof(ip));
	if (packet->frame[at] >> 4 != 6)
		return;
	end = min_u32(packet->frame_bytes, at + (uint32_t)sizeof(ip) + spin_ntoh16(ip.payload_length));
	packet->ip_version = 6;
	memcpy(packet->src_addr, ip.src, sizeof(packet->src_addr));
	memcpy(packet->dst_addr, ip.dst, sizeof(packet->dst_addr));
	read_transport(packet, ip.next_header, at + (uint32_t)sizeof(ip), end);
}

void ring_packet__read(struct spin_ring_packet *packet, uint8_t *frame, uint32_t bytes)
{
	uint32_t at = sizeof(struct spin_eth), type;

	memset(packet, 0, sizeof(*packet));
	packet->frame = frame;
	packet->frame_bytes = bytes;
	packet->payload_at = min_u32(at, bytes);
	packet->payload_bytes = bytes - packet->payload_at;
	if (bytes < at)
		return;
	type = (uint32_t)frame[at - 2] << 8 | frame[at - 1];
	for (int tags = 0; tags < 2 && (type == SPIN_ETH_VLAN || type == SPIN_ETH_QINQ) && bytes - at >= sizeof(struct spin_vlan); tags++) {
		at += (uint32_t)sizeof(struct spin_vlan);
		type = (uint32_t)frame[at - 2] << 8 | frame[at - 1];
		packet->payload_at = at;
		packet->payload_bytes = bytes - at;
	}
	if (type == SPIN_ETH_IP4)
		read_ip4(packet, at);
	else if (type == SPIN_ETH_IP6)
		read_ip6(packet, at);
}
