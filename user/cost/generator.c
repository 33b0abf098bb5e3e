/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generates packets that match a rule (header fields that select a context's packets), for spinctl cost without a capture. Called by
 * source.c, which supplies the packets of a run. They are datagrams (for an ICMP rule echo requests), messages of many packets in order
 * (SLMP over UDP), in which each packet requests an acknowledgement, or TCP connections, of which only the client's segments are made. The
 * rule also determines Ethernet type, VLAN tag, DSCP and TTL; fields that it leaves open get usual values.
 */
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include "user/cost/run.h"

#define SOURCE_PORT 4000
#define FIRST_PORT  32768 /* source ports of connections, if the rule allows any: Linux's ephemeral range, in order */
#define PORTS       28232
#define TTL         64
#define ECHO        8
#define ECHO6       128

/* Returns a value that the rule accepts: `usual` if it is accepted. */
static unsigned pick_value(const struct spin_rule_set *set, unsigned usual)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->range[i].first <= usual && usual <= set->range[i].last)
			return usual;
	return set->count ? set->range[0].first : usual;
}

static int is_tagged(const struct cost_generator *g)
{
	return pick_value(&g->rule->vlan, SPIN_RULE_UNTAGGED) != SPIN_RULE_UNTAGGED;
}

/* Returns the number of bytes before the IP header. */
static unsigned ethernet_bytes(const struct cost_generator *g)
{
	return (unsigned)(sizeof(struct spin_eth) + (is_tagged(g) ? sizeof(struct spin_vlan) : 0));
}

/* Inverts the address bit at the lowest bit set in the mask, so that the address no longer matches. */
static void unmatch_address(uint8_t *at, const uint8_t *mask_bytes, unsigned bytes)
{
	for (unsigned i = bytes; i-- > 0;)
		if (mask_bytes[i]) {
			at[i] ^= mask_bytes[i] & -mask_bytes[i];
			return;
		}
}

/*
 * Writes an address that the rule accepts. Bits that the rule ignores come from an example address. For `not` it is the example address,
 * with one bit inverted if the rule excludes it.
 */
static void write_address(uint8_t *at, const uint8_t *example, const uint32_t want[4], const uint32_t mask[4], int is_not, unsigned bytes)
{
	const uint8_t *w = (const uint8_t *)want, *mask_bytes = (const uint8_t *)mask;
	int matches = 1;

	for (unsigned i = 0; i < bytes; i++) {
		at[i] = is_not ? example[i] : (uint8_t)(w[i] | (example[i] & ~mask_bytes[i]));
		matches = matches && (at[i] & mask_bytes[i]) == w[i];
	}
	if (is_not && matches)
		unmatch_address(at, mask_bytes, bytes);
}

