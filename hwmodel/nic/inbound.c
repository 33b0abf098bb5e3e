/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The inbound engine of the modelled NIC: decides whether a frame is for a context's handlers, by tests in the order that <spin/reason.h>
 * specifies. Called by her_queue.c for each frame, and by contexts.c to find its context. Written from that text, independently of the
 * runtime in bpf/; tests compare the two.
 */
#include <string.h>

#include <hwmodel/rules.h>
#include <spin/wire.h>

#include "hwmodel/nic/checksum.h"
#include "hwmodel/nic/inbound.h"

#define PASSED        SPIN_REASON_COUNT
#define VLAN_TAGS_MAX 2

static uint32_t be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

enum spin_reason inbound__ethernet(const uint8_t *frame, size_t bytes, uint32_t *ip_off, uint32_t *type)
{
	uint32_t at = sizeof(struct spin_eth);

	if (bytes < at)
		return SPIN_REASON_TRUNCATED;
	*type = be16(frame + at - 2);
	for (unsigned tags = 0; *type == SPIN_ETH_VLAN || *type == SPIN_ETH_QINQ; tags++) {
		if (tags == VLAN_TAGS_MAX)
			return SPIN_REASON_VLAN_DEPTH;
		at += sizeof(struct spin_vlan);
		if (bytes < at)
			return SPIN_REASON_TRUNCATED;
		*type = be16(frame + at - 2);
	}
	*ip_off = at;
	return *type == SPIN_ETH_IP4 || *type == SPIN_ETH_IP6 ? PASSED : SPIN_REASON_NOT_IP;
}

uint32_t inbound__tag(const uint8_t *frame, size_t bytes)
{
	const uint32_t at = sizeof(struct spin_eth);
	uint32_t type;

	if (bytes < at + sizeof(struct spin_vlan))
		return 0;
	type = be16(frame + at - 2);
	return type == SPIN_ETH_VLAN || type == SPIN_ETH_QINQ ? SPIN_TAGGED_ | be16(frame + at) : 0;
}

static int accepts_icmp(const struct spin_rule *rule)
{
	return rule->protocol == SPIN_IP_ICMP || rule->protocol == SPIN_IP_ICMP6;
}

static int accepts_tcp(const struct spin_rule *rule)
{
	return rule->protocol == SPIN_IP_TCP;
}

#define L4_HEADER_BYTES 8u /* UDP's header, or the shortest ICMP message */
_Static_assert(L4_HEADER_BYTES == sizeof(struct spin_udp) && L4_HEADER_BYTES == sizeof(struct spin_icmp), "one bound for both");

/* Returns the bytes that must follow the IP header. */
static uint32_t l4_header_bytes(const struct inbound *in)
{
	return in->is_tcp ? (uint32_t)sizeof(struct spin_tcp) : L4_HEADER_BYTES;
}

/* Sets what the protocol is. Returns 0 if it is none that the rule's context accepts; `icmp` is that of the IP version. */
static int find_protocol(uint8_t protocol, uint8_t icmp, const struct spin_rule *rule, struct inbound *out)
{
	out->is_icmp = protocol == icmp && accepts_icmp(rule);
	out->is_tcp = protocol == SPIN_IP_TCP && accepts_tcp(rule);
	return out->is_icmp || out->is_tcp || protocol == SPIN_IP_UDP;
}

/* Step 2 for IPv4; `bytes` is the frame's length from the IP header on. */
static enum spin_reason ip4(const uint8_t *ip, size_t bytes, const struct spin_rule *rule, struct inbound *out)
{
	if (bytes < sizeof(struct spin_ip4))
		return SPIN_REASON_TRUNCATED;
	out->is_ip4 = 1;
	out->ip_bytes = (ip[0] & 15u) * 4;
	if (ip[0] >> 4 != 4 || out->ip_bytes < sizeof(struct spin_ip4))
		return SPIN_REASON_IP_MALFORMED;
	if (!find_protocol(ip[offsetof(struct spin_ip4, protocol)], SPIN_IP_ICMP, rule, out))
		return SPIN_REASON_NOT_UDP;
	if (be16(ip + offsetof(struct spin_ip4, fragment)) & SPIN_IP4_FRAGMENT_BITS)
		return SPIN_REASON_FRAGMENT;
	if (bytes < out->ip_bytes + l4_header_bytes(out))
		return SPIN_REASON_TRUNCATED;
	out->packet_bytes = be16(ip + offsetof(struct spin_ip4, total_length));
	if (out->packet_bytes < out->ip_bytes + l4_header_bytes(out) || out->packet_bytes > bytes)
		return SPIN_REASON_IP_LENGTH;
	return out->packet_bytes > SPIN_IP_BYTES_MAX ? SPIN_REASON_TOO_LONG : PASSED;
}

