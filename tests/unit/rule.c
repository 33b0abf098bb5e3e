/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests match rules, which say which packets a context's handlers get. Its text must parse to the intended struct, and the printed rule to
 * the same struct. An invalid text, and a struct that a program fills in wrongly or for the wrong kind of handlers, must be refused with a
 * reason. Two rules must overlap if and only if they have an address in common. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"

#include <hwmodel/rules.h>
#include <spin/libspin.h>

static int failures;

static void expect(int ok, const char *what, const char *text)
{
	if (ok)
		return;
	printf("%s: '%s'\n", what, text);
	failures++;
}

static void round_trip(const struct spin_rule *rule, const char *text)
{
	struct spin_rule again;
	char printed[256];
	int n = spin_rule__format(rule, printed, sizeof(printed));

	expect(n > 0 && n < (int)sizeof(printed), "not printed", text);
	expect(!spin_rule__parse(printed, &again), "printed, but not parsable", printed);
	expect(!memcmp(rule, &again, sizeof(again)), "printed, but parsed differently", printed);
}

static const struct {
	const char *text, *printed;
} good[] = {
	{ "udp", "udp" },
	{ "", "udp" },
	{ "ip4", "udp ip4" },
	{ "ip6 udp", "udp ip6" },
	{ "tcp", "tcp" },
	{ "tcp tcp", "tcp" },
	{ "dport 80,443 tcp", "tcp dport 80,443" },
	{ "ip6 tcp not sport 22", "tcp ip6 not sport 22" },
	{ "tcp src 10.0.0.0/8 sport 1 dport 2 vlan 5 ttl 1-5 u32 9=1", "tcp ip4 src 10.0.0.0/8 sport 1 dport 2 vlan 5 ttl 1-5 u32 9=0x1" },
	{ "dport 9000", "udp dport 9000" },
	{ "sport 1 dport 65535", "udp sport 1 dport 65535" },
	{ "src 10.1.2.3", "udp ip4 src 10.1.2.3" },
	{ "dst 10.1.2.3/9 udp", "udp ip4 dst 10.0.0.0/9" },
	{ "src 10.1.2.3/0", "udp ip4" },
	{ "not src 10.1.2.3", "udp ip4 not src 10.1.2.3" },
	{ "icmp not dst 10.1.2.3/8 src 10.0.0.0/8", "icmp src 10.0.0.0/8 not dst 10.0.0.0/8" },
	{ "not src fe80::/10 not dst 2001:db8::1 not dport 7", "udp ip6 not src fe80::/10 not dst 2001:db8::1 not dport 7" },
	{ "dport 5 src 2001:db8::1 dst fe80::/10", "udp ip6 src 2001:db8::1 dst fe80::/10 dport 5" },
	{ " udp \t dport  7\n", "udp dport 7" },
	{ "icmp", "icmp" },
	{ "dport 9000-9010", "udp dport 9000-9010" },
	{ "dport 9000-9010,53,5353", "udp dport 53,5353,9000-9010" },
	{ "sport 5-9,7-12,13 dport 7,7", "udp sport 5-13 dport 7" },
	{ "not dport 53,80-90", "udp not dport 53,80-90" },
	{ "not sport 2-65535 dport 0-65535", "udp sport 0-1" },
	{ "not dport 0-52,54-65535", "udp dport 53" },
	{ "vlan 100-110,200", "udp vlan 100-110,200" },
	{ "vlan none icmp", "icmp vlan none" },
	{ "vlan 0,none,7", "udp vlan 0,7,none" },
	{ "not vlan none", "udp vlan 0-4095" },
	{ "vlan 0-4095,none", "udp" },
	{ "not vlan 100", "udp not vlan 100" },
	{ "not vlan 0-5", "udp not vlan 0-5" },
	{ "dscp ef,af11,cs7 ip6", "udp ip6 dscp 10,46,56" },
	{ "not sport 1-8,10-65535", "udp sport 0,9" },
	{ "not dscp cs0 ttl 1-5,255", "udp dscp 1-63 ttl 1-5,255" },
	{ "ttl 255", "udp ttl 255" },
	{ "ip4 icmp", "icmp" },
	{ "icmp src 10.0.0.0/8 dst 10.1.2.3", "icmp src 10.0.0.0/8 dst 10.1.2.3" },
	{ "dst fd00::1 icmp6", "icmp6 dst fd00::1" },
	{ "icmp6 ip6 icmp6", "icmp6" },
	{ "ether 0x88b5", "ether 0x88b5" },
	{ "ether 88CC", "ether 0x88cc" },
	{ "ether 0600", "ether 0x0600" },
	{ "u32 9=1", "udp u32 9=0x1" },
	{ "u32 9/0xffff0000=0x23280000 dport 9000", "udp dport 9000 u32 9/0xffff0000=0x23280000" },
	{ "u32 0/0xff=1-0xff icmp src 10.0.0.1", "icmp src 10.0.0.1 u32 0/0xff=0x1-0xff" },
	{ "u32 15=0-4294967295 and 3/4294901760=0x08000000\tand 5/0xff=17 and 1/0=0 sport 4",
	  "udp sport 4 u32 15=0-0xffffffff and 3/0xffff0000=0x8000000 and 5/0xff=0x11 and 1/0=0" },
	{ "u32 1=1 or 2=2", "udp u32 1=0x1 or 2=0x2" },
	{ "ether 0x88b5 u32 4/0x0f0=0x20-0x80", "ether 0x88b5 u32 4/0xf0=0x20-0x80" },
	{ "u32 4/0xf0=0x20-0x21 ip6", "udp ip6 u32 4/0xf0=0x20-0x21" },
	{ "eom 10/0x8000=0x8000 dport 9330", "udp dport 9330 eom 10/0x8000=0x8000" },
	{ "u32 1=1 or 2=2 eom 15=0-4294967295 ip4", "udp ip4 u32 1=0x1 or 2=0x2 eom 15=0-0xffffffff" },
	{ "u32 1=1 and 2=2 and 3=3 and 4=4 eom 5=5", "udp u32 1=0x1 and 2=0x2 and 3=0x3 and 4=0x4 eom 5=0x5" },
};

