/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds and parses frames with a TCP segment (frame.h). Called by schedule.c, reference_engine.c and the tests of this directory.
 * Checksums are always computed over the whole segment.
 */
#include <string.h>

#include <spin/wire.h>

#include "tests/segments/frame.h"

#define ETH_BYTES 14u
#define TCP_BYTES 20u

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, v >> 16);
	put16(at + 2, v & 0xffff);
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) << 16 | get16(at + 2);
}

static uint32_t sum16(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bytes; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	return sum;
}

static uint32_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint32_t pseudo_sum(const struct segref_key *key, uint32_t tcp_bytes)
{
	uint32_t address = key->ip_version == 4 ? 4 : 16;

	return sum16(key->src, address) + sum16(key->dst, address) + SPIN_IP_TCP + tcp_bytes;
}

/* Sum of pseudo header and segment, with the checksum field. 0xffff: the field is right. */
static uint32_t whole_sum(const struct segref_key *key, const uint8_t *tcp, uint32_t tcp_bytes)
{
	return fold(fold(pseudo_sum(key, tcp_bytes)) + fold(sum16(tcp, tcp_bytes)));
}

static void store_sum(const struct segref_key *key, uint8_t *tcp, uint32_t tcp_bytes, enum segframe_sum kind)
{
	uint32_t right;

	put16(tcp + 16, 0);
	if (kind == SEGFRAME_SUM_ZERO || kind == SEGFRAME_SUM_ONES)
		put16(tcp + 18, 0xffff - whole_sum(key, tcp, tcp_bytes));
	right = 0xffff - whole_sum(key, tcp, tcp_bytes);
	switch (kind) {
	case SEGFRAME_SUM_PARTIAL:
		put16(tcp + 16, fold(pseudo_sum(key, tcp_bytes)));
		return;
	case SEGFRAME_SUM_ONES:
		put16(tcp + 16, 0xffff);
		return;
	case SEGFRAME_SUM_WRONG:
		/* not by 0xffff, which would be right again */
		put16(tcp + 16, right ^ 0x0100);
		return;
	case SEGFRAME_SUM_NONE:
		/* an urgent pointer with which 0 is wrong */
		if (!right)
			put16(tcp + 18, 1);
		return;
	default:
		put16(tcp + 16, right);
	}
}

/* Writes the IP header, with options of no operation, and returns its length. */
static uint32_t build_ip(const struct segref_segment *s, const struct segframe_shape *shape, uint32_t tcp_bytes, uint8_t *ip)
{
	uint32_t bytes = 20 + 4u * shape->ip_options;

	if (s->key.ip_version == 6) {
		memset(ip, 0, 40);
		ip[0] = (uint8_t)(0x60 | s->dscp >> 2);
		ip[1] = (uint8_t)(s->dscp << 6);
		put16(ip + 4, tcp_bytes);
		ip[6] = SPIN_IP_TCP;
		ip[7] = s->ttl;
		memcpy(ip + 8, s->key.src, 16);
		memcpy(ip + 24, s->key.dst, 16);
		return 40;
	}
	memset(ip, 0, 20);
	memset(ip + 20, 1, bytes - 20);
	ip[0] = (uint8_t)(0x40 | bytes / 4);
	ip[1] = (uint8_t)(s->dscp << 2);
	put16(ip + 2, bytes + tcp_bytes);
	put16(ip + 6, 0x4000);
	ip[8] = s->ttl;
	ip[9] = SPIN_IP_TCP;
	memcpy(ip + 12, s->key.src, 4);
	memcpy(ip + 16, s->key.dst, 4);
	put16(ip + 10, 0xffff - fold(sum16(ip, bytes)));
	return bytes;
}

