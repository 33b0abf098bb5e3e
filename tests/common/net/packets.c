/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Random packets, well formed and malformed, for fuzzers. The same seed gives the same packets. Called by tests/fuzz/fuzz_packets.c and
 * fuzz_traffic.c.
 */
#include <stdio.h>
#include <string.h>

#include <spin/wire.h>

#include "tests/common/net/packets.h"
#include "user/conformance/template/template.h"

#define FRAME_MAX 9600 /* some are longer than handlers accept */
#define SOURCES   64

static uint32_t below(struct packets *p, uint32_t n)
{
	/* xorshift64* */
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return (uint32_t)((p->random * 0x2545f4914f6cdd1dull >> 32) * n >> 32);
}

static int one_in(struct packets *p, uint32_t n)
{
	return !below(p, n);
}

void packets_start(struct packets *p, uint64_t seed, const char *handler)
{
	p->random = seed * 0x9e3779b97f4a7c15ull + 1;
	p->kv = !strcmp(handler, "kvstore");
	p->ping = !strcmp(handler, "ping");
	p->icmp = p->ether_type = 0;
}

void packets_of_protocol(struct packets *p, unsigned protocol)
{
	p->icmp = protocol == SPIN_IP_ICMP ? 4 : protocol == SPIN_IP_ICMP6 ? 6 : 0;
}

void packets_fill_tables(const struct types *t, struct image *image)
{
	for (unsigned i = 0; i < t->count; i++) {
		for (unsigned host = 0; host < SOURCES; host += 2) {
			char fields[64];

			snprintf(fields, sizeof(fields), "src=10.0.0.%u port=%u", host + 1, 7000 + host);
			if (layout__insert(t->btf, &t->var[i], image->bytes[i], fields))
				break;
		}
	}
}

static uint8_t *put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
	return at + 2;
}

static uint32_t kv_payload(struct packets *p, uint8_t *at)
{
	uint32_t key = below(p, 40) * (one_in(p, 2) ? 125 : 1), more = one_in(p, 100) ? below(p, 9300) : one_in(p, 6) ? below(p, 40) : 0;

	memset(at, 0, 48);
	put16(at, one_in(p, 30) ? below(p, 5) : 1u + (one_in(p, 3) ? 1u : 0));
	put16(at + 4, below(p, 65536));
	put16(at + 10, key);
	for (uint32_t i = 16; i < 48 + more; i++)
		at[i] = (uint8_t)below(p, 256);
	return one_in(p, 20) ? below(p, 48) : 48 + more;
}

static uint32_t any_payload(struct packets *p, uint8_t *at)
{
	static const uint8_t codes[] = { 0, 1, 2, 3, 4, 4, 4, 4, 4, 5, 6, 8, 9, 12, 13, 0x10 };
	uint32_t bytes = one_in(p, 60) ? below(p, 9500) : one_in(p, 4) ? below(p, 3300) : below(p, 130);

	for (uint32_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)below(p, 256);
	if (bytes >= 8) { /* controls the test handler */
		at[0] = one_in(p, 2) ? 4 : codes[below(p, sizeof(codes))];
		at[1] = one_in(p, 2) ? 0 : codes[below(p, sizeof(codes))];
		at[2] = one_in(p, 2) ? 0 : codes[below(p, sizeof(codes))];
		if (one_in(p, 2)) {
			put16(at + 4, below(p, bytes + 4));
			put16(at + 6, below(p, bytes + 4));
		}
	}
	return bytes;
}

static uint8_t *put_eth(struct packets *p, uint8_t *at, uint32_t ip_type)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	uint32_t tags = one_in(p, 4) ? below(p, 4) : 0;

	memcpy(at, macs, 12);
	at += 12;
	for (uint32_t i = 0; i < tags; i++) {
		at = put16(at, one_in(p, 2) ? 0x8100 : 0x88a8);
		at = put16(at, below(p, 65536));
	}
	return put16(at, ip_type);
}

