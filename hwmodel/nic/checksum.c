/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The Internet checksum (RFC 1071, RFC 1624), as computed by the engines of the modelled NIC (checksum.h). Called by inbound.c, outbound.c
 * and tests.
 */
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/nic/checksum.h"

uint64_t checksum__sum(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint64_t sum = 0;
	uint32_t word;
	uint16_t half;

	for (; bytes >= 4; bytes -= 4, at += 4) {
		memcpy(&word, at, 4);
		sum += word;
	}
	if (bytes & 2) {
		memcpy(&half, at, 2);
		sum += half;
		at += 2;
	}
	if (bytes & 1)
		sum += *at;
	return sum;
}

uint16_t checksum__fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

uint64_t checksum__pseudo(const uint8_t *ip, uint8_t protocol, uint32_t bytes)
{
	uint64_t sum = spin_hton16(protocol) + (uint64_t)spin_hton16((uint16_t)bytes);

	if (ip[0] >> 4 == 4)
		return sum + checksum__sum(ip + offsetof(struct spin_ip4, src), 8);
	return sum + checksum__sum(ip + offsetof(struct spin_ip6, src), 32);
}

static uint16_t read_field(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t field(const uint8_t *udp)
{
	return read_field(udp + offsetof(struct spin_udp, checksum));
}

/* `have`: what the checksum's field contains. */
static enum checksum_state state_of(const uint8_t *ip, uint32_t ip_bytes, uint8_t protocol, uint32_t bytes, uint16_t have)
{
	const uint64_t pseudo = checksum__pseudo(ip, protocol, bytes);

	if (checksum__fold(pseudo + checksum__sum(ip + ip_bytes, bytes)) == 0xffff)
		return CHECKSUM_RIGHT;
	return have == checksum__fold(pseudo) ? CHECKSUM_OFFLOAD : CHECKSUM_WRONG;
}

enum checksum_state checksum__udp_state(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_bytes)
{
	const uint16_t have = field(ip + ip_bytes);

	if (!have)
		return ip[0] >> 4 == 4 ? CHECKSUM_NONE : CHECKSUM_WRONG;
	return state_of(ip, ip_bytes, SPIN_IP_UDP, udp_bytes, have);
}

enum checksum_state checksum__tcp_state(const uint8_t *ip, uint32_t ip_bytes, uint32_t tcp_bytes)
{
	const uint16_t have = read_field(ip + ip_bytes + offsetof(struct spin_tcp, checksum));

	return state_of(ip, ip_bytes, SPIN_IP_TCP, tcp_bytes, have);
}

uint16_t checksum__udp(const uint8_t *ip, uint32_t ip_bytes, uint32_t udp_bytes)
{
	const uint8_t *udp = ip + ip_bytes;
	uint64_t sum = checksum__pseudo(ip, SPIN_IP_UDP, udp_bytes) + checksum__sum(udp, udp_bytes) + (uint16_t)~field(udp);
	uint16_t checksum = (uint16_t)~checksum__fold(sum);

	return checksum ? checksum : 0xffff;
}

/* Sum over the ICMP message; for ICMPv6 with its pseudo-header. */
static uint64_t icmp_sum(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes)
{
	uint64_t pseudo = ip[0] >> 4 == 4 ? 0 : checksum__pseudo(ip, SPIN_IP_ICMP6, bytes);

	return pseudo + checksum__sum(ip + ip_bytes, bytes);
}

int checksum__icmp_right(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes)
{
	return checksum__fold(icmp_sum(ip, ip_bytes, bytes)) == 0xffff;
}

uint16_t checksum__icmp(const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes)
{
	uint16_t have, checksum;

	memcpy(&have, ip + ip_bytes + offsetof(struct spin_icmp, checksum), sizeof(have));
	checksum = (uint16_t)~checksum__fold(icmp_sum(ip, ip_bytes, bytes) + (uint16_t)~have);
	return checksum ? checksum : 0xffff;
}