static void make_ip4(struct cost_generator *g, uint8_t *at, unsigned bytes)
{
	static const uint8_t src[] = { 192, 0, 2, 1 }, dst[] = { 192, 0, 2, 2 }; /* RFC 5737 */
	struct spin_ip4 ip = { .version_ihl = 0x45,
			       .tos = (uint8_t)(pick_value(&g->rule->dscp, 0) << 2),
			       .ttl = (uint8_t)pick_value(&g->rule->ttl, TTL),
			       .protocol = g->rule->protocol ? g->rule->protocol : SPIN_IP_UDP,
			       .total_length = spin_hton16((uint16_t)(sizeof(ip) + bytes)) };
	uint32_t sum = 0;
	uint16_t half;

	write_address((uint8_t *)&ip.src, src, g->rule->src_addr, g->rule->src_mask, g->rule->src_not, 4);
	write_address((uint8_t *)&ip.dst, dst, g->rule->dst_addr, g->rule->dst_mask, g->rule->dst_not, 4);
	for (unsigned i = 0; i < sizeof(ip); i += 2) {
		memcpy(&half, (const uint8_t *)&ip + i, 2);
		sum += half;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	ip.checksum = (spin_be16) ~(sum + (sum >> 16));
	memcpy(at, &ip, sizeof(ip));
}

static void make_ip6(struct cost_generator *g, uint8_t *at, unsigned bytes)
{
	static const uint8_t src[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 }, dst[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 2 };
	struct spin_ip6 ip = { .version_class_flow = spin_hton32(6u << 28 | pick_value(&g->rule->dscp, 0) << 22),
			       .hop_limit = (uint8_t)pick_value(&g->rule->ttl, TTL),
			       .next_header = g->rule->protocol ? g->rule->protocol : SPIN_IP_UDP,
			       .payload_length = spin_hton16((uint16_t)bytes) };

	write_address((uint8_t *)ip.src, src, g->rule->src_addr, g->rule->src_mask, g->rule->src_not, 16);
	write_address((uint8_t *)ip.dst, dst, g->rule->dst_addr, g->rule->dst_mask, g->rule->dst_not, 16);
	memcpy(at, &ip, sizeof(ip));
}

/* UDP over IPv6 requires a checksum. Returns the sum of the pseudo-header alone, as the sender's checksum offload leaves it. */
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

/* Writes little-endian numbers, as handlers on all targets read them. The last one may be truncated. */
static void make_payload(struct cost_generator *g, uint8_t *at, unsigned bytes, unsigned values)
{
	for (unsigned i = 0; i < bytes; i += 4) {
		uint32_t high, number;

		g->random = g->random * 1664525 + 1013904223;
		high = g->random >> 16;
		g->random = g->random * 1664525 + 1013904223;
		number = high << 16 | g->random >> 16;
		if (values)
			number = (uint32_t)((uint64_t)number * values >> 32);
		memcpy(at + i, &number, bytes - i < 4 ? bytes - i : 4);
	}
}

static uint16_t pick_port(uint16_t port, const struct spin_rule_set *set, uint16_t any)
{
	return port ? port : (uint16_t)pick_value(set, any);
}

int cost_is_icmp(const struct spin_rule *rule)
{
	return rule->protocol == SPIN_IP_ICMP || rule->protocol == SPIN_IP_ICMP6;
}

unsigned cost_generator__header_bytes(const struct cost_generator *g)
{
	if (g->is_raw || g->rule->ether_type)
		return 0;
	return (unsigned)((g->rule->ip_version == 6 ? sizeof(struct spin_ip6) : sizeof(struct spin_ip4)) +
			  (cost_is_icmp(g->rule) ? 0
			   : g->takes_segments   ? sizeof(struct spin_tcp)
						 : sizeof(struct spin_udp)) +
			  (g->takes_messages ? sizeof(struct spin_slmp) : 0));
}

/* Returns what follows the IP header. */
static uint8_t *transport_at(struct cost_generator *g)
{
	return g->frame + ethernet_bytes(g) + (g->rule->ip_version == 6 ? sizeof(struct spin_ip6) : sizeof(struct spin_ip4));
}

static void make_headers(struct cost_generator *g, unsigned payload_bytes)
{
	int is_ip6 = g->rule->ip_version == 6;
	unsigned udp_bytes =
		cost_generator__header_bytes(g) + payload_bytes - (unsigned)(is_ip6 ? sizeof(struct spin_ip6) : sizeof(struct spin_ip4));
	struct spin_eth eth = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 }, spin_hton16(is_ip6 ? SPIN_ETH_IP6 : SPIN_ETH_IP4) };
	struct spin_udp udp = { spin_hton16(pick_port(g->rule->src_port, &g->rule->src_ports, SOURCE_PORT)),
				spin_hton16(pick_port(g->rule->dst_port, &g->rule->dst_ports, SPIN_SLMP_PORT)),
				spin_hton16((uint16_t)udp_bytes), 0 };
	const struct spin_vlan vlan = { spin_hton16((uint16_t)pick_value(&g->rule->vlan, SPIN_RULE_UNTAGGED)), eth.type };
	uint8_t *ip = g->frame + ethernet_bytes(g);

	if (g->rule->ether_type)
		eth.type = spin_hton16(g->rule->ether_type);
	if (is_tagged(g)) {
		eth.type = spin_hton16(SPIN_ETH_VLAN);
		memcpy(g->frame + sizeof(eth), &vlan, sizeof(vlan));
	}
	memcpy(g->frame, &eth, sizeof(eth));
	if (g->rule->ether_type)
		return;
	if (cost_is_icmp(g->rule) || g->takes_segments) {
		if (is_ip6)
			make_ip6(g, ip, udp_bytes);
		else
			make_ip4(g, ip, udp_bytes);
		return;
	}
	if (is_ip6) {
		make_ip6(g, ip, udp_bytes);
		udp.checksum = pseudo_sum(ip, udp_bytes);
	} else {
		make_ip4(g, ip, udp_bytes);
	}
	memcpy(transport_at(g), &udp, sizeof(udp));
}

