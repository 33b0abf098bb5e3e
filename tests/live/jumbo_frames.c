/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests an MTU of 9000 on a veth, where long frames arrive in several buffers. Datagrams of 1 to 8,972 bytes must be redirected unchanged,
 * and answered with up to 8,000 bytes, in both load classes, and by a process that has only CAP_BPF and CAP_NET_ADMIN. The kernel checks
 * the checksums for the sockets. Uses namespaces of its own. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "user/conformance/engine.h"
#include "kernel/caps.h"
#include "tests/common/net/slow.h"
#include "kernel/probe.h"
#include <spin/libspin.h>

#define PORT      9000 /* of the rules */
#define STEERED   7000 /* where filtering sends datagrams */
#define REPLY_MAX 8000
#define TRIES     20 /* of half a second each: a busy machine may lose a datagram */

static const unsigned sizes[] = { 1, 3000, 3600, 8972 };

static int server_ns, client_ns;
static enum spin_class class;

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("FAIL: %s: ", spin_class_name(class));
	vprintf(format, args);
	printf("\n");
	exit(1);
}

static void make_network(void)
{
	char command[160];

	server_ns = netns_new();
	client_ns = netns_new();
	snprintf(command, sizeof(command), "ip link add c0 mtu 9000 type veth peer name s0 mtu 9000 netns /proc/%d/fd/%d", getpid(),
		 server_ns);
	netns_shell(command);
	netns_shell("ip link set lo up && ip link set c0 up && ethtool -K c0 gro on && ip addr add 10.9.0.2/24 dev c0");
	netns_enter(server_ns);
	netns_shell("ip link set lo up && ip link set s0 up && ip addr add 10.9.0.1/24 dev s0");
}

static struct spin_ctx *run(const char *handler, const char *ifname, const char *match, enum spin_class how)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = how };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object(handler, path, sizeof(path)))
		die("%s", engine_error());
	if (spin_object__open(path, &object) || spin_nic__open(ifname, &nic) || spin_rule__parse(match, &rule) ||
	    spin_nic__set_mode(nic, SPIN_MODE_NATIVE) || spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("%s: %s", handler, spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(object);
	return ctx;
}

static int open_socket(int ns, const char *addr, int port)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct timeval wait = slow_wait(500);
	int fd;

	inet_pton(AF_INET, addr, &own.sin_addr);
	netns_enter(ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netns_enter(server_ns);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) || bind(fd, (struct sockaddr *)&own, sizeof(own)))
		die("cannot open a socket at %s: %s", addr, strerror(errno));
	return fd;
}

static void fill(uint8_t *at, unsigned bytes, unsigned first)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(first + i * 7);
}

/* Sends until the other socket receives the expected datagram. */
static void exchange(int from, int to, const uint8_t *send_this, unsigned bytes, const uint8_t *want, unsigned want_bytes)
{
	struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	uint8_t got[10000];

	inet_pton(AF_INET, "10.9.0.1", &server.sin_addr);
	for (int try = 0; try < TRIES; try++) {
		ssize_t came;

		if (sendto(from, send_this, bytes, 0, (struct sockaddr *)&server, sizeof(server)) != (ssize_t)bytes)
			die("cannot send %u bytes: %s", bytes, strerror(errno));
		came = recv(to, got, sizeof(got), 0);
		if (came < 0)
			continue;
		if (came != (ssize_t)want_bytes || memcmp(got, want, want_bytes))
			die("%u bytes sent: %zd come, not the %u that should", bytes, came, want_bytes);
		return;
	}
	die("%u bytes sent: nothing comes", bytes);
}

static void expect_handled(struct spin_ctx *ctx, enum spin_reason reason)
{
	uint64_t packets[SPIN_REASON_COUNT], sum = 0;

	spin_ctx__counters(ctx, packets);
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	if (packets[reason] != sum || sum < sizeof(sizes) / sizeof(sizes[0]))
		die("%llu of %llu datagrams are counted as %s", (unsigned long long)packets[reason], (unsigned long long)sum,
		    spin_reason_name(reason));
}

static void test_redirect(int client)
{
	struct spin_ctx *ctx = run("filtering", "s0", "udp dport 9000", class);
	int steered = open_socket(server_ns, "10.9.0.1", STEERED);
	uint8_t datagram[8972];

	if (spin_ctx__table_insert(ctx, "routes", "src=10.9.0.2 port=7000"))
		die("%s", spin_strerror_last());
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(datagram, sizes[i], i);
		exchange(client, steered, datagram, sizes[i], datagram, sizes[i]);
	}
	expect_handled(ctx, SPIN_REASON_SUCCESS);
	close(steered);
	spin_ctx__destroy(ctx);
}

/* The handler stores a word near the datagram's end, and returns its start. */
static void test_reply(int client)
{
	struct spin_ctx *ctx = run("rewrite", "s0", "udp dport 9000", class);
	uint8_t datagram[8972], want[8972];

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned bytes = sizes[i] < 100 ? 100 : sizes[i], reply = bytes < REPLY_MAX ? bytes : REPLY_MAX;
		unsigned at = (reply - 8) & ~1u;

		fill(datagram, bytes, i);
		datagram[0] = 2; /* store a word */
		datagram[1] = 1; /* and reply */
		datagram[2] = (uint8_t)(reply >> 8);
		datagram[3] = (uint8_t)reply;
		datagram[4] = (uint8_t)(at >> 8);
		datagram[5] = (uint8_t)at;
		memcpy(want, datagram, bytes);
		memcpy(want + at, datagram + 8, 4);
		exchange(client, client, datagram, bytes, want, reply);
	}
	expect_handled(ctx, SPIN_REASON_REPLIED);
	spin_ctx__destroy(ctx);
}

/* Drops all capabilities except those that the isolated class needs. The trusted class must then be refused with a message. */
static void drop_capabilities(void)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];
	uint64_t saved;

	if (kernel_caps__drop_for_isolated(&saved))
		die("cannot lay capabilities down");
	if (built_object("filtering", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp", &rule))
		die("filtering");
	if (spin_ctx__create(NULL, object, &rule, &ctx) != -EPERM || !strstr(spin_strerror_last(), "CAP_PERFMON") ||
	    !strstr(spin_strerror_last(), "isolated"))
		die("without CAP_PERFMON the trusted class is not refused: %s", spin_strerror_last());
	spin_object__close(object);
}

int main(void)
{
	uint64_t before = kernel_caps__effective();
	struct spin_ctx *peer;
	int client;

	if (!kernel_probe__copies()) {
		printf("skip: this kernel gives programs no frames of several buffers that handlers could read\n");
		return 77;
	}
	make_network();
	client = open_socket(client_ns, "10.9.0.2", 4000);
	/* a veth accepts XDP_TX frames only if it has a program itself: this one matches nothing */
	netns_enter(client_ns);
	peer = run("filtering", "c0", "udp dport 1", SPIN_CLASS_TRUSTED);
	netns_enter(server_ns);
	for (class = SPIN_CLASS_TRUSTED; class <= SPIN_CLASS_ISOLATED; class ++) {
		test_redirect(client);
		test_reply(client);
		if (kernel_caps__effective() != before)
			die("capabilities are not what they were");
	}
	class = SPIN_CLASS_ISOLATED;
	drop_capabilities();
	test_redirect(client);
	test_reply(client);
	spin_ctx__destroy(peer);
	return 0;
}
