/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the dispatcher, an interface's XDP program, gives each packet to the one context whose match rule it meets. Fills an offline
 * interface with contexts of random disjoint rules. Each of many random packets must increment one counter: that of the context which a
 * plain evaluation of the rules finds, or the interface's. Overlapping rules must be refused with both names. Contexts are replaced in
 * between, so that their numbers are reused. The same is done with the dispatcher of a process without CAP_PERFMON. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spin/spin.h>
#include <spin/root.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/netns.h"
#include "user/conformance/template/template.h"
#include "kernel/caps.h"

#define PACKETS          20000
#define PACKETS_ISOLATED 4000
#define REPLACED_EVERY   4000

struct packet {
	int version, is_icmp;
	unsigned ether_type; /* 0: IP */
	uint32_t src[4], dst[4];
	uint16_t sport, dport;
	struct template t;
};

static struct {
	struct spin_rule rule;
	struct spin_ctx *ctx; /* NULL: none */
	uint64_t expected;
} contexts[SPIN_CONTEXTS_MAX];
static uint64_t none_expected, seed = 88172645463325252ull;
static unsigned refused, words_exhausted;
static enum spin_class class = SPIN_CLASS_TRUSTED;

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % n;
}

/* Few values, so that packets match rules: two networks of 16 addresses each. */
static void pick_address(int version, uint32_t addr[4])
{
	memset(addr, 0, 16);
	if (version == 4) {
		addr[0] = htonl(0x0a000000u | pick(2) << 16 | pick(4) << 6 | pick(4));
		return;
	}
	addr[0] = htonl(0x20010db8);
	addr[1] = htonl(pick(2) << 15);
	addr[3] = htonl(pick(4) << 9 | pick(4));
}

/* Picks an address and a mask. Returns 1: the rule has a prefix. */
static int pick_prefix(int version, uint32_t addr[4], uint32_t mask[4])
{
	unsigned bits = version == 4 ? 12 + pick(21) : 30 + pick(99);

	pick_address(version, addr);
	for (unsigned i = 0; i < 4; i++) {
		unsigned part = bits > 32 * i ? bits - 32 * i : 0;

		mask[i] = part >= 32 ? ~0u : part ? htonl(~0u << (32 - part)) : 0;
		if (version == 4 && i)
			mask[i] = 0;
		addr[i] &= mask[i];
	}
	return 1;
}

/* Values that packets have: Ethernet types, address bytes, ports, identifiers, the payload, and bytes beyond its end. */
static void pick_words(struct spin_rule *r)
{
	static const struct spin_rule_word kinds[] = {
		{ 3, 0xffff0000, 0x08000000, 0x08060000 },
		{ 3, 0xffff0000, 0x86dd0000, 0x88b40000 },
		{ 7, 0x00ff0000, 0, 0x00010000 },
		{ 8, 0x0000ffff, 4002, 4005 },
		{ 9, 0xffff0000, 9003u << 16, 9006u << 16 },
		{ 10, 0xff, 1, 4 },
		{ 12, 0xff, 0, 9 },
		{ 15, 0, 0, 0 },
		{ 0, 0xffffffff, 0x02000000, 0x02000000 },
		{ 13, 0x0000ffff, 4000, 4003 },
		{ 4, 0xff, 5, 9 },
	};

	r->words = (uint8_t)(1 + pick(SPIN_RULE_WORDS_MAX));
	r->any_word = r->words > 1 && pick(2);
	for (unsigned i = 0; i < r->words; i++)
		r->word[i] = kinds[pick(sizeof(kinds) / sizeof(kinds[0]))];
}

/* Up to three ranges around `base`, of `step` values each, with gaps. */
static struct spin_rule_set pick_set(unsigned base, unsigned step)
{
	struct spin_rule_set set = { .count = 1 + pick(3) };
	unsigned at = base;

	for (unsigned i = 0; i < set.count; i++) {
		at += pick(3);
		set.range[i].first = (uint16_t)at;
		at += 1 + pick(step);
		set.range[i].last = (uint16_t)at;
		at += 2;
	}
	return set;
}