/* clang-format off */
static const char *const bad[] = {
	"tcp udp", "udp tcp", "tcp icmp", "tcp6", "TCP", "tcp ether 88b5", "not tcp", "tcp dport", "dport", "dport 0", "dport 65536", "dport -1", "dport 9x", "dport +5", "dport 1 dport 2",
	"dport 9-", "dport 9-8", "dport 1,", "dport ,1", "dport 1,,2", "dport 0-0", "not", "not dport", "not udp", "not not dport 1",
	"not dport 1-65535", "not dport 0-65535", "dport 1,3,5,7,9,11,13,15,17", "not dport 2,4,6,8,10,12,14,16", "dport 1-2-3",
	"not src", "not src x", "not src 10.0.0.0/0", "not dst ::/0", "src 10.0.0.1 not src 10.0.0.2", "not dst ::1 dst ::2", "not src ::1 ip4",
	"not ether 88b5", "ether 88b5 not src 10.0.0.1", "vlan", "vlan 4096", "vlan none-5", "vlan 5-none", "vlan 1 vlan 2", "dscp 64", "dscp ef1", "dscp af44",
	"ttl 256", "ttl x", "not ttl 0-255", "icmp dport 5,6", "ether 88b5 vlan 5", "ether 88b5 ttl 5", "ether 88b5 dscp ef",
	"src", "src 10.0.0", "src 10.0.0.1/33", "src 10.0.0.1/", "src 10.0.0.1/x", "src ::1/129",
	"ip4 ip6", "ip6 src 10.0.0.1", "src 10.0.0.1 dst ::1", "src 10.0.0.1 src 10.0.0.2", "any",
	"icmp udp", "udp icmp6", "icmp icmp6", "icmp dport 5", "sport 5 icmp6", "icmp ip6", "icmp6 ip4", "icmp dst ::1", "src 10.0.0.1 icmp6",
	"icmp4", "icmp 8", "ether", "ether 0", "ether 0x5ff", "ether 0800", "ether 0x86dd", "ether 8100", "ether 88a8", "ether 10000",
	"ether x", "ether -1", "ether 88b5 ether 88b5", "ether 88b5 udp", "icmp ether 88b5", "ether 88b5 ip4", "ether 88b5 dport 9",
	"ether 88b5 src 10.0.0.1", "ether 88b5 src 10.0.0.1/0",
	"u32", "u32 9", "u32 =1", "u32 9=", "u32 9=x", "u32 9/=1", "u32 9/1", "u32 -1=1", "u32 16=1", "u32 9=2-1", "u32 9=1-", "u32 9=1-2-3",
	"u32 9=0x", "u32 9=4294967296", "u32 9=0x100000000", "u32 9/0xff=256", "u32 9/0xff=256-300", "u32 9=1 u32 8=1", "u32 9=1 and",
	"u32 9=1 or", "u32 9=1 or x", "u32 9=1 and 8=1 or 7=1", "u32 9=1 or 8=1 and 7=1", "u32 1=1 and 2=1 and 3=1 and 4=1 and 5=1",
	"and 9=1", "or", "u32 9=1 8=1", "u32 9=1, 8=1", "u32 9=1 dport 5 and 8=1", "u32 9 = 1", "U32 9=1",
	"eom", "eom 9", "eom 16=1", "eom 9=2-1", "eom 9/0xff=256", "eom 9=1 eom 8=1", "eom 9=1 and 8=1", "u32 9=1 and eom 8=1", "EOM 9=1",
	"src 2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff dst 2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff sport 65535 dport 65535 "
	"u32 15/0xfffffffe=0x10000000-0xfffffffe and 14/0xfffffffe=0x10000000-0xfffffffe and 13/0xfffffffe=0x10000000-0xfffffffe "
	"and 12/0xfffffffe=0x10000000-0xfffffffe", /* longer than the stored text of a rule */
	"src 2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff:1111:2222:3333:4444:5555/64",
};
/* clang-format on */