/* Writes the TCP header of a connection's packet: a SYN, then segments with an ACK. */
static void make_tcp(struct cost_generator *g, const struct cost_generated *made, uint32_t connection, unsigned packet)
{
	const uint32_t first = connection * 2654435761u; /* spreads the initial sequence numbers of connections */
	struct spin_tcp tcp = {
		.src_port = spin_hton16(pick_port(g->rule->src_port, &g->rule->src_ports, (uint16_t)(FIRST_PORT + connection % PORTS))),
		.dst_port = spin_hton16(pick_port(g->rule->dst_port, &g->rule->dst_ports, SPIN_SLMP_PORT)),
		.seq = spin_hton32(first + (packet ? 1 + (packet - 1) * made->payload_bytes : 0)),
		.ack = spin_hton32(packet ? 1 : 0),
		.words = sizeof(tcp) / 4 << 4,
		.flags = packet ? SPIN_TCP_ACK | (packet == made->packets ? SPIN_TCP_FIN | SPIN_TCP_PSH : 0) : SPIN_TCP_SYN,
		.window = spin_hton16(UINT16_MAX),
	};

	memcpy(transport_at(g), &tcp, sizeof(tcp));
}

/* Writes an echo request. bytes: at least 8. */
static void make_echo(const struct cost_generator *g, uint8_t *at, unsigned bytes, uint32_t sequence)
{
	int is_ip6 = g->rule->ip_version == 6;
	struct spin_icmp icmp = { .type = is_ip6 ? ECHO6 : ECHO,
				  .id = spin_hton16(SOURCE_PORT),
				  .sequence = spin_hton16((uint16_t)sequence) };

	memcpy(at, &icmp, sizeof(icmp));
	cost_set_icmp_checksum(g->frame + ethernet_bytes(g), at, bytes);
}

void cost_generator__make(struct cost_generator *g, const struct cost_generated *made, uint32_t message, unsigned packet)
{
	unsigned payload = g->takes_segments && !packet ? 0 : made->payload_bytes, at = 0;

	if (!g->is_raw) {
		make_headers(g, payload);
		at = ethernet_bytes(g) + cost_generator__header_bytes(g);
	}
	if (g->takes_messages && !g->is_raw) {
		unsigned flags = SPIN_SLMP_SYN | (packet + 1 == made->packets ? SPIN_SLMP_EOM : 0);
		struct spin_slmp slmp = { spin_hton16((uint16_t)flags), spin_hton32(message), spin_hton32(packet * payload) };

		memcpy(g->frame + at - sizeof(slmp), &slmp, sizeof(slmp));
	}
	make_payload(g, g->frame + at, payload, made->values);
	if (g->takes_segments) {
		make_tcp(g, made, message, packet);
		cost_set_tcp_checksum(g->frame + ethernet_bytes(g), transport_at(g), (unsigned)sizeof(struct spin_tcp) + payload);
	}
	if (!g->is_raw && cost_is_icmp(g->rule))
		make_echo(g, g->frame + at, payload, message);
	g->bytes = at + payload;
}