static void pick_fields(struct spin_rule *r)
{
	if (!pick(4))
		r->vlan = pick(3) ? pick_set(3, 3) : (struct spin_rule_set){ 1, { { SPIN_RULE_UNTAGGED, SPIN_RULE_UNTAGGED } } };
	if (!pick(4))
		r->dscp = pick_set(8, 6);
	if (!pick(4))
		r->ttl = pick_set(60, 4);
	if (r->protocol != 17)
		return;
	if (!r->dst_port && pick(3))
		r->dst_ports = pick_set(9000, 3);
	if (!r->src_port && !pick(3))
		r->src_ports = pick_set(4000, 3);
}

static struct spin_rule pick_headers(void)
{
	struct spin_rule r = { .protocol = 17 };

	if (!pick(8))
		return (struct spin_rule){ .ether_type = (uint16_t)(0x88b0 + pick(8)) };
	if (!pick(5)) {
		r.ip_version = pick(2) ? 4 : 6;
		r.protocol = r.ip_version == 4 ? 1 : 58;
	} else if (pick(3))
		r.ip_version = pick(2) ? 4 : 6;
	if (r.ip_version && pick(2))
		r.src_not = pick_prefix(r.ip_version, r.src_addr, r.src_mask) && !pick(4);
	if (r.ip_version && pick(3))
		r.dst_not = pick_prefix(r.ip_version, r.dst_addr, r.dst_mask) && !pick(4);
	if (r.protocol != 17)
		return r;
	if (pick(4))
		r.dst_port = (uint16_t)(9000 + pick(8));
	if (!pick(3))
		r.src_port = (uint16_t)(4000 + pick(8));
	return r;
}

static struct spin_rule pick_rule(void)
{
	struct spin_rule r = pick_headers();

	if (!r.ether_type && pick(2))
		pick_fields(&r);
	if (!pick(3))
		pick_words(&r);
	return r;
}

static int has_words(const struct spin_rule *r, const struct packet *p)
{
	unsigned hits = 0, tag = p->t.frame[12] == 0x81 ? 4 : 0;

	for (unsigned i = 0; i < r->words; i++) {
		const struct spin_rule_word *word = &r->word[i];
		unsigned at = word->index * 4 + (word->index < 3 ? 0 : tag);
		uint32_t value;

		if (at + 4 > p->t.bytes)
			continue;
		memcpy(&value, p->t.frame + at, sizeof(value));
		value = ntohl(value) & word->mask;
		hits += value >= word->first && value <= word->last;
	}
	return r->any_word ? hits > 0 : hits == r->words;
}

static int in_set(const struct spin_rule_set *set, unsigned value)
{
	int hit = !set->count;

	for (unsigned i = 0; i < set->count; i++)
		hit |= value >= set->range[i].first && value <= set->range[i].last;
	return hit;
}

static int has_fields(const struct spin_rule *r, const struct packet *p)
{
	const uint8_t *frame = p->t.frame;
	const int tagged = frame[12] == 0x81;
	const uint8_t *ip = frame + 14 + 4 * tagged;
	unsigned class = p->version == 4 ? ip[1] : (ip[0] & 15u) << 4 | ip[1] >> 4;

	return in_set(&r->vlan, tagged ? (frame[14] & 15u) << 8 | frame[15] : SPIN_RULE_UNTAGGED) && in_set(&r->dscp, class >> 2) &&
	       in_set(&r->ttl, p->version == 4 ? ip[8] : ip[7]) && in_set(&r->src_ports, p->sport) && in_set(&r->dst_ports, p->dport);
}

static int matches(const struct spin_rule *r, const struct packet *p)
{
	int src = 1, dst = 1;

	if (!has_words(r, p))
		return 0;
	if (r->ether_type || p->ether_type)
		return r->ether_type == p->ether_type;
	if ((r->protocol != 17) != p->is_icmp)
		return 0;
	if ((r->ip_version && r->ip_version != p->version) || (r->dst_port && r->dst_port != p->dport) ||
	    (r->src_port && r->src_port != p->sport))
		return 0;
	if (!has_fields(r, p))
		return 0;
	for (int i = 0; i < 4; i++) {
		src = src && (p->src[i] & r->src_mask[i]) == r->src_addr[i];
		dst = dst && (p->dst[i] & r->dst_mask[i]) == r->dst_addr[i];
	}
	return src != r->src_not && dst != r->dst_not;
}