/* Picks a mask for the first byte, which is sometimes not a prefix, and an address under it, or its negation. */
static void pick_addresses(uint32_t addr[4], uint32_t mask[4], uint8_t *is_not)
{
	const unsigned bits = (unsigned)random() % 9, care = random() % 4 ? 0xff00u >> bits & 0xff : (unsigned)random() & 0xff;

	memset(addr, 0, 16);
	memset(mask, 0, 16);
	*(uint8_t *)mask = (uint8_t)care;
	*(uint8_t *)addr = (uint8_t)(random() & care);
	*is_not = care && random() % 2;
}

static int byte_matches(unsigned byte, const uint32_t addr[4], const uint32_t mask[4], int is_not)
{
	return ((byte & *(const uint8_t *)mask) == *(const uint8_t *)addr) != is_not;
}

/* Two rules must overlap if and only if they have an address in common. */
static void overlaps_are_exact(void)
{
	unsigned meet = 0, apart = 0;

	for (int i = 0; i < 200000; i++) {
		struct spin_rule a = { .ip_version = 4, .protocol = 17 }, b = a;
		int src = 0, dst = 0;

		pick_addresses(a.src_addr, a.src_mask, &a.src_not);
		pick_addresses(b.src_addr, b.src_mask, &b.src_not);
		pick_addresses(a.dst_addr, a.dst_mask, &a.dst_not);
		pick_addresses(b.dst_addr, b.dst_mask, &b.dst_not);
		for (unsigned byte = 0; byte < 256; byte++) {
			src |= byte_matches(byte, a.src_addr, a.src_mask, a.src_not) &&
			       byte_matches(byte, b.src_addr, b.src_mask, b.src_not);
			dst |= byte_matches(byte, a.dst_addr, a.dst_mask, a.dst_not) &&
			       byte_matches(byte, b.dst_addr, b.dst_mask, b.dst_not);
		}
		meet += src && dst;
		apart += !src || !dst;
		expect(rules__overlap(&a, &b) == (src && dst), "overlaps, or does not, otherwise than its addresses", "two rules");
	}
	expect(meet > 1000 && apart > 1000, "only one of the two cases came", "overlaps");
}

