/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Match rules such as "udp dport 9000", which select the packets of a context's handlers: parses and prints them, and checks rules that
 * applications have built. Called by applications and by ctx.c.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/rules.h>

#include "user/libspin/internal.h"

#define RULE_TEXT_BYTES 256 /* size of a rule's text in recordings and reports */

static int set_version(struct spin_rule *rule, unsigned version)
{
	if (rule->ip_version && rule->ip_version != version)
		return spin_fail(-EINVAL, "rule: IPv4 and IPv6 are mixed; give one rule for each");
	rule->ip_version = (uint8_t)version;
	return 0;
}

static int parse_number(const char *word, unsigned long min, unsigned long max, unsigned long *out)
{
	char *end;

	if (*word < '0' || *word > '9')
		return -EINVAL;
	errno = 0;
	*out = strtoul(word, &end, 10);
	return errno || *end || *out < min || *out > max ? -EINVAL : 0;
}

/* Parses the source address if `which` is `src`, else the destination. */
static int parse_address(struct spin_rule *rule, const char *which, const char *word, int is_not)
{
	const int is_src = !strcmp(which, "src");
	uint32_t *addr = is_src ? rule->src_addr : rule->dst_addr, *mask = is_src ? rule->src_mask : rule->dst_mask;
	char text[INET6_ADDRSTRLEN + 8];
	unsigned long bits;
	unsigned width;
	char *slash;
	int err;

	if (mask[0] | mask[1] | mask[2] | mask[3])
		return spin_fail(-EINVAL, "rule: '%s' is given twice", which);
	if (snprintf(text, sizeof(text), "%s", word) >= (int)sizeof(text))
		return spin_fail(-EINVAL, "rule: '%s' is not an address", word);
	slash = strchr(text, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, text, addr) == 1)
		width = 32;
	else if (inet_pton(AF_INET6, text, addr) == 1)
		width = 128;
	else
		return spin_fail(-EINVAL, "rule: '%s' is not an address; write 10.0.0.1, 10.0.0.0/8 or 2001:db8::1", word);
	bits = width;
	if (slash && parse_number(slash + 1, 0, width, &bits))
		return spin_fail(-EINVAL, "rule: '%s' has no prefix length from 0 to %u", word, width);
	if (is_not && !bits)
		return spin_fail(-EINVAL, "rule: 'not %s %s' leaves no address: leave it out, or give a longer prefix", which, word);
	*(is_src ? &rule->src_not : &rule->dst_not) = (uint8_t)is_not;
	err = set_version(rule, width == 32 ? 4 : 6);
	for (unsigned i = 0; i < 4; i++) {
		unsigned part = bits > 32 * i ? (unsigned)bits - 32 * i : 0;

		mask[i] = part >= 32 ? 0xffffffffu : part ? htonl(~0u << (32 - part)) : 0;
		addr[i] &= mask[i];
	}
	return err;
}

static const struct {
	const char *word;
	uint8_t protocol, version; /* version 0: both */
} protocols[] = {
	{ "udp", IPPROTO_UDP, 0 },
	{ "tcp", IPPROTO_TCP, 0 },
	{ "icmp", IPPROTO_ICMP, 4 },
	{ "icmp6", IPPROTO_ICMPV6, 6 },
};
#define PROTOCOLS (sizeof(protocols) / sizeof(protocols[0]))

/* Returns the index in `protocols`; PROTOCOLS: there is none. */
static unsigned find_protocol(uint8_t protocol)
{
	unsigned i = 0;

	while (i < PROTOCOLS && protocols[i].protocol != protocol)
		i++;
	return i;
}

/* Returns 1 if the word is a protocol, and sets rule->protocol; 0 if it is not; or a negative errno. */
static int parse_protocol(struct spin_rule *rule, const char *word)
{
	for (unsigned i = 0; i < PROTOCOLS; i++) {
		if (strcmp(word, protocols[i].word))
			continue;
		if (rule->protocol && rule->protocol != protocols[i].protocol)
			return spin_fail(-EINVAL, "rule: '%s' and '%s' are mixed; give one rule for each",
					 protocols[find_protocol(rule->protocol)].word, word);
		rule->protocol = protocols[i].protocol;
		return 1;
	}
	return 0;
}

static int has_ports(const struct spin_rule *rule)
{
	return rule->src_port || rule->dst_port || rule->src_ports.count || rule->dst_ports.count;
}

#define ETHER_TYPE_MIN 0x600u /* smaller values are lengths (IEEE 802.3) */