/* Step 2 for IPv6. */
static enum spin_reason ip6(const uint8_t *ip, size_t bytes, const struct spin_rule *rule, struct inbound *out)
{
	uint32_t l4_bytes;
	uint8_t protocol;

	if (bytes < sizeof(struct spin_ip6))
		return SPIN_REASON_TRUNCATED;
	out->is_ip4 = 0;
	out->ip_bytes = sizeof(struct spin_ip6);
	if (ip[0] >> 4 != 6)
		return SPIN_REASON_IP_MALFORMED;
	protocol = ip[offsetof(struct spin_ip6, next_header)];
	switch (protocol) {
	case 44:
		return SPIN_REASON_FRAGMENT;
	case 0:
	case 43:
	case 50:
	case 51:
	case 60:
	case 135:
	case 139:
	case 140:
		return SPIN_REASON_IP6_EXTENSION;
	default:
		if (!find_protocol(protocol, SPIN_IP_ICMP6, rule, out))
			return SPIN_REASON_NOT_UDP;
	}
	if (bytes < sizeof(struct spin_ip6) + l4_header_bytes(out))
		return SPIN_REASON_TRUNCATED;
	l4_bytes = be16(ip + offsetof(struct spin_ip6, payload_length));
	if (l4_bytes < l4_header_bytes(out) || l4_bytes > bytes - sizeof(struct spin_ip6))
		return SPIN_REASON_IP_LENGTH;
	out->packet_bytes = sizeof(struct spin_ip6) + l4_bytes;
	return out->packet_bytes > SPIN_IP_BYTES_MAX ? SPIN_REASON_TOO_LONG : PASSED;
}

/* A frame of another EtherType, with `bytes` bytes after the type. */
static enum spin_reason ether(size_t bytes, struct inbound *out)
{
	out->is_ether = 1;
	out->is_ip4 = out->is_icmp = out->is_tcp = 0;
	out->ip_bytes = out->header_bytes = 0;
	out->packet_bytes = out->payload_bytes = (uint32_t)bytes;
	return !bytes ? SPIN_REASON_TRUNCATED : bytes > SPIN_IP_BYTES_MAX ? SPIN_REASON_TOO_LONG : PASSED;
}

/* Compares an address under a mask. An IPv4 address is in word 0; the other words are 0. */
static int address__matches(const uint8_t *at, size_t bytes, const uint32_t want[4], const uint32_t mask[4])
{
	uint32_t addr[4] = { 0 };

	memcpy(addr, at, bytes);
	for (unsigned i = 0; i < 4; i++)
		if ((addr[i] & mask[i]) != want[i])
			return 0;
	return 1;
}

/* A rule without a protocol means UDP, unless it has an EtherType. */
static int protocol__matches(const struct spin_rule *rule, const struct inbound *in)
{
	const uint8_t protocol = rule->protocol;

	if (rule->ether_type)
		return 0;
	if (in->is_icmp)
		return protocol == (in->is_ip4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6);
	return in->is_tcp ? protocol == SPIN_IP_TCP : !protocol || protocol == SPIN_IP_UDP;
}

/* In a tagged frame the outer tag comes first: its id is in bytes 14 and 15. */
static int fields__match(const struct spin_rule *rule, const uint8_t *frame, const struct inbound *in)
{
	const uint8_t *ip = frame + in->ip_off, *udp = ip + in->ip_bytes;
	unsigned vlan = in->ip_off > 14 ? be16(frame + 14) & 0xfffu : SPIN_RULE_UNTAGGED;
	unsigned dscp = in->is_ip4 ? ip[1] >> 2 : (ip[0] & 15u) << 2 | ip[1] >> 6;

	return rule_set__has(&rule->vlan, vlan) && rule_set__has(&rule->dscp, dscp) &&
	       rule_set__has(&rule->ttl, in->is_ip4 ? ip[8] : ip[7]) && rule_set__has(&rule->src_ports, be16(udp)) &&
	       rule_set__has(&rule->dst_ports, be16(udp + 2));
}

static int rule__matches(const struct spin_rule *rule, const uint8_t *ip, const struct inbound *in)
{
	const uint8_t *udp = ip + in->ip_bytes;
	const uint8_t *src = ip + (in->is_ip4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src));
	size_t bytes = in->is_ip4 ? 4 : 16;

	return (!rule->ip_version || rule->ip_version == (in->is_ip4 ? 4 : 6)) && protocol__matches(rule, in) &&
	       (!rule->src_port || rule->src_port == be16(udp)) && (!rule->dst_port || rule->dst_port == be16(udp + 2)) &&
	       address__matches(src, bytes, rule->src_addr, rule->src_mask) != rule->src_not &&
	       address__matches(src + bytes, bytes, rule->dst_addr, rule->dst_mask) != rule->dst_not;
}

