/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A captured datagram, or an ICMP message, in another size: its payload is cut, or repeated; lengths and checksums are made again. */
#include <string.h>

#include <spin/wire.h>

#include "user/spinctl/cost_run.h"

unsigned cost_link_bytes(const uint8_t *frame, unsigned bytes)
{
	unsigned at = 12;

	while (at + 6 <= bytes && ((frame[at] == 0x81 && frame[at + 1] == 0x00) || (frame[at] == 0x88 && frame[at + 1] == 0xa8)))
		at += 4;
	return at + 2;
}

static uint16_t ip4_checksum(const uint8_t *ip, unsigned bytes)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i + 1 < bytes; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

#define BEHIND_IP 8u /* UDP's header, or that of an ICMP message */

/* Bytes of the IP header before UDP or ICMP; 0: it is neither. */
static unsigned behind_ip(const uint8_t *ip, unsigned bytes, int *is_icmp)
{
	unsigned header = bytes >= 20 && ip[0] >> 4 == 4 ? (ip[0] & 15u) * 4 : 40;
	uint8_t protocol;

	if (bytes < header + BEHIND_IP)
		return 0;
	protocol = ip[0] >> 4 == 4 ? ip[9] : ip[6];
	*is_icmp = protocol == (ip[0] >> 4 == 4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6);
	if (!*is_icmp && protocol != SPIN_IP_UDP)
		return 0;
	if (ip[0] >> 4 == 4)
		return header >= 20 && !((ip[6] & 0x3f) | ip[7]) ? header : 0;
	return ip[0] >> 4 == 6 ? header : 0;
}

/* IPv6 wants one: the bare pseudo-header sum, as offloads leave it. */
static unsigned pseudo_sum(const uint8_t *ip, unsigned protocol, unsigned bytes)
{
	uint32_t sum = bytes + protocol;

	for (unsigned i = 8; i < 40; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum + (sum >> 16)) & 0xffff;
}

void cost_set_icmp_checksum(const uint8_t *ip, uint8_t *icmp, unsigned bytes)
{
	uint32_t sum = ip[0] >> 4 == 6 ? pseudo_sum(ip, SPIN_IP_ICMP6, bytes) : 0;

	put16(icmp + 2, 0);
	for (unsigned i = 0; i < bytes; i += 2)
		sum += (uint32_t)(icmp[i] << 8 | (i + 1 < bytes ? icmp[i + 1] : 0));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(icmp + 2, sum == 0xffff ? sum : ~sum & 0xffff);
}

/* Bytes of the payload that there are, behind the 8 bytes. */
static unsigned payload_bytes(const uint8_t *ip, unsigned header, int is_icmp)
{
	unsigned bytes = (unsigned)(ip[header + 4] << 8 | ip[header + 5]);

	if (is_icmp)
		bytes = ip[0] >> 4 == 4 ? (unsigned)(ip[2] << 8 | ip[3]) - header : (unsigned)(ip[4] << 8 | ip[5]);
	return bytes >= BEHIND_IP && bytes < 65536 ? bytes - BEHIND_IP : 0;
}

unsigned cost_resize(uint8_t *to, const uint8_t *frame, unsigned frame_bytes, unsigned bytes)
{
	unsigned link = cost_link_bytes(frame, frame_bytes);
	const uint8_t *ip = frame + link;
	int is_icmp = 0;
	unsigned have = frame_bytes > link ? frame_bytes - link : 0, header = behind_ip(ip, have, &is_icmp);
	unsigned before = header + BEHIND_IP, payload, room;
	uint8_t *out = to + link;

	if (!header || bytes < before || bytes > SPIN_IP_BYTES_MAX)
		return 0;
	room = bytes - before;
	payload = payload_bytes(ip, header, is_icmp);
	if (payload > have - before)
		payload = have - before;
	memcpy(to, frame, link + before);
	for (unsigned i = 0; i < room; i++)
		out[before + i] = payload ? ip[before + i % payload] : 0;
	if (!is_icmp)
		put16(out + header + 4, room + BEHIND_IP);
	if (ip[0] >> 4 == 4) {
		put16(out + 2, bytes);
		put16(out + 10, 0);
		put16(out + 10, ip4_checksum(out, header));
		if (!is_icmp)
			put16(out + header + 6, 0);
	} else {
		put16(out + 4, bytes - 40);
		if (!is_icmp)
			put16(out + header + 6, pseudo_sum(out, SPIN_IP_UDP, bytes - 40));
	}
	if (is_icmp)
		cost_set_icmp_checksum(out, out + header, bytes - header);
	return link + bytes;
}