/* Checks "ether TYPE": frames of an EtherType other than IP. */
static int check_ether(const struct spin_rule *rule)
{
	unsigned type = rule->ether_type;

	if (type < ETHER_TYPE_MIN)
		return spin_fail(-EINVAL, "rule: 0x%04x is not a type of Ethernet: those are from 0x%04x on", type, ETHER_TYPE_MIN);
	if (type == SPIN_ETH_IP4 || type == SPIN_ETH_IP6)
		return spin_fail(-EINVAL,
				 "rule: type 0x%04x is IPv%u, of which handlers take UDP, TCP and ICMP: write udp %s, tcp %s or %s", type,
				 type == SPIN_ETH_IP4 ? 4 : 6, type == SPIN_ETH_IP4 ? "ip4" : "ip6", type == SPIN_ETH_IP4 ? "ip4" : "ip6",
				 type == SPIN_ETH_IP4 ? "icmp" : "icmp6");
	if (type == SPIN_ETH_VLAN || type == SPIN_ETH_QINQ)
		return spin_fail(-EINVAL, "rule: type 0x%04x is a VLAN tag's, which are looked through: write the type behind it", type);
	if (rule->protocol || rule->ip_version || has_ports(rule) || rule__has_fields(rule))
		return spin_fail(
			-EINVAL,
			"rule: a type of Ethernet has no protocol, IP version, addresses, ports, VLAN, DSCP or TTL: leave these out");
	return 0;
}

/* Returns 1 if no word satisfies the test. An end of the range may lie outside the mask while words between the ends still satisfy it. */
static int is_beyond_mask(const struct spin_rule_word *word)
{
	return (word->first | word->last) & ~word->mask && (word->first == word->last || word->first > word->mask);
}

static int check_word(const struct spin_rule_word *word)
{
	if (word->index > SPIN_RULE_INDEX_MAX || word->first > word->last)
		return spin_fail(-EINVAL, "rule: word %u from %u to %u: give a word from 0 to %u and bounds in their order", word->index,
				 word->first, word->last, SPIN_RULE_INDEX_MAX);
	if (is_beyond_mask(word))
		return spin_fail(-EINVAL,
				 "rule: word %u from %#x to %#x: no word under the mask %#x is that; give the value as it "
				 "stands in the word",
				 word->index, word->first, word->last, word->mask);
	return 0;
}

/* Checks a rule that an application has built: its values, and that its text fits RULE_TEXT_BYTES. */
static int check_words(const struct spin_rule *rule)
{
	static const struct spin_rule_word none;
	char text[RULE_TEXT_BYTES];

	if (rule->words > SPIN_RULE_WORDS_MAX || rule->any_word > 1 || rule->has_eom > 1 || rule->unused)
		return spin_fail(-EINVAL, "rule: at most %u tests of u32, with any_word and has_eom 0 or 1 and unused 0",
				 SPIN_RULE_WORDS_MAX);
	if (!rule->has_eom && memcmp(&rule->eom, &none, sizeof(none)))
		return spin_fail(-EINVAL, "rule: it has a test in eom, and has_eom 0: make it 1, or eom zeros");
	if (rule->has_eom && check_word(&rule->eom))
		return -EINVAL;
	for (unsigned i = 0; i < SPIN_RULE_WORDS_MAX; i++) {
		const struct spin_rule_word *word = &rule->word[i];

		if (i >= rule->words && memcmp(word, &none, sizeof(none)))
			return spin_fail(-EINVAL, "rule: it has words behind the last of %u tests of u32: make them zeros", rule->words);
		if (i < rule->words && check_word(word))
			return -EINVAL;
	}
	if (spin_rule__format(rule, text, sizeof(text)) >= (int)sizeof(text))
		return spin_fail(-EINVAL, "rule: it takes more than %u characters: leave out a part, as a test of u32 or ranges of a list",
				 RULE_TEXT_BYTES - 1);
	return 0;
}

/* Fills in the protocol (UDP if none is given) and the IP version that it implies. */
static int check_protocol(struct spin_rule *rule)
{
	unsigned i = find_protocol(rule->protocol ? rule->protocol : IPPROTO_UDP);

	if (rule->ether_type)
		return check_ether(rule);
	if (i == PROTOCOLS)
		return spin_fail(-EINVAL,
				 "rule: it asks for packets of protocol %u, but handlers get those of UDP (17), TCP (6), ICMP (1) "
				 "and ICMPv6 (58) only: leave protocol 0, or make it one of these",
				 rule->protocol);
	rule->protocol = protocols[i].protocol;
	if (!protocols[i].version)
		return 0;
	if (has_ports(rule))
		return spin_fail(-EINVAL, "rule: %s has no ports; leave sport and dport out", protocols[i].word);
	if (rule->ip_version && rule->ip_version != protocols[i].version)
		return spin_fail(-EINVAL, "rule: '%s' is of IPv%u; for IPv%u write %s", protocols[i].word, protocols[i].version,
				 rule->ip_version, rule->ip_version == 4 ? "icmp" : "icmp6");
	rule->ip_version = protocols[i].version;
	return 0;
}

