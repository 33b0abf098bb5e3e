/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests which segments begin a connection for handlers: on a live interface XDP looks up the kernel's socket, whose state decides (step 7
 * of <spin/segment.h>). Tested in each state, over IPv4 and IPv6, in both load classes. While the kernel's connection is open, forged
 * segments that the kernel discards must not begin it again, and bytes that the kernel reads must not get past the handlers; where no
 * socket reads, SYN and new payload begin one. Uses namespaces of its own. Run by tests/run.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spin/wire.h>

#include "tests/common/attached.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include "tests/handlers/segments/seg_live.h"
#include "tests/segments/inject.h"

#define PORT         9000u
#define NO_PORT      9001u /* no socket listens */
#define WAIT_SECONDS (20 * slow_factor())

/* A connection of this process: both sockets, and the key of what the client sends. */
struct connection {
	int client, server;
	struct segref_key key;
};

struct family {
	const char *name, *near, *far, *nobody; /* nobody: answers to this address are not sent */
};

static const struct family families[] = {
	{ "IPv4", NEAR_ADDR, FAR_ADDR, "198.18.0.1" },
	{ "IPv6", NEAR_ADDR6, FAR_ADDR6, "2001:2::1" },
};

static struct pair link_;
static struct injector near_end;
static volatile struct seg_live *state;
static const struct family *family;
static const char *class_name;
static int listener;

static void die(const char *what)
{
	printf("FAIL: %s, %s: %s\n", class_name, family->name, what);
	exit(1);
}

static void wait_for(const volatile uint32_t *at, uint32_t value, const char *what)
{
	for (int i = 0; *at != value && i < 1000 * WAIT_SECONDS; i++)
		usleep(1000);
	if (*at != value)
		die(what);
}

/* Returns when all frames sent so far have been handled: those of one CPU arrive in order. */
static void settle(void)
{
	static uint16_t port;
	const struct segref_key key = injector__key(family->nobody, ++port, family->far, NO_PORT);
	const uint32_t others = state->begun - state->watched_begun;

	for (int i = 0; state->begun - state->watched_begun == others && i < 1000 * WAIT_SECONDS; i++) {
		if (!i)
			injector__send(&near_end, &key, 1, SPIN_TCP_SYN, 0);
		usleep(1000);
	}
	if (state->begun - state->watched_begun == others)
		die("a SYN begins no connection");
}

static void watch(uint16_t port)
{
	state->watched = port;
	state->watched_begun = state->watched_ended = state->watched_length = 0;
}

static void expect(const volatile uint32_t *at, uint32_t value, const char *what)
{
	settle();
	if (*at != value) {
		printf("begun %u, ended %u, length %u\n", state->watched_begun, state->watched_ended, state->watched_length);
		die(what);
	}
}

static void listen_on_all(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	const struct timeval limit = { .tv_sec = WAIT_SECONDS };

	netns_enter(link_.far_ns);
	listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)); /* accepted sockets have it, too */
	if (bind(listener, (struct sockaddr *)&any, sizeof(any)) || listen(listener, 16))
		die("no listening socket");
	netns_enter(link_.near_ns);
}

static uint16_t own_port(int fd)
{
	struct sockaddr_storage own;
	socklen_t bytes = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &bytes))
		die("no port");
	return ntohs(own.ss_family == AF_INET ? ((struct sockaddr_in *)&own)->sin_port : ((struct sockaddr_in6 *)&own)->sin6_port);
}

/* Its port is watched from the accept() on. */
static struct connection connected(void)
{
	const _Bool is_ip4 = family == &families[0];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	struct connection c = { .client = socket(is_ip4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) };

	inet_pton(AF_INET, family->far, &to.sin_addr);
	inet_pton(AF_INET6, family->far, &to6.sin6_addr);
	if (is_ip4 ? connect(c.client, (struct sockaddr *)&to, sizeof(to)) : connect(c.client, (struct sockaddr *)&to6, sizeof(to6)))
		die("no connection");
	c.server = accept(listener, NULL, NULL);
	if (c.server < 0)
		die("no connection is accepted");
	c.key = injector__key(family->near, own_port(c.client), family->far, PORT);
	settle();
	watch(c.key.src_port);
	return c;
}

/* Returns the sequence number of the next byte that the client will send. */
static uint32_t next_seq(const struct connection *c)
{
	uint32_t seq;
	socklen_t bytes = sizeof(seq);

	if (setsockopt(c->client, IPPROTO_TCP, TCP_REPAIR, &(int){ TCP_REPAIR_ON }, sizeof(int)) ||
	    setsockopt(c->client, IPPROTO_TCP, TCP_REPAIR_QUEUE, &(int){ TCP_SEND_QUEUE }, sizeof(int)) ||
	    getsockopt(c->client, IPPROTO_TCP, TCP_QUEUE_SEQ, &seq, &bytes) ||
	    setsockopt(c->client, IPPROTO_TCP, TCP_REPAIR, &(int){ TCP_REPAIR_OFF_NO_WP }, sizeof(int)))
		die("no sequence number");
	return seq;
}

static void transfer(const struct connection *c, const char *text)
{
	const size_t bytes = strlen(text);
	char got[64];

	if (send(c->client, text, bytes, MSG_NOSIGNAL) != (ssize_t)bytes || recv(c->server, got, bytes, MSG_WAITALL) != (ssize_t)bytes ||
	    memcmp(got, text, bytes))
		die("the application does not read what was sent");
}

static void close_both(const struct connection *c)
{
	close(c->client);
	close(c->server);
}

