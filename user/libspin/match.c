/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* From rules to the bit vectors that an interface's program reads while they change. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "internal.h"
#include "root.h"

#define WORDS(array) (sizeof(array) / sizeof(uint64_t))

/* One owner writes; HPUs see each word old or new, and never another slot's bit amiss. */
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

static void put_port(uint64_t *words, unsigned slot, uint16_t port)
{
	if (port)
		put(&words[htons(port)], slot, 1);
	else
		put_all(words, 65536, slot, 1);
}

/* The bytes of an address that satisfy the rule, at each place: any address if the rule is for the other version. */
static void put_address(uint64_t (*words)[256], unsigned bytes, unsigned slot, int named,
			const uint32_t *addr, const uint32_t *mask)
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
	put(&match->unaddressed, slot, !names_address(rule->src_mask) && !names_address(rule->dst_mask));
	put(&match->icmp, slot, !is_udp);
	if (is_udp) {
		put_port(match->dst_port, slot, rule->dst_port);
		put_port(match->src_port, slot, rule->src_port);
	}
	put_address(match->src4, 4, slot, is4, rule->src_addr, rule->src_mask);
	put_address(match->dst4, 4, slot, is4, rule->dst_addr, rule->dst_mask);
	put_address(match->src6, 16, slot, is6, rule->src_addr, rule->src_mask);
	put_address(match->dst6, 16, slot, is6, rule->dst_addr, rule->dst_mask);
}

/* A slot's type is there before its bit in `ether`, which is there before it is active. */
void match__set(struct spin_match *match, unsigned slot, const struct spin_rule *rule)
{
	if (!rule->ether_type) {
		set_ip(match, slot, rule);
		return;
	}
	__atomic_store_n(&match->ether_type[slot], htons(rule->ether_type), __ATOMIC_RELEASE);
	put(&match->ether, slot, 1);
}

void match__clear(struct spin_match *match, unsigned slot)
{
	put(&match->ip4, slot, 0);
	put(&match->ip6, slot, 0);
	put(&match->unaddressed, slot, 0);
	put(&match->icmp, slot, 0);
	put(&match->ether, slot, 0);
	put_all(match->dst_port, WORDS(match->dst_port), slot, 0);
	put_all(match->src_port, WORDS(match->src_port), slot, 0);
	put_all(match->src4[0], WORDS(match->src4), slot, 0);
	put_all(match->dst4[0], WORDS(match->dst4), slot, 0);
	put_all(match->src6[0], WORDS(match->src6), slot, 0);
	put_all(match->dst6[0], WORDS(match->dst6), slot, 0);
}

static int addresses_meet(const uint32_t *a, const uint32_t *a_mask, const uint32_t *b, const uint32_t *b_mask)
{
	for (unsigned i = 0; i < 4; i++)
		if ((a[i] ^ b[i]) & a_mask[i] & b_mask[i])
			return 0;
	return 1;
}

static int numbers_meet(unsigned a, unsigned b)
{
	return !a || !b || a == b;
}

int match__overlap(const struct spin_rule *a, const struct spin_rule *b)
{
	return a->protocol == b->protocol && a->ether_type == b->ether_type &&
	       numbers_meet(a->ip_version, b->ip_version) && numbers_meet(a->src_port, b->src_port) &&
	       numbers_meet(a->dst_port, b->dst_port) &&
	       addresses_meet(a->src_addr, a->src_mask, b->src_addr, b->src_mask) &&
	       addresses_meet(a->dst_addr, a->dst_mask, b->dst_addr, b->dst_mask);
}
