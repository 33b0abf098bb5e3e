/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a change of a context's match rule (the packets that its handlers get) on two interfaces, while packets arrive that match both the
 * old and the new rule: each must be handled exactly once. Afterwards packets of the new rule must be handled, and those of the old one
 * must not. A rule that is refused, even by only one interface, must change nothing. Each sender waits for as many datagrams as it has
 * sent, so no queue overflows. Uses namespaces of its own. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/netns.h"
#include "tests/common/traffic/burst.h"
#include <spin/root.h>

#define CHANGES 60
#define STREAMS 2

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static uint64_t handled(const struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return counts_sum(packets);
}

static uint64_t unmatched(struct spin_nic *nic)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_nic__counters(nic, packets);
	return packets[SPIN_REASON_UNMATCHED];
}

static struct spin_ctx *context(struct spin_nic *nic, const char *handler, const char *text)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse(text, &rule) ||
	    spin_ctx__create(nic, object, &rule, &ctx))
		die(spin_strerror_last());
	spin_object__close(object); /* the context does not need it any more, not even for another rule */
	return ctx;
}

static int set_rule(struct spin_ctx *ctx, const char *text)
{
	struct spin_rule rule;

	if (spin_rule__parse(text, &rule))
		die(spin_strerror_last());
	return spin_ctx__set_rule(ctx, &rule);
}

/* Sends a datagram over each interface. If is_handled, each must be handled, otherwise none. */
static void probe(const struct burst *s, const struct spin_ctx *ctx, uint16_t port, int is_handled, const char *what)
{
	const uint64_t had = handled(ctx);

	for (int i = 0; i < STREAMS; i++) {
		int from = port == 7000 ? s[i].from : burst__socket(s[i].address, port);

		if (burst__send(s[i].to, s[i].address, port) || burst__receive(from))
			die("a datagram was lost");
		if (from != s[i].from)
			close(from);
	}
	if (handled(ctx) - had != (is_handled ? STREAMS : 0))
		die(what);
}

static void expect_refused(const struct burst *s, struct spin_ctx *ctx, const char *rule, int err)
{
	if (set_rule(ctx, rule) != err)
		die(rule);
	probe(s, ctx, 7000, 1, "a refused rule has taken the old one away");
	probe(s, ctx, 7001, 0, "a refused rule has taken packets");
}

static void count_tapped(void *arg, const struct spin_tapped *packet)
{
	(void)packet;
	++*(unsigned *)arg;
}

/* Fills one of the context's two interfaces with contexts, until it has no slot for another rule of this kind. */
static void fill(const struct burst *s, struct spin_ctx *ctx, struct spin_nic *nic, const char *rule, const char *another, unsigned most)
{
	struct spin_ctx *others[SPIN_CONTEXTS_MAX];
	unsigned count = 0;
	char text[80];
	int err = 0;

	while (!err && count < SPIN_CONTEXTS_MAX) {
		snprintf(text, sizeof(text), rule, 8000 + count);
		others[count] = context(nic, "deliver", text);
		err = spin_ctx__attach(others[count++]);
	}
	if (err != -ENOSPC || count != most + 1)
		die("another number of contexts has places");
	expect_refused(s, ctx, another, -ENOSPC);
	while (count)
		spin_ctx__destroy(others[--count]);
	if (set_rule(ctx, another) || set_rule(ctx, "udp dport 7000"))
		die(spin_strerror_last());
}

