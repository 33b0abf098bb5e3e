/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compiles match rules into the bit vectors in which the dispatcher, an interface's XDP program, looks packets up: per header field one
 * word for each value, with a bit for each context (slot). Called by root.c, which adds contexts to the dispatcher and removes them, while
 * packets flow: each word is written atomically, and a slot's bits do not affect other slots.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include <hwmodel/rules.h>

#include "user/libspin/internal.h"
#include "user/libspin/root.h"

#define WORDS(array) (sizeof(array) / sizeof(uint64_t))

/* The caller holds the interface's lock. An HPU sees each word before or after a write, and other slots' bits do not change. */
static void write_bit(uint64_t *word, unsigned slot, int on)
{
	uint64_t bit = 1ull << slot;

	__atomic_store_n(word, on ? *word | bit : *word & ~bit, __ATOMIC_RELAXED);
}

static void write_words(uint64_t *words, size_t count, unsigned slot, int on)
{
	for (size_t i = 0; i < count; i++)
		write_bit(&words[i], slot, on);
}

static void write_port(uint64_t *words, unsigned slot, uint16_t port, const struct spin_rule_set *set)
{
	if (port)
		write_bit(&words[htons(port)], slot, 1);
	else if (!set->count)
		write_words(words, 65536, slot, 1);
	for (unsigned i = 0; i < set->count; i++)
		for (unsigned n = set->range[i].first; n <= set->range[i].last; n++)
			write_bit(&words[htons((uint16_t)n)], slot, 1);
}

static void write_set(uint64_t *words, size_t count, unsigned slot, const struct spin_rule_set *set)
{
	for (unsigned n = 0; n < count; n++)
		write_bit(&words[n], slot, rule_set__has(set, n));
}

static void set_fields(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	write_set(match->vlan, SPIN_RULE_UNTAGGED + 1, slot, &rule->vlan);
	write_set(match->dscp, WORDS(match->dscp), slot, &rule->dscp);
	write_set(match->ttl, WORDS(match->ttl), slot, &rule->ttl);
	write_bit(&match->no_field_tests, slot, !rule__has_fields(rule));
}

/*
 * Sets the slot's bit for each byte value that satisfies the rule at each position of the address. A rule for the other IP version sets all
 * bits.
 */
static void write_address(uint64_t (*words)[256], unsigned bytes, unsigned slot, int named, const uint32_t *addr, const uint32_t *mask)
{
	const uint8_t *addr_bytes = (const uint8_t *)addr, *mask_bytes = (const uint8_t *)mask;

	for (unsigned i = 0; i < bytes; i++)
		for (unsigned value = 0; value < 256; value++)
			write_bit(&words[i][value], slot, !named || (value & mask_bytes[i]) == addr_bytes[i]);
}

static int has_address(const uint32_t mask[4])
{
	return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

static void set_ip(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	int is6 = rule->ip_version == 6, is4 = rule->ip_version == 4;
	int has_ports = rule->protocol == IPPROTO_UDP || rule->protocol == IPPROTO_TCP;

	write_bit(&match->ip4, slot, !is6);
	write_bit(&match->ip6, slot, !is4);
	write_bit(&match->no_address_tests, slot,
		  !has_address(rule->src_mask) && !has_address(rule->dst_mask) && !rule->words && !rule__has_fields(rule));
	set_fields(match, slot, rule);
	write_bit(&match->icmp, slot, !has_ports);
	if (has_ports) {
		write_port(match->dst_port, slot, rule->dst_port, &rule->dst_ports);
		write_port(match->src_port, slot, rule->src_port, &rule->src_ports);
	}
	write_bit(&match->src_not, slot, rule->src_not);
	write_bit(&match->dst_not, slot, rule->dst_not);
	write_address(match->src4, 4, slot, is4, rule->src_addr, rule->src_mask);
	write_address(match->dst4, 4, slot, is4, rule->dst_addr, rule->dst_mask);
	write_address(match->src6, 16, slot, is6, rule->src_addr, rule->src_mask);
	write_address(match->dst6, 16, slot, is6, rule->dst_addr, rule->dst_mask);
}

/* Returns the entry with this bit: a slot's own, or for bit 0 a free one. */
static struct spin_match_words *find_word_tests(struct spin_match *match, uint64_t bit)
{
	for (unsigned i = 0; i < SPIN_WORD_RULES_MAX; i++)
		if (match->words[i].bit == bit)
			return &match->words[i];
	return NULL;
}

/* The tests must be written before the bit that makes HPUs do them. */
static void set_words(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	struct spin_match_words *words = rule->words ? find_word_tests(match, 0) : NULL;

	write_bit(&match->no_word_tests, slot, !rule->words);
	if (!words) /* the rule has none; match__has_room() has ensured a free entry for others */
		return;
	words->count = rule->words;
	words->need = rule->any_word ? 1 : rule->words;
	memcpy(words->word, rule->word, sizeof(words->word));
	__atomic_store_n(&words->bit, 1ull << slot, __ATOMIC_RELEASE);
}

int match__has_room(const struct spin_match *match, const struct spin_rule *rule)
{
	return !rule->words || find_word_tests((struct spin_match *)match, 0);
}

/* For EtherType rules the slot's type is written before its bit in `ether`. The caller sets `active` or `tcp_active` afterwards. */
void match__set(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	set_words(match, slot, rule);
	if (!rule->ether_type) {
		set_ip(match, slot, rule);
		return;
	}
	__atomic_store_n(&match->ether_type[slot], htons(rule->ether_type), __ATOMIC_RELEASE);
	write_bit(&match->ether, slot, 1);
}

void match__clear(struct spin_match *match, unsigned slot)
{
	struct spin_match_words *words = find_word_tests(match, 1ull << slot);

	if (words)
		__atomic_store_n(&words->bit, 0, __ATOMIC_RELAXED);
	write_bit(&match->no_word_tests, slot, 0);
	write_bit(&match->ip4, slot, 0);
	write_bit(&match->ip6, slot, 0);
	write_bit(&match->no_address_tests, slot, 0);
	write_bit(&match->icmp, slot, 0);
	write_bit(&match->ether, slot, 0);
	write_bit(&match->no_field_tests, slot, 0);
	write_bit(&match->src_not, slot, 0);
	write_bit(&match->dst_not, slot, 0);
	write_words(match->vlan, WORDS(match->vlan), slot, 0);
	write_words(match->dscp, WORDS(match->dscp), slot, 0);
	write_words(match->ttl, WORDS(match->ttl), slot, 0);
	write_words(match->dst_port, WORDS(match->dst_port), slot, 0);
	write_words(match->src_port, WORDS(match->src_port), slot, 0);
	write_words(match->src4[0], WORDS(match->src4), slot, 0);
	write_words(match->dst4[0], WORDS(match->dst4), slot, 0);
	write_words(match->src6[0], WORDS(match->src6), slot, 0);
	write_words(match->dst6[0], WORDS(match->dst6), slot, 0);
}
