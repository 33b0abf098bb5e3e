/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compiles rules into the bit vectors in which the dispatcher looks packets up. Called by root.c while packets flow: each word is
 * written atomically, and a slot's bits do not affect other slots.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include <hwmodel/rules.h>

#include "user/libspin/internal.h"
#include "user/libspin/root.h"

#define WORDS(array) (sizeof(array) / sizeof(uint64_t))

/* The caller holds the interface's lock. An HPU sees each word before or after a write, and other slots' bits do not change. */
static void put(uint64_t *word, unsigned slot, int on)
{
	uint64_t bit = 1ull << slot;

	__atomic_store_n(word, on ? *word | bit : *word & ~bit, __ATOMIC_RELAXED);
}

static void put_all(uint64_t *words, size_t count, unsigned slot, int on)
{
	for (size_t i = 0; i < count; i++)
		put(&words[i], slot, on);
}

static void put_port(uint64_t *words, unsigned slot, uint16_t port, const struct spin_rule_set *set)
{
	if (port)
		put(&words[htons(port)], slot, 1);
	else if (!set->count)
		put_all(words, 65536, slot, 1);
	for (unsigned i = 0; i < set->count; i++)
		for (unsigned n = set->range[i].first; n <= set->range[i].last; n++)
			put(&words[htons((uint16_t)n)], slot, 1);
}

static void put_set(uint64_t *words, size_t count, unsigned slot, const struct spin_rule_set *set)
{
	for (unsigned n = 0; n < count; n++)
		put(&words[n], slot, rule_set__has(set, n));
}

static void set_fields(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	put_set(match->vlan, SPIN_RULE_UNTAGGED + 1, slot, &rule->vlan);
	put_set(match->dscp, WORDS(match->dscp), slot, &rule->dscp);
	put_set(match->ttl, WORDS(match->ttl), slot, &rule->ttl);
	put(&match->fieldless, slot, !rule__has_fields(rule));
}

/*
 * Sets the slot's bit for each byte value that satisfies the rule at each position of the address. A rule for the other IP version sets all
 * bits.
 */
static void put_address(uint64_t (*words)[256], unsigned bytes, unsigned slot, int named, const uint32_t *addr, const uint32_t *mask)
{
	const uint8_t *want = (const uint8_t *)addr, *care = (const uint8_t *)mask;

	for (unsigned i = 0; i < bytes; i++)
		for (unsigned value = 0; value < 256; value++)
			put(&words[i][value], slot, !named || (value & care[i]) == want[i]);
}

static int names_address(const uint32_t mask[4])
{
	return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

static void set_ip(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	int is6 = rule->ip_version == 6, is4 = rule->ip_version == 4, is_udp = rule->protocol == IPPROTO_UDP;

	put(&match->ip4, slot, !is6);
	put(&match->ip6, slot, !is4);
	put(&match->unaddressed, slot,
	    !names_address(rule->src_mask) && !names_address(rule->dst_mask) && !rule->words && !rule__has_fields(rule));
	set_fields(match, slot, rule);
	put(&match->icmp, slot, !is_udp);
	if (is_udp) {
		put_port(match->dst_port, slot, rule->dst_port, &rule->dst_ports);
		put_port(match->src_port, slot, rule->src_port, &rule->src_ports);
	}
	put(&match->src_not, slot, rule->src_not);
	put(&match->dst_not, slot, rule->dst_not);
	put_address(match->src4, 4, slot, is4, rule->src_addr, rule->src_mask);
	put_address(match->dst4, 4, slot, is4, rule->dst_addr, rule->dst_mask);
	put_address(match->src6, 16, slot, is6, rule->src_addr, rule->src_mask);
	put_address(match->dst6, 16, slot, is6, rule->dst_addr, rule->dst_mask);
}

/* Returns the entry with this bit: a slot's own, or for bit 0 a free one. */
static struct spin_match_words *find_words(struct spin_match *match, uint64_t bit)
{
	for (unsigned i = 0; i < SPIN_WORDED_MAX; i++)
		if (match->words[i].bit == bit)
			return &match->words[i];
	return NULL;
}

/* The tests must be written before the bit that makes HPUs do them. */
static void set_words(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	struct spin_match_words *words = rule->words ? find_words(match, 0) : NULL;

	put(&match->wordless, slot, !rule->words);
	if (!words) /* the rule has none; match__has_room() has ensured a free entry for others */
		return;
	words->count = rule->words;
	words->need = rule->any_word ? 1 : rule->words;
	memcpy(words->word, rule->word, sizeof(words->word));
	__atomic_store_n(&words->bit, 1ull << slot, __ATOMIC_RELEASE);
}

int match__has_room(const struct spin_match *match, const struct spin_rule *rule)
{
	return !rule->words || find_words((struct spin_match *)match, 0);
}

/* Order of writes: the slot's type, its bit in `ether`, then `active`. */
void match__set(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	set_words(match, slot, rule);
	if (!rule->ether_type) {
		set_ip(match, slot, rule);
		return;
	}
	__atomic_store_n(&match->ether_type[slot], htons(rule->ether_type), __ATOMIC_RELEASE);
	put(&match->ether, slot, 1);
}

void match__clear(struct spin_match *match, unsigned slot)
{
	struct spin_match_words *words = find_words(match, 1ull << slot);

	if (words)
		__atomic_store_n(&words->bit, 0, __ATOMIC_RELAXED);
	put(&match->wordless, slot, 0);
	put(&match->ip4, slot, 0);
	put(&match->ip6, slot, 0);
	put(&match->unaddressed, slot, 0);
	put(&match->icmp, slot, 0);
	put(&match->ether, slot, 0);
	put(&match->fieldless, slot, 0);
	put(&match->src_not, slot, 0);
	put(&match->dst_not, slot, 0);
	put_all(match->vlan, WORDS(match->vlan), slot, 0);
	put_all(match->dscp, WORDS(match->dscp), slot, 0);
	put_all(match->ttl, WORDS(match->ttl), slot, 0);
	put_all(match->dst_port, WORDS(match->dst_port), slot, 0);
	put_all(match->src_port, WORDS(match->src_port), slot, 0);
	put_all(match->src4[0], WORDS(match->src4), slot, 0);
	put_all(match->dst4[0], WORDS(match->dst4), slot, 0);
	put_all(match->src6[0], WORDS(match->src6), slot, 0);
	put_all(match->dst6[0], WORDS(match->dst6), slot, 0);
}
