/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MATCH_H
#define BPF_MATCH_H

/*
 * Compares a packet's header fields with the rule of a context: does it belong to these handlers (step 4 of <spin/reason.h>)? Called by
 * packet.h, after parsing. The rule is read-only data whose values the verifier knows, so it removes the tests of fields that the rule does
 * not name.
 */
#include <spin/rule.h>

#include "bpf/parse.h"

SPIN_INLINE _Bool spin_match_word_(spin_be32 addr, const volatile uint32_t *want, const volatile uint32_t *mask)
{
	return !*mask || (addr & *mask) == *want;
}

/* `other`: 1 if all addresses except the rule's match. */
SPIN_INLINE _Bool spin_match_ip4_(spin_be32 addr, const volatile uint32_t *want, const volatile uint32_t *mask, uint8_t other)
{
	return other ? !spin_match_word_(addr, want, mask) : spin_match_word_(addr, want, mask);
}

SPIN_INLINE _Bool spin_match_words_(const spin_be32 *addr, const volatile uint32_t *want, const volatile uint32_t *mask)
{
	return spin_match_word_(addr[0], &want[0], &mask[0]) && spin_match_word_(addr[1], &want[1], &mask[1]) &&
	       spin_match_word_(addr[2], &want[2], &mask[2]) && spin_match_word_(addr[3], &want[3], &mask[3]);
}

SPIN_INLINE _Bool spin_match_ip6_(const spin_be32 *addr, const volatile uint32_t *want, const volatile uint32_t *mask, uint8_t other)
{
	return other ? !spin_match_words_(addr, want, mask) : spin_match_words_(addr, want, mask);
}

/* What the programs take that are for UDP, unless the registration says otherwise. */
SPIN_INLINE enum spin_takes spin_takes_udp(void)
{
	return spin_handlers_.delivery == SPIN_DELIVER_SEGMENTS ? SPIN_TAKES_TCP : SPIN_TAKES_UDP;
}

/* Returns what a context takes. ICMP implies IPv4 and ICMPv6 IPv6. Contexts that need UDP take nothing else. */
SPIN_INLINE enum spin_takes spin_takes(const volatile struct spin_rule *rule)
{
	uint8_t protocol;

	if (spin_handlers_.delivery != SPIN_DELIVER_STACK || spin_puts_)
		return spin_takes_udp();
	if (rule->ether_type)
		return SPIN_TAKES_ETHER;
	protocol = rule->protocol;
	return protocol == SPIN_IP_ICMP || protocol == SPIN_IP_ICMP6 ? SPIN_TAKES_ICMP : SPIN_TAKES_UDP;
}

/* Tests all ranges without a branch: without CAP_PERFMON the verifier follows both sides even of a test whose result it knows. */
SPIN_INLINE _Bool spin_match_set_(const volatile struct spin_rule_set *set, uint32_t value)
{
	uint32_t hits = !set->count;

	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_RULE_RANGES_MAX; i++)
		hits |= spin_below_(i, set->count) & ~(spin_below_(value, set->range[i].first) | spin_below_(set->range[i].last, value));
	return hits;
}

SPIN_INLINE _Bool spin_match_sets_(const volatile struct spin_rule *rule, const struct spin_datagram *d)
{
	return (!rule->dst_ports.count || spin_match_set_(&rule->dst_ports, spin_ntoh16(d->udp->dst_port))) &&
	       (!rule->src_ports.count || spin_match_set_(&rule->src_ports, spin_ntoh16(d->udp->src_port))) &&
	       (!rule->vlan.count || spin_match_set_(&rule->vlan, spin_frame_vlan_(d))) &&
	       (!rule->dscp.count || spin_match_set_(&rule->dscp, spin_frame_dscp_(d))) &&
	       (!rule->ttl.count || spin_match_set_(&rule->ttl, spin_frame_ttl_(d)));
}

/* Returns 1 if the rule takes the packet by its addresses, single ports and IP version. Lists and words are tested elsewhere. */
SPIN_INLINE _Bool spin_match(const volatile struct spin_rule *rule, const struct spin_datagram *d)
{
	if (d->is_ether)
		return spin_ntoh16(d->type) == rule->ether_type;
	if (rule->dst_port && spin_ntoh16(d->udp->dst_port) != rule->dst_port)
		return 0;
	if (rule->src_port && spin_ntoh16(d->udp->src_port) != rule->src_port)
		return 0;
	if (rule->ip_version && (rule->ip_version == 4) != d->is_ip4)
		return 0;
	if (d->is_icmp && (rule->protocol == SPIN_IP_ICMP) != d->is_ip4)
		return 0;
	if (d->is_ip4) {
		const struct spin_ip4 *ip = d->ip;

		return spin_match_ip4_(ip->src, rule->src_addr, rule->src_mask, rule->src_not) &&
		       spin_match_ip4_(ip->dst, rule->dst_addr, rule->dst_mask, rule->dst_not);
	} else {
		const struct spin_ip6 *ip = d->ip;

		return spin_match_ip6_(ip->src, rule->src_addr, rule->src_mask, rule->src_not) &&
		       spin_match_ip6_(ip->dst, rule->dst_addr, rule->dst_mask, rule->dst_not);
	}
}

/* Returns 1 if the frame has the word and its value is in range. */
SPIN_INLINE _Bool spin_match_frame_word_(const volatile struct spin_rule_word *word, const struct spin_view *view,
					 const struct spin_datagram *d)
{
	const uint32_t off = 4 * (word->index & SPIN_RULE_INDEX_MAX), tags = off < 12 ? 0 : d->ip_at - sizeof(struct spin_eth);
	const uint8_t *at = off < 12 ? view->data : (uint8_t *)d->ip - sizeof(struct spin_eth);
	uint32_t value;

	at += off;
	/* the verifier must not learn a copied frame's length here: it would compare it later with what becomes an offset */
	if (view->access == SPIN_COPIED ? tags + off + sizeof(value) > (uint32_t)spin_verifier_forget_(view, view->bytes)
					: at + sizeof(value) > view->end)
		return 0;
	value = spin_ntoh32(*(const spin_be32 *)spin_place_(view, (uint8_t *)at, tags + off, 127)) & word->mask;
	return value >= word->first && value <= word->last;
}

/* Tests a rule's words. Called after spin_match() and before the offsets of the headers are hidden from the verifier. */
SPIN_INLINE _Bool spin_match_frame(const volatile struct spin_rule *rule, const struct spin_view *view, const struct spin_datagram *d)
{
	uint32_t hits = 0;

	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_RULE_WORDS_MAX; i++)
		hits += i < rule->words && spin_match_frame_word_(&rule->word[i], view, d);
	return rule->any_word ? hits : hits == rule->words;
}

#endif
