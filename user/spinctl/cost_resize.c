/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A captured datagram in another size: its payload is cut, or repeated; lengths and checksums are made again. */
#include <string.h>

#include <spin/wire.h>

#include "cost_run.h"

unsigned cost_link_bytes(const uint8_t *frame, unsigned bytes)
{
	unsigned at = 12;

	while (at + 6 <= bytes && ((frame[at] == 0x81 && frame[at + 1] == 0x00) ||
				   (frame[at] == 0x88 && frame[at + 1] == 0xa8)))
		at += 4;
	return at + 2;
}

static uint16_t ip4_checksum(const uint8_t *ip, unsigned bytes)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i + 1 < bytes; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~(sum + (sum >> 16));
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Bytes of the IP header before UDP; 0: it is none. */
static unsigned udp_at(const uint8_t *ip, unsigned bytes)
{
	unsigned header = bytes >= 20 && ip[0] >> 4 == 4 ? (ip[0] & 15u) * 4 : 40;

	if (bytes < header + sizeof(struct spin_udp))
		return 0;
	if (ip[0] >> 4 == 4)
		return header >= 20 && ip[9] == SPIN_IP_UDP && !((ip[6] & 0x3f) | ip[7]) ? header : 0;
	return ip[0] >> 4 == 6 && ip[6] == SPIN_IP_UDP ? header : 0;
}

/* IPv6 wants one: the bare pseudo-header sum, as offloads leave it. */
static unsigned pseudo_sum(const uint8_t *ip, unsigned udp_bytes)
{
	uint32_t sum = udp_bytes + SPIN_IP_UDP;

	for (unsigned i = 8; i < 40; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum + (sum >> 16)) & 0xffff;
}

unsigned cost_resize(uint8_t *to, const uint8_t *frame, unsigned frame_bytes, unsigned bytes)
{
	unsigned link = cost_link_bytes(frame, frame_bytes);
	const uint8_t *ip = frame + link;
	unsigned have = frame_bytes > link ? frame_bytes - link : 0, header = udp_at(ip, have);
	unsigned before = header + (unsigned)sizeof(struct spin_udp), payload, room;
	uint8_t *out = to + link;

	if (!header || bytes < before || bytes > SPIN_IP_BYTES_MAX)
		return 0;
	room = bytes - before;
	payload = (unsigned)(ip[header + 4] << 8 | ip[header + 5]);
	payload = payload >= sizeof(struct spin_udp) ? payload - (unsigned)sizeof(struct spin_udp) : 0;
	if (payload > have - before)
		payload = have - before;
	memcpy(to, frame, link + before);
	for (unsigned i = 0; i < room; i++)
		out[before + i] = payload ? ip[before + i % payload] : 0;
	put16(out + header + 4, room + (unsigned)sizeof(struct spin_udp));
	if (ip[0] >> 4 == 4) {
		put16(out + 2, bytes);
		put16(out + 10, 0);
		put16(out + 10, ip4_checksum(out, header));
		put16(out + header + 6, 0);
	} else {
		put16(out + 4, bytes - 40);
		put16(out + header + 6, pseudo_sum(out, bytes - 40));
	}
	return link + bytes;
}
