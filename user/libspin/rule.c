/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

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

static int parse_address(struct spin_rule *rule, const char *which, const char *word,
			 uint32_t addr[4], uint32_t mask[4])
{
	char text[INET6_ADDRSTRLEN + 8];
	unsigned long bits;
	unsigned width;
	char *slash;
	int err;

	if (mask[0] | mask[1] | mask[2] | mask[3])
		return spin_fail(-EINVAL, "rule: '%s' is given twice", which);
	if (snprintf(text, sizeof(text), "%s", word) >= (int)sizeof(text))
		return spin_fail(-EINVAL, "rule: '%s' is no address", word);
	slash = strchr(text, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, text, addr) == 1)
		width = 32;
	else if (inet_pton(AF_INET6, text, addr) == 1)
		width = 128;
	else
		return spin_fail(-EINVAL, "rule: '%s' is no address; write 10.0.0.1, 10.0.0.0/8 or 2001:db8::1",
				 word);
	bits = width;
	if (slash && parse_number(slash + 1, 0, width, &bits))
		return spin_fail(-EINVAL, "rule: '%s' has no prefix length from 0 to %u", word, width);
	err = set_version(rule, width == 32 ? 4 : 6);
	for (unsigned i = 0; i < 4; i++) {
		unsigned part = bits > 32 * i ? (unsigned)bits - 32 * i : 0;

		mask[i] = part >= 32 ? 0xffffffffu : part ? htonl(~0u << (32 - part)) : 0;
		addr[i] &= mask[i];
	}
	return err;
}

static int parse_port(const char *which, const char *word, uint16_t *port)
{
	unsigned long n;

	if (*port)
		return spin_fail(-EINVAL, "rule: '%s' is given twice", which);
	if (parse_number(word, 1, 65535, &n))
		return spin_fail(-EINVAL, "rule: '%s' is no port from 1 to 65535", word);
	*port = (uint16_t)n;
	return 0;
}

static int parse_word(struct spin_rule *rule, const char *word, char **save)
{
	const char *value;

	if (!strcmp(word, "udp"))
		return 0;
	if (!strcmp(word, "ip4"))
		return set_version(rule, 4);
	if (!strcmp(word, "ip6"))
		return set_version(rule, 6);
	if (strcmp(word, "src") && strcmp(word, "dst") && strcmp(word, "sport") && strcmp(word, "dport"))
		return spin_fail(-EINVAL, "rule: unknown word '%s'; it knows udp, ip4, ip6, src ADDR[/LEN], "
				 "dst ADDR[/LEN], sport N, dport N", word);
	value = strtok_r(NULL, " \t\n", save);
	if (!value)
		return spin_fail(-EINVAL, "rule: a value is missing after '%s'", word);
	if (!strcmp(word, "src"))
		return parse_address(rule, word, value, rule->src_addr, rule->src_mask);
	if (!strcmp(word, "dst"))
		return parse_address(rule, word, value, rule->dst_addr, rule->dst_mask);
	return parse_port(word, value, word[0] == 's' ? &rule->src_port : &rule->dst_port);
}

int spin_rule__parse(const char *text, struct spin_rule *out)
{
	struct spin_rule rule = { .protocol = IPPROTO_UDP };
	char *copy = strdup(text), *save = NULL;
	int err = 0;

	if (!copy)
		return spin_fail(-ENOMEM, "rule: no memory");
	for (char *word = strtok_r(copy, " \t\n", &save); word && !err;
	     word = strtok_r(NULL, " \t\n", &save))
		err = parse_word(&rule, word, &save);
	free(copy);
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

static int format_address(char *to, size_t bytes, const char *which, unsigned version,
			  const uint32_t addr[4], const uint32_t mask[4])
{
	unsigned bits = prefix_length(mask), width = version == 6 ? 128 : 32;
	char text[INET6_ADDRSTRLEN];

	to[0] = '\0';
	if (!bits || !inet_ntop(version == 6 ? AF_INET6 : AF_INET, addr, text, sizeof(text)))
		return 0;
	if (bits == width)
		return snprintf(to, bytes, " %s %s", which, text);
	return snprintf(to, bytes, " %s %s/%u", which, text, bits);
}

int spin_rule__format(const struct spin_rule *rule, char *buf, size_t bytes)
{
	char src[INET6_ADDRSTRLEN + 16], dst[INET6_ADDRSTRLEN + 16], sport[16] = "", dport[16] = "";

	format_address(src, sizeof(src), "src", rule->ip_version, rule->src_addr, rule->src_mask);
	format_address(dst, sizeof(dst), "dst", rule->ip_version, rule->dst_addr, rule->dst_mask);
	if (rule->src_port)
		snprintf(sport, sizeof(sport), " sport %u", rule->src_port);
	if (rule->dst_port)
		snprintf(dport, sizeof(dport), " dport %u", rule->dst_port);
	return snprintf(buf, bytes, "udp%s%s%s%s%s", rule->ip_version == 4 ? " ip4" :
			rule->ip_version == 6 ? " ip6" : "", src, dst, sport, dport);
}