static void random_rules(void)
{
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		char text[256], address[2][INET6_ADDRSTRLEN];
		unsigned six = (unsigned)random() & 1, raw[4];
		struct spin_rule rule;

		for (int a = 0; a < 2; a++) {
			for (int w = 0; w < 4; w++)
				raw[w] = (unsigned)random() << 1;
			inet_ntop(six ? AF_INET6 : AF_INET, raw, address[a], sizeof(address[a]));
		}
		snprintf(text, sizeof(text), "%ssrc %s/%ld dst %s/%ld sport %ld dport %ld", i % 2 ? "not " : "", address[0],
			 i % 2 + random() % (six ? 128 : 32), address[1], random() % (six ? 129 : 33), 1 + random() % 65535,
			 1 + random() % 65535);
		expect(!spin_rule__parse(text, &rule), "refused", text);
		round_trip(&rule, text);
	}
}

/* Tests a rule that a program fills in by itself: the handler, the expected error, and a word of the reason. */
static void expect_refused(const char *handler, const struct spin_rule *rule, int err, const char *word)
{
	struct spin_object *object;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object)) {
		expect(0, "not built", handler);
		return;
	}
	expect(spin_ctx__create(NULL, object, rule, &ctx) == err && strstr(spin_strerror_last(), word), "not refused so",
	       spin_strerror_last());
	spin_object__close(object);
}

