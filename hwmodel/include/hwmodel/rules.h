/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_RULES_H
#define HWMODEL_RULES_H

/*
 * Compares match rules, which say which packets belong to an execution context (<spin/rule.h>), with fields of packets and with each other.
 * Used by the model and by libspin. Stateless. Rules must be valid, as after spin_rule__parse() or pspin__open().
 */
#include <spin/rule.h>
#include <spin/wire.h>

/* An empty set contains every number. */
static inline int rule_set__has(const struct spin_rule_set *set, unsigned value)
{
	for (unsigned i = 0; i < set->count; i++)
		if (value >= set->range[i].first && value <= set->range[i].last)
			return 1;
	return !set->count;
}

/* Does the rule test fields that not every frame has: VLAN, DSCP, TTL? */
static inline int rule__has_fields(const struct spin_rule *rule)
{
	return rule->vlan.count || rule->dscp.count || rule->ttl.count;
}

static inline int rule_sets__overlap(const struct spin_rule_set *a, const struct spin_rule_set *b)
{
	if (!a->count || !b->count)
		return 1;
	for (unsigned i = 0; i < a->count; i++)
		for (unsigned k = 0; k < b->count; k++)
			if (a->range[i].first <= b->range[k].last && b->range[k].first <= a->range[i].last)
				return 1;
	return 0;
}

/* A port is given as a number, or as a set, or is any. */
static inline int rule_ports__overlap(unsigned a, const struct spin_rule_set *as, unsigned b, const struct spin_rule_set *bs)
{
	const struct spin_rule_set one_a = { 1, { { (uint16_t)a, (uint16_t)a } } }, one_b = { 1, { { (uint16_t)b, (uint16_t)b } } };

	return rule_sets__overlap(a ? &one_a : as, b ? &one_b : bs);
}

/* The addresses of a prefix, or with is_not all others. */
struct rule_addresses {
	const uint32_t *addr, *mask;
	int is_not;
};

/* Do the prefixes have an address in common? Ignores is_not. */
static inline int rule_prefixes__overlap(const struct rule_addresses *a, const struct rule_addresses *b)
{
	for (unsigned i = 0; i < 4; i++)
		if ((a->addr[i] ^ b->addr[i]) & a->mask[i] & b->mask[i])
			return 0;
	return 1;
}

/* Is all of a inside b? Ignores is_not. */
static inline int rule_prefix__is_in(const struct rule_addresses *a, const struct rule_addresses *b)
{
	for (unsigned i = 0; i < 4; i++)
		if (b->mask[i] & ~a->mask[i])
			return 0;
	return rule_prefixes__overlap(a, b);
}

/* Do the two cover all addresses? Only two halves do, which differ in the one bit that their masks have. */
static inline int rule_prefixes__cover_all(const struct rule_addresses *a, const struct rule_addresses *b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (a->mask[i] != b->mask[i])
			return 0;
		bits += (unsigned)__builtin_popcount(a->mask[i]);
	}
	return bits == 1 && !rule_prefixes__overlap(a, b);
}

static inline int rule_addresses__overlap(const struct rule_addresses *a, const struct rule_addresses *b)
{
	if (a->is_not && b->is_not)
		return !rule_prefixes__cover_all(a, b);
	if (a->is_not || b->is_not)
		return a->is_not ? !rule_prefix__is_in(b, a) : !rule_prefix__is_in(a, b);
	return rule_prefixes__overlap(a, b);
}

static inline int rule_sources__overlap(const struct spin_rule *a, const struct spin_rule *b)
{
	const struct rule_addresses x = { a->src_addr, a->src_mask, a->src_not }, y = { b->src_addr, b->src_mask, b->src_not };

	return rule_addresses__overlap(&x, &y);
}

static inline int rule_destinations__overlap(const struct spin_rule *a, const struct spin_rule *b)
{
	const struct rule_addresses x = { a->dst_addr, a->dst_mask, a->dst_not }, y = { b->dst_addr, b->dst_mask, b->dst_not };

	return rule_addresses__overlap(&x, &y);
}

/* Returns 0 if both test the same word for ranges that are disjoint. */
static inline int rule_words__overlap(const struct spin_rule *a, const struct spin_rule *b)
{
	if ((a->any_word && a->words > 1) || (b->any_word && b->words > 1))
		return 1;
	for (unsigned i = 0; i < a->words; i++)
		for (unsigned k = 0; k < b->words; k++) {
			const struct spin_rule_word *x = &a->word[i], *y = &b->word[k];

			if (x->index == y->index && x->mask == y->mask && (x->last < y->first || y->last < x->first))
				return 0;
		}
	return 1;
}

static inline int rule__protocol(const struct spin_rule *rule)
{
	return rule->ether_type || rule->protocol ? rule->protocol : SPIN_IP_UDP;
}

/* Returns 0 if no packet can match both rules. Exact except for words: two rules that test different words count as overlapping. */
static inline int rules__overlap(const struct spin_rule *a, const struct spin_rule *b)
{
	return a->ether_type == b->ether_type && rule__protocol(a) == rule__protocol(b) &&
	       (!a->ip_version || !b->ip_version || a->ip_version == b->ip_version) &&
	       rule_ports__overlap(a->src_port, &a->src_ports, b->src_port, &b->src_ports) &&
	       rule_ports__overlap(a->dst_port, &a->dst_ports, b->dst_port, &b->dst_ports) && rule_sets__overlap(&a->vlan, &b->vlan) &&
	       rule_sets__overlap(&a->dscp, &b->dscp) && rule_sets__overlap(&a->ttl, &b->ttl) && rule_sources__overlap(a, b) &&
	       rule_destinations__overlap(a, b) && rule_words__overlap(a, b);
}

#endif