static void make_packet(struct packet *p)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN], line[192];
	int family;

	p->version = pick(2) ? 4 : 6;
	family = p->version == 4 ? AF_INET : AF_INET6;
	pick_address(p->version, p->src);
	pick_address(p->version, p->dst);
	p->sport = (uint16_t)(4000 + pick(8));
	p->dport = (uint16_t)(9000 + pick(8));
	template_start(&p->t);
	p->ether_type = pick(6) ? 0 : 0x88b0 + pick(8);
	snprintf(line, sizeof(line), "eth 02:00:00:00:00:01 > 02:00:00:00:00:02%s%.0x", p->ether_type ? " type 0x" : "", p->ether_type);
	if (template_line(&p->t, line) != 1 || (!p->ether_type && !pick(4) && template_line(&p->t, "vlan 5") != 1))
		die(engine_error());
	if (p->ether_type) {
		if (template_line(&p->t, "count 10 1") != 1 || template_finish(&p->t))
			die(engine_error());
		return;
	}
	snprintf(line, sizeof(line), "ip%d %s > %s %s %u %s %u", p->version, inet_ntop(family, p->src, src, sizeof(src)),
		 inet_ntop(family, p->dst, dst, sizeof(dst)), p->version == 4 ? "tos" : "class", pick(100), p->version == 4 ? "ttl" : "hop",
		 58 + pick(16));
	if (template_line(&p->t, line) != 1)
		die(engine_error());
	p->is_icmp = !pick(4);
	if (p->is_icmp)
		snprintf(line, sizeof(line), "icmp %u 0 id %u seq %u", p->version == 4 ? 8 : 128, p->sport, p->dport);
	else
		snprintf(line, sizeof(line), "udp %u > %u", p->sport, p->dport);
	if (template_line(&p->t, line) != 1 || template_line(&p->t, "count 10 1") != 1 || template_finish(&p->t))
		die(engine_error());
}

static unsigned count_worded(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++)
		count += contexts[i].ctx && contexts[i].rule.words;
	return count;
}

/* Attaches a context with a random rule that does not overlap the others. */
static void fill_slot(unsigned i, struct spin_nic *nic, const struct spin_object *object)
{
	for (int tries = 0; tries < 6; tries++) {
		struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
		struct spin_rule rule = pick_rule();
		struct spin_ctx *ctx;
		char name[16];
		int err;

		snprintf(name, sizeof(name), "context%u", i);
		opts.name = name;
		if (spin_ctx__create_opts(nic, object, &rule, &opts, &ctx)) {
			char text[256];

			spin_rule__format(&rule, text, sizeof(text));
			printf("FAIL: rule %s\n", text);
			die(spin_strerror_last());
		}
		err = spin_ctx__attach(ctx);
		if (err == -ENOSPC && rule.words && count_worded() == SPIN_WORD_RULES_MAX && strstr(spin_strerror_last(), "u32")) {
			spin_ctx__destroy(ctx);
			words_exhausted++;
			continue;
		}
		if (!err) {
			contexts[i].rule = rule;
			contexts[i].ctx = ctx;
			contexts[i].expected = 0;
			return;
		}
		if (err != -EEXIST || !strstr(spin_strerror_last(), name) || !strstr(spin_strerror_last(), "overlaps with that of context"))
			die(spin_strerror_last());
		spin_ctx__destroy(ctx);
		refused++;
	}
}

static uint64_t handled(const struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return counts_sum(packets);
}

static void check(const struct spin_nic *nic)
{
	uint64_t packets[SPIN_REASON_COUNT];
	char rule[256];

	for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++) {
		if (!contexts[i].ctx || handled(contexts[i].ctx) == contexts[i].expected)
			continue;
		spin_rule__format(&contexts[i].rule, rule, sizeof(rule));
		printf("context %u (%s): %llu packets, expected %llu\n", i, rule, (unsigned long long)handled(contexts[i].ctx),
		       (unsigned long long)contexts[i].expected);
		die("a packet went to another context than its own");
	}
	spin_nic__counters(nic, packets);
	if (packets[SPIN_REASON_UNMATCHED] + packets[SPIN_REASON_NOT_IP] != none_expected)
		die("packets of no context are miscounted");
}