/* Handlers get UDP, TCP and ICMP only, so a rule for another protocol would never match. TCP is for handlers of segments. */
static void other_protocols(void)
{
	expect_refused("empty", &(struct spin_rule){ .protocol = 7 }, -EINVAL, "protocol 7");
	expect_refused("empty", &(struct spin_rule){ .protocol = 6 }, -EOPNOTSUPP, "takes datagrams: its rule cannot be of tcp");
	expect_refused("aggregate", &(struct spin_rule){ .protocol = 6 }, -EOPNOTSUPP, "messages, which come by UDP: its rule cannot be");
	expect_refused("seg_vec", &(struct spin_rule){ .protocol = 17 }, -EOPNOTSUPP, "takes TCP segments: begin its rule with tcp");
	expect_refused("seg_vec", &(struct spin_rule){ .protocol = 1 }, -EOPNOTSUPP, "takes TCP segments: begin its rule with tcp");
	expect_refused("seg_vec", &(struct spin_rule){ .ether_type = 0x88b5 }, -EOPNOTSUPP, "takes TCP segments: begin its rule with tcp");
	expect_refused("seg_vec", &(struct spin_rule){ .protocol = 6, .has_eom = 1 }, -EOPNOTSUPP, "ends with a FIN: leave eom out");
	expect_refused("ping", &(struct spin_rule){ .protocol = 1, .dst_port = 9000 }, -EINVAL, "icmp has no ports");
	expect_refused("ping", &(struct spin_rule){ .protocol = 58, .ip_version = 4 }, -EINVAL, "write icmp");
	expect_refused("ping", &(struct spin_rule){ .protocol = 1, .ip_version = 6 }, -EINVAL, "write icmp6");
	expect_refused("ping", &(struct spin_rule){ .ether_type = 0x88b5, .protocol = 17 }, -EINVAL, "no protocol");
	expect_refused("empty", &(struct spin_rule){ .words = 5 }, -EINVAL, "at most 4 tests of u32");
	expect_refused("empty", &(struct spin_rule){ .words = 1, .any_word = 2 }, -EINVAL, "any_word and has_eom 0 or 1");
	expect_refused("empty", &(struct spin_rule){ .src_not = 1 }, -EINVAL, "src_not is 1");
	expect_refused("empty", &(struct spin_rule){ .dst_not = 1, .dst_mask = { 255 } }, -EINVAL, "dst_not is 1");
	expect_refused("empty", &(struct spin_rule){ .dst_not = 2, .dst_mask = { 255 }, .ip_version = 4 }, -EINVAL, "dst_not is 2");
	expect_refused("empty", &(struct spin_rule){ .words = 1, .word = { { 16, 1, 0, 1 } } }, -EINVAL, "word 16 from 0 to 1");
	expect_refused("empty", &(struct spin_rule){ .words = 1, .word = { { 1, 1, 1, 0 } } }, -EINVAL, "word 1 from 1 to 0");
	expect_refused("empty", &(struct spin_rule){ .words = 1, .word = { { 1, 0xff, 256, 256 } } }, -EINVAL, "under the mask 0xff");
	expect_refused("empty", &(struct spin_rule){ .words = 1, .word = { { 1, 0xff, 256, 300 } } }, -EINVAL, "under the mask 0xff");
	expect_refused("empty", &(struct spin_rule){ .words = 1, .word = { { 1, 1, 0, 1 }, { 2 } } }, -EINVAL,
		       "behind the last of 1 tests");
	expect_refused("empty", &(struct spin_rule){ .eom = { 1, 1, 0, 1 } }, -EINVAL, "has_eom 0");
	expect_refused("empty", &(struct spin_rule){ .has_eom = 2 }, -EINVAL, "at most 4 tests of u32, with any_word and has_eom 0 or 1");
	expect_refused("empty", &(struct spin_rule){ .unused = 1 }, -EINVAL, "unused 0");
	expect_refused("aggregate", &(struct spin_rule){ .has_eom = 1, .eom = { 16, 1, 0, 1 } }, -EINVAL, "word 16 from 0 to 1");
	expect_refused("aggregate", &(struct spin_rule){ .has_eom = 1, .eom = { 1, 1, 1, 0 } }, -EINVAL, "word 1 from 1 to 0");
	expect_refused("aggregate", &(struct spin_rule){ .has_eom = 1, .eom = { 1, 0xff, 256, 256 } }, -EINVAL, "under the mask 0xff");
	expect_refused("empty", &(struct spin_rule){ .has_eom = 1 }, -EOPNOTSUPP, "takes datagrams, each of which");
	expect_refused("act_request", &(struct spin_rule){ .has_eom = 1 }, -EOPNOTSUPP, "which SLMP tells");
	expect_refused("act_put", &(struct spin_rule){ .has_eom = 1 }, -EOPNOTSUPP, "which SLMP acknowledges");
	expect_refused("aggregate", &(struct spin_rule){ .ether_type = 0x88b5 }, -EOPNOTSUPP, "takes messages");
	expect_refused("aggregate", &(struct spin_rule){ .protocol = 1 }, -EOPNOTSUPP, "takes messages");
	expect_refused("act_put_d", &(struct spin_rule){ .protocol = 58 }, -EOPNOTSUPP, "sends packets");
}

int main(void)
{
	struct spin_rule rule;
	char printed[256];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		expect(!spin_rule__parse(good[i].text, &rule), "refused", good[i].text);
		spin_rule__format(&rule, printed, sizeof(printed));
		expect(!strcmp(printed, good[i].printed), "printed otherwise than expected", printed);
		round_trip(&rule, good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect(spin_rule__parse(bad[i], &rule) == -EINVAL, "accepted", bad[i]);
		expect(!strncmp(spin_strerror_last(), "rule: ", 6), "no reason", bad[i]);
	}
	expect(!spin_rule__parse("ip4 src 10.0.0.0/8 dport 53", &rule) && rule.protocol == 17 && rule.ip_version == 4 &&
		       rule.src_addr[0] == htonl(0x0a000000) && rule.src_mask[0] == htonl(0xff000000) && !rule.dst_mask[0] &&
		       rule.dst_port == 53 && !rule.src_port,
	       "fields", "ip4 src 10.0.0.0/8 dport 53");
	random_rules();
	overlaps_are_exact();
	other_protocols();
	return failures != 0;
}