static int check_not(const struct spin_rule *rule, const char *which, uint8_t is_not, const uint32_t mask[4])
{
	if (is_not > 1 || (is_not && (!(mask[0] | mask[1] | mask[2] | mask[3]) || !rule->ip_version)))
		return spin_fail(
			-EINVAL,
			"rule: %s_not is %u: make it 0, or 1 with a mask that is not 0 and an IP version, as else no address is left",
			which, is_not);
	return 0;
}

int rule__complete(struct spin_rule *rule)
{
	int err = rule__check_set("sport", &rule->src_ports, rule->src_port);

	if (!err)
		err = rule__check_set("dport", &rule->dst_ports, rule->dst_port);
	if (!err)
		err = rule__check_set("vlan", &rule->vlan, 0);
	if (!err)
		err = rule__check_set("dscp", &rule->dscp, 0);
	if (!err)
		err = rule__check_set("ttl", &rule->ttl, 0);
	if (!err)
		err = check_not(rule, "src", rule->src_not, rule->src_mask);
	if (!err)
		err = check_not(rule, "dst", rule->dst_not, rule->dst_mask);
	if (!err)
		err = check_protocol(rule);
	if (!err)
		err = check_words(rule);
	if (rule->words < 2)
		rule->any_word = 0;
	rule->has_sets = rule->src_ports.count || rule->dst_ports.count || rule__has_fields(rule);
	return err;
}

/* Parses a 32-bit number, decimal or with 0x. Returns what follows it, or NULL. */
static const char *parse_u32(const char *text, uint32_t *out)
{
	const int is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long n;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	n = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || n > UINT32_MAX || (is_hex && end == text + 1))
		return NULL;
	*out = (uint32_t)n;
	return end;
}

/* Parses INDEX[/MASK]=FIRST[-LAST]. */
static int parse_word_test(const char *text, struct spin_rule_word *out)
{
	struct spin_rule_word word = { .mask = UINT32_MAX };
	const char *at = parse_u32(text, &word.index);

	if (at && *at == '/')
		at = parse_u32(at + 1, &word.mask);
	if (at && *at == '=') {
		at = parse_u32(at + 1, &word.first);
		word.last = word.first;
		if (at && *at == '-')
			at = parse_u32(at + 1, &word.last);
	} else {
		at = NULL;
	}
	if (!at || *at)
		return spin_fail(-EINVAL,
				 "rule: '%s' is not a test of a word; write INDEX[/MASK]=FIRST[-LAST], as in u32 9/0xffff0000=0x23280000",
				 text);
	if (word.index > SPIN_RULE_INDEX_MAX)
		return spin_fail(-EINVAL, "rule: '%s': words are 0 to %u, of 4 bytes, from the frame's begin on", text,
				 SPIN_RULE_INDEX_MAX);
	if (word.first > word.last)
		return spin_fail(-EINVAL, "rule: '%s': nothing is from %#x to %#x; give the lower one first", text, word.first, word.last);
	if (is_beyond_mask(&word))
		return spin_fail(-EINVAL, "rule: '%s': no word under the mask %#x is that; write the value as it stands in the word", text,
				 word.mask);
	*out = word;
	return 0;
}

static int add_word_test(struct spin_rule *rule, const char *text)
{
	int err;

	if (rule->words == SPIN_RULE_WORDS_MAX)
		return spin_fail(-EINVAL, "rule: '%s' is one test too many: u32 takes %u", text, SPIN_RULE_WORDS_MAX);
	err = parse_word_test(text, &rule->word[rule->words]);
	rule->words += !err;
	return err;
}

/* Parses "eom TEST": the test that is true for the last packet of a message. */
static int parse_eom(struct spin_rule *rule, const char *test)
{
	if (rule->has_eom)
		return spin_fail(-EINVAL, "rule: 'eom' is given twice");
	rule->has_eom = 1;
	return parse_word_test(test, &rule->eom);
}

/* Skips and returns the next word if it is "and" or "or"; else returns NULL. */
static const char *next_join(char **save)
{
	const char *at = *save ? *save + strspn(*save, " \t\n") : "";
	size_t length = strcspn(at, " \t\n");

	if ((length == 3 && !strncmp(at, "and", 3)) || (length == 2 && !strncmp(at, "or", 2)))
		return strtok_r(NULL, " \t\n", save);
	return NULL;
}

