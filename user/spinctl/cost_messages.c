/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages made for the model: SLMP in the order of the wire, each packet asking for its acknowledgement. */
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include "cost.h"

#define SOURCE_PORT 4000
#define TTL 64

struct made {
	const struct spin_rule *rule;
	uint8_t frame[sizeof(struct spin_eth) + SPIN_IP_BYTES_MAX];
	unsigned bytes;
	uint32_t random;
};

/* Whatever the rule wants; where it does not care, an address for examples. */
static void put_address(uint8_t *at, const uint8_t *standard, const uint32_t want[4], const uint32_t mask[4],
			unsigned bytes)
{
	const uint8_t *w = (const uint8_t *)want, *m = (const uint8_t *)mask;

	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(w[i] | (standard[i] & ~m[i]));
}

static void make_ip4(struct made *made, uint8_t *at, unsigned udp_bytes)
{
	static const uint8_t src[] = { 192, 0, 2, 1 }, dst[] = { 192, 0, 2, 2 }; /* RFC 5737 */
	struct spin_ip4 ip = { .version_ihl = 0x45, .ttl = TTL, .protocol = SPIN_IP_UDP,
			       .total_length = spin_hton16((uint16_t)(sizeof(ip) + udp_bytes)) };
	uint32_t sum = 0;
	uint16_t half;

	put_address((uint8_t *)&ip.src, src, made->rule->src_addr, made->rule->src_mask, 4);
	put_address((uint8_t *)&ip.dst, dst, made->rule->dst_addr, made->rule->dst_mask, 4);
	for (unsigned i = 0; i < sizeof(ip); i += 2) {
		memcpy(&half, (const uint8_t *)&ip + i, 2);
		sum += half;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	ip.checksum = (spin_be16)~(sum + (sum >> 16));
	memcpy(at, &ip, sizeof(ip));
}

static void make_ip6(struct made *made, uint8_t *at, unsigned udp_bytes)
{
	static const uint8_t src[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 }, dst[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 2 };
	struct spin_ip6 ip = { .version_class_flow = spin_hton32(6u << 28), .next_header = SPIN_IP_UDP,
			       .hop_limit = TTL, .payload_length = spin_hton16((uint16_t)udp_bytes) };

	put_address((uint8_t *)ip.src, src, made->rule->src_addr, made->rule->src_mask, 16);
	put_address((uint8_t *)ip.dst, dst, made->rule->dst_addr, made->rule->dst_mask, 16);
	memcpy(at, &ip, sizeof(ip));
}

/* Over IPv6 there is no datagram without a checksum: the bare pseudo-header sum, as offloads leave it. */
static uint16_t pseudo_sum(const uint8_t *ip, unsigned udp_bytes)
{
	const uint8_t *addresses = ip + offsetof(struct spin_ip6, src);
	uint32_t sum = spin_hton16((uint16_t)udp_bytes) + spin_hton16(SPIN_IP_UDP);
	uint16_t half;

	for (unsigned i = 0; i < 32; i += 2) {
		memcpy(&half, addresses + i, 2);
		sum += half;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)(sum + (sum >> 16));
}

/* Little-endian numbers, as handlers on all targets read them; the last one may be cut off. */
static void make_payload(struct made *made, uint8_t *at, unsigned bytes, unsigned values)
{
	for (unsigned i = 0; i < bytes; i += 4) {
		uint32_t high, number;

		made->random = made->random * 1664525 + 1013904223;
		high = made->random >> 16;
		made->random = made->random * 1664525 + 1013904223;
		number = high << 16 | made->random >> 16;
		if (values)
			number = (uint32_t)((uint64_t)number * values >> 32);
		memcpy(at + i, &number, bytes - i < 4 ? bytes - i : 4);
	}
}

static void make(struct made *made, const struct cost_messages *messages, uint32_t message_id, unsigned packet)
{
	unsigned bytes = messages->payload_bytes;
	unsigned flags = SPIN_SLMP_SYN | (packet + 1 == messages->packets ? SPIN_SLMP_EOM : 0);
	int is_ip6 = made->rule->ip_version == 6;
	unsigned ip_bytes = is_ip6 ? sizeof(struct spin_ip6) : sizeof(struct spin_ip4);
	unsigned udp_bytes = (unsigned)(sizeof(struct spin_udp) + sizeof(struct spin_slmp)) + bytes;
	struct spin_eth eth = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 },
				spin_hton16(is_ip6 ? SPIN_ETH_IP6 : SPIN_ETH_IP4) };
	struct spin_slmp slmp = { spin_hton16((uint16_t)flags), spin_hton32(message_id),
				  spin_hton32(packet * bytes) };
	struct spin_udp udp = { spin_hton16(made->rule->src_port ? made->rule->src_port : SOURCE_PORT),
				spin_hton16(made->rule->dst_port ? made->rule->dst_port : SPIN_SLMP_PORT),
				spin_hton16((uint16_t)udp_bytes), 0 };
	uint8_t *ip = made->frame + sizeof(eth), *at = ip + ip_bytes;

	memcpy(made->frame, &eth, sizeof(eth));
	if (is_ip6) {
		make_ip6(made, ip, udp_bytes);
		udp.checksum = pseudo_sum(ip, udp_bytes);
	} else {
		make_ip4(made, ip, udp_bytes);
	}
	memcpy(at, &udp, sizeof(udp));
	memcpy(at + sizeof(udp), &slmp, sizeof(slmp));
	make_payload(made, at + sizeof(udp) + sizeof(slmp), bytes, messages->values);
	made->bytes = (unsigned)sizeof(eth) + ip_bytes + udp_bytes;
}

int cost_messages__run(struct pspin *nic, const struct cost_messages *messages, const struct spin_rule *rule,
		       struct cost_totals *t, struct cost_report *r)
{
	struct made made = { .rule = rule, .random = 1 };

	r->made = *messages;
	for (unsigned m = 0; m < messages->messages; m++) {
		for (unsigned p = 0; p < messages->packets; p++) {
			make(&made, messages, m, p);
			r->frames++;
			if (cost_totals__frame(t, nic, made.frame, made.bytes, r))
				return FAILED;
		}
	}
	return DONE;
}