static uint8_t *put_ip4(struct packets *p, uint8_t *ip)
{
	uint32_t options = one_in(p, 5) ? below(p, 11) * 4 : 0;

	memset(ip, 0, 20);
	ip[0] = (uint8_t)(0x45 + options / 4);
	put16(ip + 4, below(p, 65536));
	put16(ip + 6, one_in(p, 30) ? below(p, 65536) : one_in(p, 2) ? 0x4000 : 0);
	ip[8] = (uint8_t)below(p, 256);
	ip[9] = one_in(p, 40) ? (uint8_t)below(p, 256) : 17;
	ip[12] = 10;
	ip[15] = (uint8_t)(1 + below(p, SOURCES));
	ip[16] = 10;
	ip[19] = (uint8_t)below(p, 4);
	for (uint32_t i = 0; i < options; i++)
		ip[20 + i] = (uint8_t)(one_in(p, 2) ? 1 : below(p, 256));
	return ip + 20 + options;
}

static uint8_t *put_ip6(struct packets *p, uint8_t *ip)
{
	static const uint8_t next[] = { 0, 6, 43, 44, 50, 51, 58, 59, 60, 135, 139, 140, 253 };

	ip[0] = (uint8_t)(0x60 + below(p, 16));
	for (uint32_t i = 1; i < 40; i++)
		ip[i] = (uint8_t)(one_in(p, 3) ? below(p, 256) : 0);
	ip[6] = one_in(p, 20) ? next[below(p, sizeof(next))] : 17;
	return ip + 40;
}

static void finish_udp(struct packets *p, uint8_t *ip, uint8_t *udp, uint8_t *end, int is_ip4)
{
	uint32_t bytes = (uint32_t)(end - udp), kind = below(p, 12), pseudo, sum;

	put16(udp, below(p, 65536));
	put16(udp + 2, one_in(p, 12) ? below(p, 65536) : 9000);
	put16(udp + 4, bytes);
	put16(udp + 6, 0);
	if (is_ip4) {
		put16(ip + 2, (uint32_t)(end - ip));
		put16(ip + 10, (uint16_t)~template_sum(ip, (uint32_t)(udp - ip), 0));
		if (one_in(p, 50))
			ip[10 + below(p, 2)] ^= (uint8_t)(1 + below(p, 255));
	} else {
		put16(ip + 4, bytes);
	}
	pseudo = template_sum(is_ip4 ? ip + 12 : ip + 8, is_ip4 ? 8 : 32, 17 + bytes);
	sum = (uint16_t)~template_sum(udp, bytes, pseudo);
	if (kind < 7)
		put16(udp + 6, sum ? sum : 0xffff);
	else if (kind < 9)
		put16(udp + 6, pseudo);
	else if (kind == 9)
		put16(udp + 6, below(p, 65536));
}

/* Writes a message's type and code. The first payload bytes control other handlers. */
static void put_echo(struct packets *p, uint8_t *icmp, int is_ip4)
{
	static const uint8_t types[] = { 0, 3, 8, 11, 128, 129, 133, 134, 135, 136 };

	icmp[0] = !one_in(p, 4) ? (is_ip4 ? 8 : 128) : types[below(p, sizeof(types))];
	icmp[1] = one_in(p, 10) ? (uint8_t)below(p, 4) : 0;
}

/* Writes an ICMP message of random length, which includes at least the checksum field. */
static uint32_t icmp_message(struct packets *p, uint8_t *icmp, uint32_t most, int is_ip4)
{
	uint32_t bytes;

	memset(icmp, 0, 4);
	bytes = any_payload(p, icmp);
	if (p->ping)
		put_echo(p, icmp, is_ip4);
	return bytes < 4 ? 4 : bytes > most ? most : bytes;
}

