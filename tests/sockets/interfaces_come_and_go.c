/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A socket of any address that has handlers, while the host gets another interface, or an address, and loses it again: handlers run on
 * what comes by it, and on what comes by the others, all the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/asks.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/xdp_pass.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

static struct asks_hosts hosts;
static struct spind spind;

static void finish(void)
{
	spind__finish(&spind);
}

/* A second veth, s1 with 10.9.1.1. */
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
		if (asks__is_rewritten(sender, to, ASKS_PORT, &fd, 1))
			return;
		usleep(50000);
	}
	die("handlers do not run on what comes to a new address");
}

int main(void)
{
	struct spin_object *obj;
	struct spin_ctx *ctx;
	int fd, sender;
	char path[512];

	setvbuf(stdout, NULL, _IOLBF, 0);
	asks__hosts(&hosts);
	spind__start(&spind, "");
	atexit(finish);
	if (built_object("rewrite", path, sizeof(path)) || spin_object__open(path, &obj))
		die("open: %s", spin_strerror_last());
	sender = asks__socket(&hosts, hosts.client_ns, AF_INET);
	asks__bind(sender, "0.0.0.0", ASKS_SENDER);
	fd = asks__socket(&hosts, hosts.server_ns, AF_INET);
	asks__bind(fd, "0.0.0.0", ASKS_PORT);
	ctx = spind__attach(&spind, fd, obj, NULL);
	for (int i = 0; i < 20; i++ /* more than the places of a context */) {
		add_interface();
		wait_until_rewritten(sender, "10.9.1.1", fd);
		if (!asks__is_rewritten(sender, "10.9.0.1", ASKS_PORT, &fd, 1))
			die("handlers do not run on the first interface any more");
		netns_shell("ip addr add 10.9.1.7/24 dev s1");
		wait_until_rewritten(sender, "10.9.1.7", fd);
		netns_shell("ip link del s1");
		if (!asks__is_rewritten(sender, "10.9.0.1", ASKS_PORT, &fd, 1))
			die("handlers do not run on the first interface any more");
	}
	if (spin_ctx__alive(ctx) != 1)
		die("the context has ended");
	printf("ok: handlers follow the addresses of the host\n");
	spin_ctx__destroy(ctx);
	spin_object__close(obj);
	return 0;
}
