/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches and detaches contexts (handlers with a match rule) a few hundred times while packets flow for two others: one that stays, and
 * one that is itself attached and detached. Every datagram must be received and counted exactly once: by its context, or by the interface
 * while the context was detached. Each sender waits for as many datagrams as it has sent, so no queue overflows. Uses namespaces of its
 * own. Run by tests/run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/netns.h"
#include "tests/common/traffic/burst.h"

#define ROUNDS 2
#define STAYS  7000 /* ports */
#define COMES  7001
#define OTHERS 8000

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static struct spin_ctx *context(struct spin_nic *nic, const struct spin_object *object, unsigned port)
{
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char text[32];

	snprintf(text, sizeof(text), "udp dport %u", port);
	if (spin_rule__parse(text, &rule) || spin_ctx__create(nic, object, &rule, &ctx))
		die(spin_strerror_last());
	return ctx;
}

static void start(struct burst *b, int server_ns, int client_ns, uint16_t port)
{
	b->address = "10.9.0.1";
	b->port = port;
	netns_enter(server_ns);
	b->from = burst__socket(b->address, port);
	netns_enter(client_ns);
	b->to = burst__socket("10.9.0.2", 0);
	burst__start(b);
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

/* Waits for packets. On a busy machine they may take some time. */
static void wait_for_packets(struct spin_nic *nic, const struct spin_ctx *attached, const struct burst *burst)
{
	uint64_t had = attached ? handled(attached) : unmatched(nic);

	for (int ms = 0; (attached ? handled(attached) : unmatched(nic)) == had && !burst->lost; ms++) {
		if (ms > burst__timeout_s() * 1000)
			die(attached ? "no packet came while the context was there" : "no packet came while the context was away");
		usleep(1000);
	}
}

int main(void)
{
	int server_ns = netns_new(), client_ns = netns_new();
	struct spin_ctx *stays, *comes, *other[SPIN_CONTEXTS_MAX - 2];
	static struct burst a, b;
	struct spin_object *object;
	struct spin_nic *nic;
	unsigned changes = 0;
	char path[512];

	snprintf(path, sizeof(path), "ip link add c0 type veth peer name s0 netns /proc/%d/fd/%d", getpid(), server_ns);
	netns_shell(path);
	netns_shell("ip addr add 10.9.0.2/24 dev c0 && ip link set c0 up");
	netns_enter(server_ns);
	netns_shell("ip addr add 10.9.0.1/24 dev s0 && ip link set s0 up");
	if (built_object("deliver", path, sizeof(path)) || spin_object__open(path, &object) || spin_nic__open("s0", &nic))
		die(spin_strerror_last());
	stays = context(nic, object, STAYS);
	comes = context(nic, object, COMES);
	for (unsigned i = 0; i < SPIN_CONTEXTS_MAX - 2; i++)
		other[i] = context(nic, object, OTHERS + i);
	if (spin_ctx__attach(stays))
		die(spin_strerror_last());
	start(&a, server_ns, client_ns, STAYS);
	start(&b, server_ns, client_ns, COMES);
	netns_enter(server_ns);
	for (int round = 0; round < ROUNDS && !a.lost && !b.lost; round++) {
		if (spin_ctx__attach(comes))
			die(spin_strerror_last());
		for (unsigned i = 0; i < SPIN_CONTEXTS_MAX - 2; i++)
			if (spin_ctx__attach(other[i]))
				die(spin_strerror_last());
		wait_for_packets(nic, comes, &b);
		spin_ctx__detach(comes);
		for (unsigned i = 0; i < SPIN_CONTEXTS_MAX - 2; i++)
			spin_ctx__detach(other[i]);
		wait_for_packets(nic, NULL, &b);
		changes += 2 * (SPIN_CONTEXTS_MAX - 1);
	}
	burst__stop(&a);
	burst__stop(&b);
	if (a.lost || b.lost)
		die(a.lost ? a.lost : b.lost);
	printf("%u changes; %llu datagrams to the context that stays, %llu handled; %llu to the one that comes and goes, "
	       "%llu handled, %llu while it was away\n",
	       changes, (unsigned long long)a.sent, (unsigned long long)handled(stays), (unsigned long long)b.sent,
	       (unsigned long long)handled(comes), (unsigned long long)unmatched(nic));
	if (!a.sent || handled(stays) != a.sent)
		die("the context that stays did not see all of its packets");
	if (handled(comes) + unmatched(nic) != b.sent)
		die("packets of the context that came and went were counted twice or not at all");
	for (unsigned i = 0; i < SPIN_CONTEXTS_MAX - 2; i++) {
		if (handled(other[i]))
			die("a context handled packets that are not its own");
		spin_ctx__destroy(other[i]);
	}
	spin_ctx__destroy(comes);
	spin_ctx__destroy(stays);
	spin_nic__close(nic);
	spin_object__close(object);
	return 0;
}