/* Tests a word of a frame whose type is in front of `ip_off`. Words are numbered as if there were no VLAN tags. */
static int word__matches(const struct spin_rule_word *word, const uint8_t *frame, size_t bytes, uint32_t ip_off)
{
	size_t at = word->index * 4 + (word->index < 3 ? 0 : ip_off - sizeof(struct spin_eth));
	uint32_t value;

	if (at + 4 > bytes)
		return 0;
	value = (be16(frame + at) << 16 | be16(frame + at + 2)) & word->mask;
	return value >= word->first && value <= word->last;
}

/* Tests all words of a rule; `ip_off` as above. */
static int words__match(const struct spin_rule *rule, const uint8_t *frame, size_t bytes, uint32_t ip_off)
{
	unsigned hits = 0;

	for (unsigned i = 0; i < rule->words; i++)
		hits += (unsigned)word__matches(&rule->word[i], frame, bytes, ip_off);
	return !rule->words || (rule->any_word ? hits > 0 : hits == rule->words);
}

/* Step 3: the transport's own length. Sets header_bytes. */
static int length__is_right(const uint8_t *l4, uint32_t l4_bytes, struct inbound *out)
{
	out->header_bytes = 0;
	if (out->is_icmp)
		return 1;
	if (out->is_tcp) {
		out->header_bytes = (l4[offsetof(struct spin_tcp, words)] >> 4) * 4u;
		return out->header_bytes >= sizeof(struct spin_tcp) && out->header_bytes <= l4_bytes;
	}
	out->header_bytes = sizeof(struct spin_udp);
	return be16(l4 + offsetof(struct spin_udp, length)) == l4_bytes;
}

/* The transport's checksum of step 5. */
static int checksum__is_right(const uint8_t *ip, uint32_t l4_bytes, const struct inbound *in)
{
	if (in->is_icmp)
		return checksum__icmp_right(ip, in->ip_bytes, l4_bytes);
	if (in->is_tcp)
		return checksum__tcp_state(ip, in->ip_bytes, l4_bytes) != CHECKSUM_WRONG;
	return checksum__udp_state(ip, in->ip_bytes, l4_bytes) != CHECKSUM_WRONG;
}

enum spin_reason inbound__classify(const uint8_t *frame, size_t bytes, const struct spin_rule *rule, enum spin_checksum checksum,
				   struct inbound *out)
{
	enum spin_reason reason;
	const size_t frame_bytes = bytes;
	uint32_t type, l4_bytes;
	const uint8_t *ip;

	out->is_ether = out->is_last = 0;
	reason = inbound__ethernet(frame, bytes, &out->ip_off, &type);
	if (reason == SPIN_REASON_NOT_IP && rule->ether_type && type == rule->ether_type) {
		reason = ether(bytes - out->ip_off, out);
		return reason == PASSED && !words__match(rule, frame, frame_bytes, out->ip_off) ? SPIN_REASON_UNMATCHED : reason;
	}
	if (reason != PASSED)
		return reason;
	ip = frame + out->ip_off;
	bytes -= out->ip_off;
	reason = type == SPIN_ETH_IP4 ? ip4(ip, bytes, rule, out) : ip6(ip, bytes, rule, out);
	if (reason != PASSED)
		return reason;
	l4_bytes = out->packet_bytes - out->ip_bytes;
	if (!length__is_right(ip + out->ip_bytes, l4_bytes, out))
		return SPIN_REASON_UDP_LENGTH;
	if (!rule__matches(rule, ip, out) || !fields__match(rule, frame, out) || !words__match(rule, frame, frame_bytes, out->ip_off))
		return SPIN_REASON_UNMATCHED;
	if (out->is_ip4 && checksum__fold(checksum__sum(ip, out->ip_bytes)) != 0xffff)
		return SPIN_REASON_IP_CHECKSUM;
	if (checksum != SPIN_CHECKSUM_HOST && !checksum__is_right(ip, l4_bytes, out))
		return SPIN_REASON_UDP_CHECKSUM;
	out->is_last = rule->has_eom && word__matches(&rule->eom, frame, frame_bytes, out->ip_off);
	out->payload_bytes = l4_bytes - out->header_bytes;
	return PASSED;
}