int main(void)
{
	static const char *const rules[] = { "udp dport 7000-7001", "udp sport 1-65535 dport 7000", "udp", "udp dport 7000" };
	static struct burst s[STREAMS] = { { .address = "10.9.0.1", .port = 7000 }, { .address = "10.9.1.1", .port = 7000 } };
	int server_ns = netns_new(), client_ns = netns_new();
	struct spin_ctx *ctx, *other, *messages;
	struct spin_nic *nic[STREAMS];
	struct spin_rule bad;
	unsigned tapped = 0;
	uint64_t sent = 0;
	char text[256];

	for (int i = 0; i < STREAMS; i++) {
		netns_enter(client_ns);
		snprintf(text, sizeof(text), "ip link add c%d type veth peer name s%d netns /proc/%d/fd/%d", i, i, getpid(), server_ns);
		netns_shell(text);
		snprintf(text, sizeof(text), "ip addr add 10.9.%d.2/24 dev c%d && ip link set c%d up", i, i, i);
		netns_shell(text);
		s[i].to = burst__socket(i ? "10.9.1.2" : "10.9.0.2", 0);
		netns_enter(server_ns);
		snprintf(text, sizeof(text), "ip addr add 10.9.%d.1/24 dev s%d && ip link set s%d up", i, i, i);
		netns_shell(text);
		s[i].from = burst__socket(s[i].address, s[i].port);
		snprintf(text, sizeof(text), "s%d", i);
		if (spin_nic__open(text, &nic[i]))
			die(spin_strerror_last());
	}
	ctx = context(nic[0], "deliver", "udp dport 7000");
	if (spin_ctx__attach(ctx) || spin_ctx__attach_also(ctx, nic[1]))
		die(spin_strerror_last());
	for (int i = 0; i < STREAMS; i++)
		burst__start(&s[i]);
	for (int i = 0; i < CHANGES; i++)
		if (set_rule(ctx, rules[i % 4]))
			die(spin_strerror_last());
	for (int i = 0; i < STREAMS; i++) {
		burst__stop(&s[i]);
		if (s[i].lost)
			die(s[i].lost);
		sent += s[i].sent;
	}
	printf("%d changes; %llu datagrams, %llu handled, %llu and %llu without handlers\n", CHANGES, (unsigned long long)sent,
	       (unsigned long long)handled(ctx), (unsigned long long)unmatched(nic[0]), (unsigned long long)unmatched(nic[1]));
	if (!s[0].sent || !s[1].sent || handled(ctx) != sent)
		die("datagrams of both rules were handled twice or not at all");

	if (set_rule(ctx, "udp dport 7001"))
		die(spin_strerror_last());
	probe(s, ctx, 7001, 1, "packets of the new rule have no handlers");
	probe(s, ctx, 7000, 0, "packets of the old rule still have handlers");
	if (set_rule(ctx, "udp dport 7000"))
		die(spin_strerror_last());

	/* the first interface would accept it, the second does not */
	other = context(nic[1], "deliver", "udp dport 8000");
	if (spin_ctx__attach(other))
		die(spin_strerror_last());
	expect_refused(s, ctx, "udp dport 7001-8000", -EEXIST);
	if (spin_rule__parse("udp dport 7001", &bad))
		die(spin_strerror_last());
	bad.dst_ports.count = 1;
	if (spin_ctx__set_rule(ctx, &bad) != -EINVAL)
		die("a rule with a port and ports is taken");
	/* the old rule must be free for others, the new one must not */
	if (set_rule(ctx, "udp dport 7001") || set_rule(other, "udp dport 7000") || set_rule(other, "udp dport 7001") != -EEXIST ||
	    set_rule(other, "udp dport 8000") || set_rule(ctx, "udp dport 7000"))
		die("rules and slots do not belong together");
	probe(s, ctx, 7000, 1, "packets of the last rule have no handlers");
	/* the second interface refuses, before and after the first one has the rule */
	spin_ctx__destroy(other);
	fill(s, ctx, nic[1], "udp dport %u", "udp dport 7001", SPIN_CONTEXTS_MAX - 1);
	fill(s, ctx, nic[1], "udp dport %u u32 12/0xffff=0-0xffff", "udp dport 7001 u32 12/0xffff=0-0xffff", SPIN_WORD_RULES_MAX);
	/* a tap stays with the context */
	if (spin_ctx__tap(ctx, 1 << 20) || set_rule(ctx, "udp dport 7001"))
		die(spin_strerror_last());
	probe(s, ctx, 7001, 1, "packets of a tapped context have no handlers");
	if (spin_ctx__tapped(ctx, count_tapped, &tapped) != STREAMS || tapped != STREAMS || spin_ctx__tap_lost(ctx))
		die("a tapped context with another rule copies too few packets, or too many");
	spin_ctx__untap(ctx);
	messages = context(nic[0], "reduce", "udp dport 9330");
	if (set_rule(messages, "udp dport 9331") != -EOPNOTSUPP)
		die("a context of messages gets another rule");
	spin_ctx__destroy(messages);
	spin_ctx__destroy(ctx);
	for (int i = 0; i < STREAMS; i++)
		spin_nic__close(nic[i]);
	return 0;
}