uint32_t segframe_build(const struct segref_segment *s, const struct segframe_shape *shape, uint8_t *frame)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	uint32_t words = TCP_BYTES / 4 + shape->options, tcp_bytes = 4 * words + s->bytes;
	uint8_t *at = frame + 12;

	memcpy(frame, macs, sizeof(macs));
	for (unsigned i = 0; i < shape->tags; i++, at += 4) {
		put16(at, i + 1 < shape->tags ? SPIN_ETH_QINQ : SPIN_ETH_VLAN);
		put16(at + 2, 100 + i);
	}
	put16(at, s->key.ip_version == 4 ? SPIN_ETH_IP4 : SPIN_ETH_IP6);
	at += 2;
	at += build_ip(s, shape, tcp_bytes, at);
	memset(at, 0, TCP_BYTES);
	put16(at, s->key.src_port);
	put16(at + 2, s->key.dst_port);
	put32(at + 4, s->seq);
	put32(at + 8, 0x11223344);
	at[12] = (uint8_t)(words << 4);
	at[13] = s->flags;
	put16(at + 14, 0x7210);
	memset(at + TCP_BYTES, 1, 4u * shape->options);
	memcpy(at + 4 * words, s->payload, s->bytes);
	store_sum(&s->key, at, tcp_bytes, (enum segframe_sum)shape->sum);
	memset(at + tcp_bytes, 0xee, shape->padding);
	return (uint32_t)(at - frame) + tcp_bytes + shape->padding;
}

/* Parses the IP header at an offset. Returns its length, or 0. */
static uint32_t parse_ip(const uint8_t *ip, uint32_t have, struct segref_segment *s, uint32_t *tcp_bytes)
{
	uint32_t bytes = 4u * (ip[0] & 15);

	s->key.ip_version = ip[0] >> 4;
	if (s->key.ip_version == 6) {
		*tcp_bytes = get16(ip + 4);
		s->dscp = (uint8_t)((ip[0] & 15) << 2 | ip[1] >> 6);
		s->ttl = ip[7];
		memcpy(s->key.src, ip + 8, 16);
		memcpy(s->key.dst, ip + 24, 16);
		return ip[6] == SPIN_IP_TCP && *tcp_bytes + 40 <= have ? 40 : 0;
	}
	if (bytes < 20 || get16(ip + 2) < bytes + TCP_BYTES || get16(ip + 2) > have)
		return 0;
	*tcp_bytes = get16(ip + 2) - bytes;
	s->dscp = ip[1] >> 2;
	s->ttl = ip[8];
	memcpy(s->key.src, ip + 12, 4);
	memcpy(s->key.dst, ip + 16, 4);
	return ip[9] == SPIN_IP_TCP ? bytes : 0;
}

int segframe_parse(const uint8_t *frame, uint32_t bytes, struct segframe_parsed *out)
{
	struct segref_segment *s = &out->segment;
	uint32_t at = 12, ip_bytes;
	const uint8_t *tcp;

	memset(out, 0, sizeof(*out));
	while (at + 4 < bytes && (get16(frame + at) == SPIN_ETH_VLAN || get16(frame + at) == SPIN_ETH_QINQ))
		at += 4;
	at += 2;
	if (bytes < at + 40)
		return 0;
	ip_bytes = parse_ip(frame + at, bytes - at, s, &out->tcp_bytes);
	out->tcp = at + ip_bytes;
	if (!ip_bytes || out->tcp + out->tcp_bytes > bytes)
		return 0;
	tcp = frame + out->tcp;
	s->key.src_port = (uint16_t)get16(tcp);
	s->key.dst_port = (uint16_t)get16(tcp + 2);
	s->seq = get32(tcp + 4);
	s->flags = tcp[13];
	out->payload = out->tcp + 4u * (tcp[12] >> 4);
	if (out->payload > out->tcp + out->tcp_bytes)
		return 0;
	s->bytes = out->tcp + out->tcp_bytes - out->payload;
	s->payload = frame + out->payload;
	out->is_partial = get16(tcp + 16) == fold(pseudo_sum(&s->key, out->tcp_bytes));
	out->is_right = whole_sum(&s->key, tcp, out->tcp_bytes) == 0xffff;
	return 1;
}

void segframe_set_sum(uint8_t *frame, const struct segframe_parsed *parsed)
{
	store_sum(&parsed->segment.key, frame + parsed->tcp, parsed->tcp_bytes, SEGFRAME_SUM_RIGHT);
}
