/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds, parses and acknowledges test frames (Ethernet, IPv4 or IPv6, UDP), with code of its own and not sPIN's (frame.h). Used by the
 * reference model of messages and by tests in tests/messages, tests/live and tests/ring.
 */
#include <string.h>

#include "tests/reference/frame.h"

#define ETH_BYTES 14u
#define TTL       64 /* of replies */

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t sum16(const uint8_t *at, uint32_t bytes, uint32_t sum)
{
	for (uint32_t i = 0; i < bytes; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

static uint32_t ip_bytes(uint32_t ip_version)
{
	return ip_version == 4 ? 20 : 40;
}

uint8_t *frame_payload(uint8_t *frame, uint32_t ip_version)
{
	return frame + ETH_BYTES + ip_bytes(ip_version) + 8;
}

static uint32_t pseudo_sum(const uint8_t *ip, uint32_t ip_version, uint32_t udp_bytes)
{
	return sum16(ip_version == 4 ? ip + 12 : ip + 8, ip_version == 4 ? 8 : 32, 17 + udp_bytes);
}

/* Sets the lengths and checksums of a frame whose other fields are set. */
static uint32_t set_lengths(uint8_t *frame, uint32_t ip_version, uint32_t bytes, enum frame_sum kind)
{
	uint8_t *ip = frame + ETH_BYTES, *udp = ip + ip_bytes(ip_version);
	uint32_t udp_bytes = 8 + bytes, pseudo, sum;

	if (ip_version == 4) {
		put16(ip + 2, 20 + udp_bytes);
		put16(ip + 10, 0);
		put16(ip + 10, (uint16_t)~fold(sum16(ip, 20, 0)));
	} else {
		put16(ip + 4, udp_bytes);
	}
	put16(udp + 4, udp_bytes);
	put16(udp + 6, 0);
	pseudo = pseudo_sum(ip, ip_version, udp_bytes);
	sum = (uint16_t)~fold(sum16(udp, udp_bytes, pseudo));
	if (kind == FRAME_SUM_PARTIAL)
		put16(udp + 6, fold(pseudo));
	else if (kind == FRAME_SUM_RIGHT || ip_version == 6)
		put16(udp + 6, sum ? sum : 0xffff);
	return ETH_BYTES + ip_bytes(ip_version) + udp_bytes;
}

uint32_t frame_finish(uint8_t *frame, const struct frame_flow *flow, uint32_t bytes, enum frame_sum sum)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	uint8_t *ip = frame + ETH_BYTES, *udp = ip + ip_bytes(flow->ip_version);

	memcpy(frame, macs, 12);
	put16(frame + 12, flow->ip_version == 4 ? 0x0800 : 0x86dd);
	memset(ip, 0, ip_bytes(flow->ip_version));
	if (flow->ip_version == 4) {
		ip[0] = 0x45;
		ip[6] = 0x40;
		ip[8] = 17;
		ip[9] = 17;
		memcpy(ip + 12, flow->src, 4);
		memcpy(ip + 16, flow->dst, 4);
	} else {
		ip[0] = 0x60;
		ip[6] = 17;
		ip[7] = 17;
		memcpy(ip + 8, flow->src, 16);
		memcpy(ip + 24, flow->dst, 16);
	}
	put16(udp, flow->src_port);
	put16(udp + 2, flow->dst_port);
	return set_lengths(frame, flow->ip_version, bytes, sum);
}

int frame_parse(const uint8_t *frame, uint32_t frame_bytes, struct frame_flow *flow, const uint8_t **payload, uint32_t *bytes)
{
	const uint8_t *ip = frame + ETH_BYTES, *udp;
	uint32_t headers;

	memset(flow, 0, sizeof(*flow));
	if (frame_bytes < ETH_BYTES + 28)
		return 0;
	flow->ip_version = ip[0] >> 4;
	headers = ETH_BYTES + ip_bytes(flow->ip_version) + 8;
	if ((ip[0] != 0x45 && ip[0] != 0x60) || frame_bytes < headers)
		return 0;
	udp = ip + ip_bytes(flow->ip_version);
	memcpy(flow->src, flow->ip_version == 4 ? ip + 12 : ip + 8, flow->ip_version == 4 ? 4 : 16);
	memcpy(flow->dst, flow->ip_version == 4 ? ip + 16 : ip + 24, flow->ip_version == 4 ? 4 : 16);
	flow->src_port = (uint16_t)get16(udp);
	flow->dst_port = (uint16_t)get16(udp + 2);
	*payload = udp + 8;
	*bytes = frame_bytes - headers;
	return get16(udp + 4) == *bytes + 8;
}

static void swap_bytes(uint8_t *a, uint8_t *b, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		uint8_t tmp = a[i];

		a[i] = b[i];
		b[i] = tmp;
	}
}

uint32_t frame_acknowledge(uint8_t *frame, uint32_t more)
{
	uint8_t *ip = frame + ETH_BYTES, *udp = frame_payload(frame, ip[0] >> 4) - 8;
	int no_checksum = get16(udp + 6) == 0;

	swap_bytes(frame, frame + 6, 6);
	if (ip[0] >> 4 == 4)
		swap_bytes(ip + 12, ip + 16, 4);
	else
		swap_bytes(ip + 8, ip + 24, 16);
	ip[ip[0] >> 4 == 4 ? 8 : 7] = TTL;
	swap_bytes(udp, udp + 2, 2);
	put16(udp + 8, 0x2000 | more);
	/* message_id and offset are unchanged */
	return set_lengths(frame, ip[0] >> 4, 10, no_checksum ? FRAME_SUM_NONE : FRAME_SUM_RIGHT);
}
