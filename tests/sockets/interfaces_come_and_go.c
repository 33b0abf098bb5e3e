/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers on a socket that is bound to any address, while the host gets another interface or address and loses it again. The
 * handlers must run for packets to the new one, and for packets to the others all the time. They must not run for packets that still arrive
 * for an address that is gone. Run by tests/run.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/net/xdp_pass.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/context.h>
#include <spin/libspin_socket.h>

#define SERVER_MAC "02:00:00:00:00:01"

static struct udp_hosts hosts;
static struct spind spind;

static void finish(void)
{
	spind__cleanup(&spind);
}

/* Adds a second veth, s1 with 10.9.1.1. */
static void add_interface(void)
{
	char command[128];

	netns_enter(hosts.client_ns);
	snprintf(command, sizeof(command), "ip link add c1 type veth peer name s1 netns /proc/%d/fd/%d", getpid(), hosts.server_ns);
	netns_shell(command);
	netns_shell("ip link set c1 up && ip addr add 10.9.1.2/24 dev c1");
	netns_enter(hosts.server_ns);
	netns_shell("ip link set s1 up && ip addr add 10.9.1.1/24 dev s1");
}

static void wait_until_rewritten(int sender, const char *to, int fd)
{
	for (int i = 0; i < 200; i++) {
		if (udp_hosts__is_rewritten(sender, to, UDP_HOSTS_PORT, &fd, 1))
			return;
		usleep(50000);
	}
	die("handlers do not run on what comes to a new address");
}

/* Returns the number of datagrams that handlers ran for. */
static uint64_t handled(const struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT], sum = 0;

	spin_ctx__counters(ctx, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	return sum;
}

/*
 * Moves this thread to the next CPU that it may use, from *cpu on. Frames that are sent on a CPU are handled on it. Returns 0 if there is
 * none.
 */
static int run_on_next(const cpu_set_t *all, int *cpu)
{
	cpu_set_t one;

	for (; *cpu < CPU_SETSIZE; ++*cpu) {
		if (!CPU_ISSET(*cpu, all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(*cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			die("cannot run on CPU %d", *cpu);
		++*cpu;
		return 1;
	}
	return 0;
}

/* The sender does not know that the address is gone, so its frames still arrive. Each CPU has cached that the address is the host's. */
static void check_lost_address(struct spin_ctx *ctx, int sender, int fd)
{
	struct asks_ask ask;
	uint64_t before;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		die("cannot tell the CPUs");
	netns_enter(hosts.client_ns);
	netns_shell("ip neigh add 10.9.0.7 lladdr " SERVER_MAC " dev c0 nud permanent");
	netns_enter(hosts.server_ns);
	netns_shell("ip addr add 10.9.0.7/24 dev s0");
	for (int cpu = 0; run_on_next(&cpus, &cpu);)
		wait_until_rewritten(sender, "10.9.0.7", fd);
	netns_shell("ip addr del 10.9.0.7/24 dev s0");
	for (int cpu = 0; run_on_next(&cpus, &cpu);) {
		before = 0;
		for (int tries = 0; handled(ctx) != before; tries++) {
			if (tries == 100)
				die("handlers run on what comes to an address that the host has lost");
			before = handled(ctx);
			for (int i = 0; i < 5; i++)
				udp_hosts__send(sender, "10.9.0.7", UDP_HOSTS_PORT, ASK_STORE, 0, &ask);
			usleep(50000);
		}
	}
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
		die("handlers do not run on the address that the host still has");
}

int main(void)
{
	struct spin_object *obj;
	struct spin_ctx *ctx;
	int fd, sender;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	netns_shell("ip link set s0 address " SERVER_MAC);
	spind__start(&spind, "");
	atexit(finish);
	obj = built_open("rewrite");
	sender = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	udp_hosts__bind(sender, "0.0.0.0", UDP_HOSTS_SENDER);
	fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(fd, "0.0.0.0", UDP_HOSTS_PORT);
	ctx = spind__attach(&spind, fd, obj, NULL);
	for (int i = 0; i < 20; i++ /* more often than a context has slots for interfaces */) {
		add_interface();
		wait_until_rewritten(sender, "10.9.1.1", fd);
		if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
			die("handlers do not run on the first interface any more");
		netns_shell("ip addr add 10.9.1.7/24 dev s1");
		wait_until_rewritten(sender, "10.9.1.7", fd);
		netns_shell("ip link del s1");
		if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
			die("handlers do not run on the first interface any more");
	}
	check_lost_address(ctx, sender, fd);
	if (spin_ctx__alive(ctx) != 1)
		die("the context has ended");
	printf("ok: handlers follow the addresses of the host\n");
	spin_ctx__destroy(ctx);
	spin_object__close(obj);
	return 0;
}