/* A segment that the handlers accept and the kernel discards must not hide the bytes that come later in its place. */
static void established(void)
{
	const struct connection c = connected();
	uint32_t seq;

	transfer(&c, "first");
	seq = next_seq(&c);
	injector__send(&near_end, &c.key, seq + 1000, SPIN_TCP_SYN, 0);
	expect(&state->watched_begun, 0, "a forged SYN begins a live connection again");
	injector__send(&near_end, &c.key, seq, 0, 16);
	injector__send(&near_end, &c.key, seq + 16, SPIN_TCP_FIN, 0);
	expect(&state->watched_ended, 1, "a forged FIN does not end the handlers' connection");
	injector__send(&near_end, &c.key, seq + 1000, SPIN_TCP_SYN, 0);
	expect(&state->watched_begun, 0, "a forged SYN begins a live connection again, after its end");
	transfer(&c, "second");
	expect(&state->watched_begun, 1, "bytes that the kernel reads get past the handlers");
	shutdown(c.client, SHUT_WR);
	wait_for(&state->watched_ended, 2, "the connection does not end");
	if (state->watched_length != strlen("first") + 16 + strlen("second"))
		die("the lengths are wrong");
	close_both(&c);
}

/* The peer has closed: nothing more is read. */
static void closing(void)
{
	const struct connection c = connected();
	const uint32_t seq = next_seq(&c);

	transfer(&c, "first");
	shutdown(c.client, SHUT_WR);
	wait_for(&state->watched_ended, 1, "the connection does not end");
	injector__send(&near_end, &c.key, seq, 0, (uint32_t)strlen("first"));
	injector__send(&near_end, &c.key, seq, 0, 100);
	injector__send(&near_end, &c.key, seq + 1000, SPIN_TCP_SYN, 0);
	expect(&state->watched_begun, 0, "a segment that the kernel does not read begins a connection");
	close_both(&c);
}

/* The server closes first, and its socket waits. The answer to a forged segment ends that. */
static void time_wait(uint8_t flags, uint32_t bytes, uint32_t begun)
{
	const struct connection c = connected();
	const uint32_t seq = next_seq(&c);

	transfer(&c, "first");
	shutdown(c.server, SHUT_WR);
	if (recv(c.client, &(char){ 0 }, 1, 0))
		die("the client reads no end");
	close(c.client);
	if (recv(c.server, &(char){ 0 }, 1, 0))
		die("the server reads no end");
	close(c.server);
	wait_for(&state->watched_ended, 1, "the connection does not end");
	injector__send(&near_end, &c.key, seq + 1000, flags, bytes);
	expect(&state->watched_begun, begun,
	       begun ? "a SYN begins no connection after the end" : "payload begins a connection after the end");
}

/* The kernel has no socket, or one that listens: the handlers' own table decides. */
static void no_socket(uint16_t to)
{
	const struct segref_key key = injector__key(family->nobody, 65535, family->far, to);

	watch(key.src_port);
	injector__send(&near_end, &key, 7, SPIN_TCP_SYN, 0);
	expect(&state->watched_begun, 1, "a SYN begins no connection");
	injector__send(&near_end, &key, 8, SPIN_TCP_ACK | SPIN_TCP_FIN, 10);
	expect(&state->watched_ended, 1, "a FIN does not end the connection");
	injector__send(&near_end, &key, 8, SPIN_TCP_ACK, 10);
	expect(&state->watched_begun, 1, "payload that is sent again begins a connection");
	injector__send(&near_end, &key, 8, SPIN_TCP_ACK, 30);
	expect(&state->watched_begun, 2, "new payload begins no connection");
	injector__send(&near_end, &key, 1000, SPIN_TCP_SYN, 0);
	expect(&state->watched_begun, 3, "another SYN begins no connection");
}

static void run(enum spin_class class)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_ctx *ctx = NULL;
	struct spin_nic *nic;
	const char *failed;
	size_t bytes;

	class_name = class == SPIN_CLASS_ISOLATED ? "isolated" : "trusted";
	netns_enter(link_.far_ns);
	if (spin_nic__open(FAR_DEV, &nic))
		die("no interface");
	failed = attached__context(&ctx, nic, "seg_live", "tcp dport 9000-9001", &opts);
	if (failed || spin_ctx__symbol(ctx, "spin_state", (void **)&state, &bytes) || bytes != sizeof(*state))
		die(failed ? failed : "the state of seg_live");
	netns_enter(link_.near_ns);
	for (unsigned i = 0; i < sizeof(families) / sizeof(*families); i++) {
		family = &families[i];
		established();
		closing();
		time_wait(SPIN_TCP_SYN, 0, 1);
		time_wait(0, 100, 0);
		no_socket(NO_PORT);
		no_socket(PORT);
		printf("%s, %s: %u connections begun\n", class_name, family->name, state->begun);
	}
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	static struct seg_live none;
	uint8_t far_mac[6];
	cpu_set_t one;

	state = &none;
	class_name = "link";
	family = &families[0];
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("no CPU");
	pair__open(&link_);
	netns_enter(link_.far_ns);
	injector__address(FAR_DEV, far_mac);
	netns_enter(link_.near_ns);
	injector__open(&near_end, NEAR_DEV, far_mac);
	listen_on_all();
	run(SPIN_CLASS_TRUSTED);
	run(SPIN_CLASS_ISOLATED);
	close(listener);
	injector__close(&near_end);
	pair__close(&link_);
	return 0;
}