/* 0 and 0xffff are the same checksum; both are generated. */
static void finish_icmp(struct packets *p, uint8_t *ip, uint8_t *icmp, uint8_t *end, int is_ip4)
{
	uint32_t bytes = (uint32_t)(end - icmp), sum;

	ip[is_ip4 ? 9 : 6] = is_ip4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6;
	if (is_ip4) {
		put16(ip + 2, (uint32_t)(end - ip));
		put16(ip + 10, 0);
		put16(ip + 10, (uint16_t)~template_sum(ip, (uint32_t)(icmp - ip), 0));
	} else {
		put16(ip + 4, bytes);
	}
	if (one_in(p, 12)) {
		put16(icmp + 2, below(p, 65536));
		return;
	}
	put16(icmp + 2, 0);
	if (one_in(p, 30) && bytes >= 8) /* makes the sum 0 */
		put16(icmp + 6, (uint16_t)~template_sum(icmp, bytes, is_ip4 ? 0 : template_sum(ip + 8, 32, SPIN_IP_ICMP6 + bytes)));
	sum = (uint16_t)~template_sum(icmp, bytes, is_ip4 ? 0 : template_sum(ip + 8, 32, SPIN_IP_ICMP6 + bytes));
	put16(icmp + 2, sum || one_in(p, 2) ? sum : 0xffff);
}

/* Changes a length, a type or another field, occasionally several. */
static uint32_t mutate(struct packets *p, uint8_t *frame, uint32_t bytes)
{
	do {
		switch (below(p, 5)) {
		case 0:
			frame[below(p, bytes)] ^= (uint8_t)(1u << below(p, 8));
			break;
		case 1:
			frame[below(p, bytes < 64 ? bytes : 64)] = (uint8_t)below(p, 256);
			break;
		case 2:
			bytes = 14 + below(p, bytes - 13);
			break;
		case 3: /* padding */
			for (uint32_t few = one_in(p, 30) ? 4000 : 20; bytes < FRAME_MAX && !one_in(p, few);)
				frame[bytes++] = (uint8_t)below(p, 256);
			break;
		default: /* set a header field to an extreme value */
			put16(frame + 12 + 2 * below(p, bytes > 44 ? 16 : 1), one_in(p, 2) ? 0xffff : 0);
			break;
		}
	} while (one_in(p, 3));
	return bytes;
}

uint32_t packets_next(struct packets *p, uint8_t *frame)
{
	int is_ip4 = p->icmp ? (p->icmp == 4) != one_in(p, 20) : !one_in(p, 5);
	uint8_t *ip = put_eth(p, frame, one_in(p, 60) ? below(p, 65536) : is_ip4 ? 0x0800 : 0x86dd);
	uint8_t *udp, *end;
	uint32_t bytes;

	if (p->ether_type && !one_in(p, 10)) {
		ip = put_eth(p, frame, one_in(p, 20) ? below(p, 65536) : p->ether_type);
		bytes = any_payload(p, ip);
		if (bytes > (uint32_t)(frame + FRAME_MAX - ip))
			bytes = (uint32_t)(frame + FRAME_MAX - ip);
		bytes += (uint32_t)(ip - frame);
		return one_in(p, 4) ? mutate(p, frame, bytes) : bytes;
	}
	udp = is_ip4 ? put_ip4(p, ip) : put_ip6(p, ip);
	end = udp + 8;
	if (p->icmp && !one_in(p, 20)) {
		end = udp + icmp_message(p, udp, (uint32_t)(frame + FRAME_MAX - udp), is_ip4);
		finish_icmp(p, ip, udp, end, is_ip4);
		bytes = (uint32_t)(end - frame);
		return one_in(p, 4) ? mutate(p, frame, bytes) : bytes;
	}
	end += p->kv && !one_in(p, 30) ? kv_payload(p, end) : any_payload(p, end);
	if (end - frame > FRAME_MAX)
		end = frame + FRAME_MAX;
	finish_udp(p, ip, udp, end, is_ip4);
	bytes = (uint32_t)(end - frame);
	return one_in(p, 4) ? mutate(p, frame, bytes) : bytes;
}