/* Parses TEST [and TEST]... or TEST [or TEST]... */
static int parse_words(struct spin_rule *rule, const char *test, char **save)
{
	const char *join;
	int err;

	if (rule->words)
		return spin_fail(-EINVAL, "rule: 'u32' is given twice; join tests by and, or by or");
	err = add_word_test(rule, test);
	while (!err && (join = next_join(save))) {
		int is_or = *join == 'o';

		if (rule->words > 1 && is_or != rule->any_word)
			return spin_fail(-EINVAL, "rule: 'and' and 'or' are mixed; join all tests of u32 by one of them");
		rule->any_word = (uint8_t)is_or;
		test = strtok_r(NULL, " \t\n", save);
		if (!test)
			return spin_fail(-EINVAL, "rule: a test is missing after '%s'", join);
		err = add_word_test(rule, test);
	}
	return err;
}

/* Parses a hexadecimal number, with or without 0x. */
static int parse_ether(struct spin_rule *rule, const char *word)
{
	char *end;
	unsigned long type;

	if (rule->ether_type)
		return spin_fail(-EINVAL, "rule: 'ether' is given twice");
	type = strtoul(word, &end, 16);
	if (*end || end == word || strchr("+- ", *word) || !type || type > UINT16_MAX)
		return spin_fail(-EINVAL, "rule: '%s' is not a type of Ethernet; write it in hexadecimal, as in ether 0x88b5", word);
	rule->ether_type = (uint16_t)type;
	return 0;
}

/* Parses a list of numbers. Returns 1 if the word names no such field. */
static int parse_field(struct spin_rule *rule, const char *word, int is_not, char **save)
{
	const struct {
		const char *name;
		struct spin_rule_set *set;
		uint16_t *one;
	} fields[] = {
		{ "sport", &rule->src_ports, &rule->src_port },
		{ "dport", &rule->dst_ports, &rule->dst_port },
		{ "vlan", &rule->vlan, NULL },
		{ "dscp", &rule->dscp, NULL },
		{ "ttl", &rule->ttl, NULL },
	};

	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *value;

		if (strcmp(word, fields[i].name))
			continue;
		value = strtok_r(NULL, " \t\n", save);
		if (!value)
			return spin_fail(-EINVAL, "rule: a value is missing after '%s'", word);
		return rule__parse_set(word, value, is_not, fields[i].set, fields[i].one);
	}
	return 1;
}

static int parse_not(struct spin_rule *rule, char **save)
{
	const char *word = strtok_r(NULL, " \t\n", save), *value;
	int err = word ? parse_field(rule, word, 1, save) : 1;

	if (err <= 0)
		return err;
	if (!word || (strcmp(word, "src") && strcmp(word, "dst")))
		return spin_fail(-EINVAL, "rule: 'not' is followed by src, dst, sport, dport, vlan, dscp or ttl, and not by '%s'",
				 word ? word : "");
	value = strtok_r(NULL, " \t\n", save);
	return value ? parse_address(rule, word, value, 1) : spin_fail(-EINVAL, "rule: a value is missing after '%s'", word);
}

/* Parses one word of the rule and, from *save, the words that belong to it. */
static int parse_word(struct spin_rule *rule, const char *word, char **save)
{
	const char *value;
	int is_protocol = parse_protocol(rule, word), err;

	if (is_protocol)
		return is_protocol < 0 ? is_protocol : 0;
	if (!strcmp(word, "not"))
		return parse_not(rule, save);
	err = parse_field(rule, word, 0, save);
	if (err <= 0)
		return err;
	if (!strcmp(word, "ip4"))
		return set_version(rule, 4);
	if (!strcmp(word, "ip6"))
		return set_version(rule, 6);
	if (strcmp(word, "src") && strcmp(word, "dst") && strcmp(word, "ether") && strcmp(word, "u32") && strcmp(word, "eom"))
		return spin_fail(
			-EINVAL,
			"rule: unknown word '%s'; it knows udp, tcp, icmp, icmp6, ip4, ip6, [not] src ADDR[/LEN], "
			"[not] dst ADDR[/LEN], [not] sport LIST, [not] dport LIST, [not] vlan LIST, [not] dscp LIST, [not] ttl LIST, "
			"ether TYPE, u32 INDEX[/MASK]=FIRST[-LAST], eom INDEX[/MASK]=FIRST[-LAST]",
			word);
	value = strtok_r(NULL, " \t\n", save);
	if (!value)
		return spin_fail(-EINVAL, "rule: a value is missing after '%s'", word);
	if (!strcmp(word, "ether"))
		return parse_ether(rule, value);
	if (!strcmp(word, "eom"))
		return parse_eom(rule, value);
	if (!strcmp(word, "u32"))
		return parse_words(rule, value, save);
	return parse_address(rule, word, value, 0);
}