static void run(unsigned packets)
{
	struct spin_run_result result;
	uint64_t matched = 0;
	uint8_t out[ENGINE_FRAME_MAX];
	struct spin_object *object;
	struct spin_nic *nic;
	struct packet p;
	char path[512];
	unsigned attached = 0, by_words = 0;

	if (built_object("deliver", path, sizeof(path)) || spin_object__open(path, &object) || spin_nic__open_offline(&nic))
		die(spin_strerror_last());
	for (unsigned n = 0; n < packets; n++) {
		unsigned belongs_to = 0;

		if (n % REPLACED_EVERY == 0) {
			for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++) {
				if (contexts[i].ctx && n && pick(8))
					continue;
				spin_ctx__destroy(contexts[i].ctx);
				contexts[i].ctx = NULL;
				fill_slot(i, nic, object);
			}
			attached = 0;
			for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++)
				attached += contexts[i].ctx != NULL;
		}
		memset(&p, 0, sizeof(p));
		make_packet(&p);
		for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++)
			if (contexts[i].ctx && matches(&contexts[i].rule, &p)) {
				contexts[i].expected++;
				belongs_to++;
				by_words += contexts[i].rule.words != 0;
			}
		if (belongs_to > 1)
			die("two rules that overlap were both taken");
		none_expected += !belongs_to;
		matched += belongs_to;
		if (spin_nic__run(nic, p.t.frame, p.t.bytes, 1, out, sizeof(out), &result))
			die(spin_strerror_last());
		if (result.verdict != SPIN_VERDICT_PASS || result.frame_bytes != p.t.bytes || memcmp(out, p.t.frame, p.t.bytes))
			die("the packet did not pass as it came");
		if (n % 100 == 99)
			check(nic);
	}
	check(nic);
	printf("%u contexts at the end, %u rules refused, %u for their words, %llu of %u packets matched, %u by words\n", attached, refused,
	       words_exhausted, (unsigned long long)matched, packets, by_words);
	if (attached < 8 || !refused || !words_exhausted || by_words < packets / 200 || matched < packets / 20 ||
	    matched > packets * 19ull / 20)
		die("the random rules try too little");
	for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++)
		spin_ctx__destroy(contexts[i].ctx);
	spin_nic__close(nic);
	spin_object__close(object);
}

/*
 * A datagram shorter than its IP packet: Linux would cut and deliver it. A context's must not get past its handlers; others are left alone.
 */
static void short_datagrams(void)
{
	static const struct {
		const char *udp, *payload;
		enum spin_verdict verdict;
	} cases[] = { { "udp 4000 > 9000 length 12", "text surplus", SPIN_VERDICT_DROP },
		      { "udp 4000 > 9000 length 5000", "fill 6000 0", SPIN_VERDICT_DROP }, /* not linear */
		      { "udp 4000 > 9000", "text surplus", SPIN_VERDICT_PASS },
		      { "udp 4000 > 9001 length 12", "text surplus", SPIN_VERDICT_PASS } };
	struct spin_run_result result;
	uint8_t out[ENGINE_FRAME_MAX];
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct template t;
	char path[512];

	netns_new();
	netns_shell("ip link set lo up");
	if (built_object("deliver", path, sizeof(path)) || spin_object__open(path, &object) || spin_nic__open("lo", &nic) ||
	    spin_rule__parse("udp dport 9000", &rule) || spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__attach(ctx))
		die(spin_strerror_last());
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		template_start(&t);
		if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
		    template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(&t, cases[i].udp) != 1 ||
		    template_line(&t, cases[i].payload) != 1 || template_finish(&t))
			die(engine_error());
		if (spin_nic__run(nic, t.frame, t.bytes, 1, out, sizeof(out), &result))
			die(spin_strerror_last());
		if (result.verdict != cases[i].verdict) {
			printf("%s\n", cases[i].udp);
			die("a datagram shorter than its packet has another verdict");
		}
	}
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
}

int main(void)
{
	uint64_t saved;
	int status;
	pid_t pid;

	if (geteuid()) {
		printf("skip: loading programs needs root\n");
		return 77;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		class = SPIN_CLASS_ISOLATED;
		if (kernel_caps__drop_for_isolated(&saved))
			die("cannot lay capabilities down");
		run(PACKETS_ISOLATED);
		return 0;
	}
	run(PACKETS);
	short_datagrams();
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("the dispatcher without CAP_PERFMON does something else");
	return 0;
}