int spin_rule__parse(const char *text, struct spin_rule *out)
{
	struct spin_rule rule = { 0 };
	char *copy = strdup(text), *save = NULL;
	int err = 0;

	if (!copy)
		return spin_fail(-ENOMEM, "rule: no memory");
	for (char *word = strtok_r(copy, " \t\n", &save); word && !err; word = strtok_r(NULL, " \t\n", &save))
		err = parse_word(&rule, word, &save);
	free(copy);
	if (!err)
		err = rule__complete(&rule);
	if (!err)
		*out = rule;
	return err;
}

static unsigned prefix_length(const uint32_t mask[4])
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 4; i++)
		bits += (unsigned)__builtin_popcount(mask[i]);
	return bits;
}

static int format_address(char *to, size_t bytes, const char *which, int is_not, unsigned version, const uint32_t addr[4],
			  const uint32_t mask[4])
{
	unsigned bits = prefix_length(mask), width = version == 6 ? 128 : 32;
	char text[INET6_ADDRSTRLEN];

	to[0] = '\0';
	if (!bits || !inet_ntop(version == 6 ? AF_INET6 : AF_INET, addr, text, sizeof(text)))
		return 0;
	if (bits == width)
		return snprintf(to, bytes, "%s %s %s", is_not ? " not" : "", which, text);
	return snprintf(to, bytes, "%s %s %s/%u", is_not ? " not" : "", which, text, bits);
}

/* Appends text at offset `at`; returns the new length. */
static size_t format_word(char *to, size_t bytes, size_t at, const char *name, const struct spin_rule_word *word)
{
	if (at < bytes)
		at += (size_t)snprintf(to + at, bytes - at, " %s %u", name, word->index);
	if (word->mask != UINT32_MAX && at < bytes)
		at += (size_t)snprintf(to + at, bytes - at, "/%#x", word->mask);
	if (at < bytes)
		at += (size_t)snprintf(to + at, bytes - at, "=%#x", word->first);
	if (word->last != word->first && at < bytes)
		at += (size_t)snprintf(to + at, bytes - at, "-%#x", word->last);
	return at;
}

/* Appends nothing for a rule without words. */
static void format_words(const struct spin_rule *rule, char *to, size_t bytes)
{
	size_t at = 0;

	to[0] = 0;
	for (unsigned i = 0; i < rule->words && i < SPIN_RULE_WORDS_MAX; i++)
		at = format_word(to, bytes, at, !i ? "u32" : rule->any_word ? "or" : "and", &rule->word[i]);
	if (rule->has_eom)
		format_word(to, bytes, at, "eom", &rule->eom);
}

int spin_rule__format(const struct spin_rule *rule, char *buf, size_t bytes)
{
	char src[INET6_ADDRSTRLEN + 20], dst[INET6_ADDRSTRLEN + 20], sport[128], dport[128], vlan[128], dscp[64], ttl[80];
	char words[(SPIN_RULE_WORDS_MAX + 1) * 48];
	unsigned protocol = find_protocol(rule->protocol);
	const char *version = rule->ip_version == 4 ? " ip4" : rule->ip_version == 6 ? " ip6" : "";

	format_words(rule, words, sizeof(words));
	if (rule->ether_type)
		return snprintf(buf, bytes, "ether 0x%04x%s", rule->ether_type, words);
	if (protocol == PROTOCOLS)
		protocol = 0;
	if (protocols[protocol].version) /* the protocol implies it */
		version = "";

	format_address(src, sizeof(src), "src", rule->src_not, rule->ip_version, rule->src_addr, rule->src_mask);
	format_address(dst, sizeof(dst), "dst", rule->dst_not, rule->ip_version, rule->dst_addr, rule->dst_mask);
	rule__format_set(sport, sizeof(sport), "sport", &rule->src_ports, rule->src_port);
	rule__format_set(dport, sizeof(dport), "dport", &rule->dst_ports, rule->dst_port);
	rule__format_set(vlan, sizeof(vlan), "vlan", &rule->vlan, 0);
	rule__format_set(dscp, sizeof(dscp), "dscp", &rule->dscp, 0);
	rule__format_set(ttl, sizeof(ttl), "ttl", &rule->ttl, 0);
	return snprintf(buf, bytes, "%s%s%s%s%s%s%s%s%s%s", protocols[protocol].word, version, src, dst, sport, dport, vlan, dscp, ttl,
			words);
}
