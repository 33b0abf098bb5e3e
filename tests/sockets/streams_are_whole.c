/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers on sockets of TCP, by spind, of a user without privileges (tests/handlers/streams/lines.c). Whatever cuts a stream, the handlers
 * see its bytes in order and once, begin and end once, and the application reads what they made of them. Nothing is lost when handlers
 * come or go in the midst of a connection.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/asks.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define CONNECTIONS_MAX 1024 /* SPIN_CONNECTIONS_MAX */
#define PORT            7117

struct connection {
	uint32_t begun, ended, bytes, hash, inside_line, drops, dropped_bytes, length;
};

struct lines {
	uint32_t verdict, datagrams, begun, ended;
	struct connection connection[CONNECTIONS_MAX];
};

static struct asks_hosts hosts;
static struct spind spind;
static struct spin_object *object, *endless;
static uint64_t seed = 17;
static int to_parent; /* a byte: kill the processes that have contexts */

/* --- a reference --- */

struct expected {
	uint32_t hash;
	int inside_line;
};

static void expect(struct expected *e, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		e->hash = (e->hash ^ bytes[i]) * 0x01000193;
		if (!e->inside_line && bytes[i] >= 'a' && bytes[i] <= 'z')
			bytes[i] -= 32;
		e->inside_line = bytes[i] != '\n';
	}
}

static void fill(uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = random_next(&seed) % 9 ? (uint8_t)('a' + random_next(&seed) % 26) : '\n';
}

/* --- sockets --- */

/* Of the client's namespace, made while this process may enter it. */
#define CLIENTS 1300
static int clients[2][CLIENTS];
static unsigned clients_used[2];
static int udp_client;

static void make_clients(void)
{
	const struct rlimit limit = { 8192, 8192 };

	setrlimit(RLIMIT_NOFILE, &limit);
	netns_enter(hosts.client_ns);
	for (int is6 = 0; is6 < 2; is6++)
		for (unsigned i = 0; i < (is6 ? 8 : CLIENTS); i++)
			clients[is6][i] = socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	udp_client = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netns_enter(hosts.server_ns);
}

static int open_socket(int ns, const char *address)
{
	const int is6 = strchr(address, ':') != NULL;
	int fd =
		ns == hosts.client_ns ? clients[is6][clients_used[is6]++] : socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("no socket: %s", strerror(errno));
	return fd;
}

static int open_listener(const char *address)
{
	const int one = 1;
	int fd = open_socket(hosts.server_ns, address);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	asks__bind(fd, address, PORT);
	if (listen(fd, 128))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

static int open_client(int ns, const char *address)
{
	const int one = 1;
	union asks_address to;
	int fd = open_socket(ns, address);
	socklen_t bytes = asks__address(address, PORT, &to);

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, &to.any, bytes))
		die("cannot connect to %s: %s", address, strerror(errno));
	return fd;
}

static int open_server(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		die("cannot accept: %s", strerror(errno));
	return fd;
}

static void send_all(int fd, const void *bytes, size_t count)
{
	if (send(fd, bytes, count, MSG_NOSIGNAL) != (ssize_t)count)
		die("cannot send: %s", strerror(errno));
}

/* Reads until `count` bytes are there, the stream ends, or nothing comes for a while. */
static size_t read_all(int fd, uint8_t *to, size_t count, int wait_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	size_t got = 0;

	while (got < count && poll(&wait, 1, wait_ms) > 0) {
		ssize_t n = recv(fd, to + got, count - got, MSG_DONTWAIT);

		if (n <= 0 && !(n < 0 && errno == EAGAIN))
			break;
		got += n > 0 ? (size_t)n : 0;
	}
	return got;
}

/* --- the context --- */

static struct spin_ctx *attach(int fd, uint32_t share)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .share = share };
	struct spin_ctx *ctx;

	if (spin_socket__attach(fd, object, &opts, &ctx))
		die("%s", spin_strerror_last());
	return ctx;
}

static struct lines *state_of(struct spin_ctx *ctx)
{
	void *addr;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", &addr, &bytes) || bytes != sizeof(struct lines))
		die("no state: %s", spin_strerror_last());
	return addr;
}

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/* Waits, as completion handlers run beside the connection. */
static void wait_for(const char *what, const uint32_t *at, uint32_t value)
{
	for (int i = 0; load(at) != value; i++) {
		if (i == 4000)
			die("%s: %u, and not %u", what, load(at), value);
		usleep(1000);
	}
}

/* The connection that was handled, if there was one alone. */
static const struct connection *only_one(const struct lines *l)
{
	const struct connection *found = NULL;

	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (load(&l->connection[i].begun)) {
			if (found)
				die("there are two connections");
			found = &l->connection[i];
		}
	if (!found)
		die("no connection had handlers");
	return found;
}

/* --- a stream, cut at random --- */

#define STREAM_BYTES 300000

static void pass_stream(const char *what, int client, int server, const struct connection *(*find)(const struct lines *), struct lines *l)
{
	static uint8_t sent[STREAM_BYTES], expected[STREAM_BYTES], got[STREAM_BYTES + 1];
	struct expected e = { .hash = 0x811c9dc5 };
	size_t at = 0, have = 0;

	fill(sent, sizeof(sent));
	memcpy(expected, sent, sizeof(sent));
	expect(&e, expected, sizeof(expected));
	while (at < sizeof(sent)) {
		size_t n = 1 + random_next(&seed) % (random_next(&seed) % 4 ? 100 : 60000);

		n = n < sizeof(sent) - at ? n : sizeof(sent) - at;
		send_all(client, sent + at, n);
		at += n;
		if (random_next(&seed) % 2)
			have += read_all(server, got + have, sizeof(got) - have, 0);
	}
	shutdown(client, SHUT_WR);
	have += read_all(server, got + have, sizeof(got) - have, 2000);
	if (have != sizeof(sent) || memcmp(got, expected, sizeof(expected)))
		die("%s: %zu bytes are read, not as the handler made them", what, have);
	if (find) {
		const struct connection *c = find(l);

		wait_for(what, &c->ended, 1);
		if (c->begun != 1 || c->bytes != sizeof(sent) || c->length != sizeof(sent) || c->hash != e.hash || c->dropped_bytes)
			die("%s: begun %u, %u bytes, length %u, hash %x (%x), dropped %u", what, c->begun, c->bytes, c->length, c->hash,
			    e.hash, c->dropped_bytes);
	}
}

static const struct address {
	const char *name, *listens, *connects;
	int from_server;
} addresses[] = {
	{ "IPv4", "10.9.0.1", "10.9.0.1" },
	{ "any address of IPv4", "0.0.0.0", "10.9.0.1" },
	{ "IPv6", "fd09::1", "fd09::1" },
	{ "any address, IPv4", "::", "10.9.0.1" },
	{ "any address, IPv6", "::", "fd09::1" },
	{ "lo", "127.0.0.1", "127.0.0.1", .from_server = 1 },
	{ "lo, IPv6", "::1", "::1", .from_server = 1 },
};

static void check_address(const struct address *a)
{
	int listener = open_listener(a->listens), client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	struct lines *l = state_of(ctx);

	client = open_client(a->from_server ? hosts.server_ns : hosts.client_ns, a->connects);
	server = open_server(listener);
	pass_stream(a->name, client, server, only_one, l);
	close(client);
	close(server);
	close(listener);
	spin_ctx__destroy(ctx);
}

/* On a socket that is connected already; without a listening one. */
static void check_connected(void)
{
	int listener = open_listener("10.9.0.1"), client = open_client(hosts.client_ns, "10.9.0.1"), server = open_server(listener);
	struct spin_ctx *ctx;
	struct lines *l;

	close(listener);
	ctx = attach(server, 0);
	l = state_of(ctx);
	pass_stream("a connected socket", client, server, NULL, l);
	if (only_one(l)->bytes != STREAM_BYTES)
		die("a connected socket: %u bytes", only_one(l)->bytes);
	close(client);
	close(server);
	for (int i = 0; spin_ctx__alive(ctx) >= 0; i++) {
		if (i == 300)
			die("the context outlives its connection");
		usleep(10000);
	}
	wait_for("a connected socket ends", &only_one(l)->ended, 1);
	spin_ctx__destroy(ctx);
}

/* What was there before handlers were is not theirs; what comes after they have gone neither, and no byte is lost. */
static void check_before_and_after(void)
{
	int listener = open_listener("10.9.0.1"), early = open_client(hosts.client_ns, "10.9.0.1"), early_server = open_server(listener);
	int client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	struct lines *l = state_of(ctx);
	uint8_t got[64];

	send_all(early, "early\n", 6);
	if (read_all(early_server, got, 6, 2000) != 6 || memcmp(got, "early\n", 6) || load(&l->begun))
		die("a connection from before has handlers");
	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, "one\n", 4);
	wait_for("before the handlers go", &only_one(l)->bytes, 4);
	if (spin_ctx__detach(ctx))
		die("cannot detach: %s", spin_strerror_last());
	send_all(client, "two\n", 4);
	if (read_all(server, got, 8, 2000) != 8 || memcmp(got, "One\ntwo\n", 8))
		die("bytes are lost when handlers go: %.8s", (const char *)got);
	wait_for("a detached connection ends", &only_one(l)->ended, 1);
	if (spin_ctx__attach(ctx))
		die("cannot attach again: %s", spin_strerror_last());
	send_all(client, "three\n", 6);
	if (read_all(server, got, 6, 2000) != 6 || memcmp(got, "three\n", 6))
		die("a connection from before has handlers again");
	close(client);
	close(server);
	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, "four\n", 5);
	if (read_all(server, got, 5, 2000) != 5 || memcmp(got, "Four\n", 5))
		die("a connection has no handlers after they were attached again");
	spin_ctx__destroy(ctx);
	close(client);
	close(server);
	close(early);
	close(early_server);
	close(listener);
}

/* The process that has the programs is killed: what it let through is read, and the rest comes as it is. */
static void check_killed(void)
{
	int listener = open_listener("10.9.0.1"), client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	struct lines *l = state_of(ctx);
	uint8_t got[64];

	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, "one\n", 4);
	wait_for("before spind is killed", &only_one(l)->bytes, 4);
	spin_ctx__destroy(ctx);
	ctx = attach(listener, 0);
	close(client);
	close(server);
	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, "two\n", 4);
	wait_for("before spind is killed", &only_one(state_of(ctx))->bytes, 4);
	if (write(to_parent, "k", 1) != 1) /* the parent kills it: this process is nobody's */
		die("no pipe");
	for (int i = 0; spin_ctx__alive(ctx) >= 0; i++) {
		if (i == 300)
			die("the process of the context is not killed");
		usleep(10000);
	}
	usleep(100000);
	send_all(client, "three\n", 6);
	if (read_all(server, got, 10, 2000) != 10 || memcmp(got, "Two\nthree\n", 10))
		die("bytes are lost when the context's process is killed");
	spin_ctx__destroy(ctx);
	close(client);
	close(server);
	close(listener);
}

/* Verdicts of the header handler, and errors: S proceeds, D drops, F fails; '!' drops from the payload handler. */
static void check_verdict(char verdict, const char *sends, const char *reads, uint32_t dropped)
{
	int listener = open_listener("10.9.0.1"), client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	struct lines *l = state_of(ctx);
	size_t want = strlen(reads);
	uint8_t got[64];

	l->verdict = (uint32_t)verdict;
	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, sends, strlen(sends));
	usleep(20000);
	send_all(client, sends, strlen(sends));
	shutdown(client, SHUT_WR);
	if (read_all(server, got, sizeof(got), 2000) != want || memcmp(got, reads, want))
		die("verdict %c: not '%s' is read", verdict, reads);
	if (recv(server, got, 1, 0))
		die("verdict %c: the stream does not end", verdict);
	if (verdict == 'S') /* no further handlers */
		usleep(50000);
	else
		wait_for("a connection with a verdict ends", &only_one(l)->ended, 1);
	if (only_one(l)->ended != (verdict != 'S') || only_one(l)->dropped_bytes != dropped)
		die("verdict %c: ended %u, dropped %u", verdict, only_one(l)->ended, only_one(l)->dropped_bytes);
	send_all(server, "half", 4); /* the other direction goes on */
	if (read_all(client, got, 4, 2000) != 4)
		die("verdict %c: the other direction is broken", verdict);
	spin_ctx__destroy(ctx);
	close(client);
	close(server);
	close(listener);
}

static void check_reset(void)
{
	const struct linger hard = { .l_onoff = 1 };
	int listener = open_listener("10.9.0.1"), client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	struct lines *l = state_of(ctx);

	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, "some\n", 5);
	wait_for("before a reset", &only_one(l)->bytes, 5);
	setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(client);
	wait_for("a connection that is reset ends", &only_one(l)->ended, 1);
	if (only_one(l)->length != 5)
		die("a reset: length %u", only_one(l)->length);
	spin_ctx__destroy(ctx);
	close(server);
	close(listener);
}

/* The window closes as nobody reads; all is there when somebody does. */
static void check_not_read(void)
{
	static uint8_t sent[8 << 20], got[8 << 20];
	int listener = open_listener("10.9.0.1"), client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	struct expected e = { .hash = 0x811c9dc5 };
	size_t at = 0, have = 0;

	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	fill(sent, sizeof(sent));
	fcntl(client, F_SETFL, O_NONBLOCK);
	for (int idle = 0; at < sizeof(sent) && (have < at || idle < 50);) {
		ssize_t n = send(client, sent + at, sizeof(sent) - at, MSG_NOSIGNAL);

		at += n > 0 ? (size_t)n : 0;
		idle = n > 0 ? 0 : idle + 1;
		if (n <= 0)
			usleep(10000);
		if (idle >= 30)
			have += read_all(server, got + have, sizeof(got) - have, 0);
	}
	shutdown(client, SHUT_WR);
	have += read_all(server, got + have, sizeof(got) - have, 2000);
	expect(&e, sent, at);
	if (have != at || memcmp(got, sent, at))
		die("a slow reader: %zu of %zu bytes", have, at);
	wait_for("a slow reader's connection ends", &only_one(state_of(ctx))->ended, 1);
	spin_ctx__destroy(ctx);
	close(client);
	close(server);
	close(listener);
}

/* More connections than handlers can have: the others are as without them. Numbers are given again. */
static void check_many(void)
{
	int listener = open_listener("10.9.0.1"), (*pair)[2] = calloc(1200, sizeof(*pair));
	struct spin_ctx *ctx = attach(listener, 0);
	struct lines *l = state_of(ctx);
	unsigned capital = 0;
	char got[4];

	for (unsigned i = 0; i < 1200; i++) {
		pair[i][0] = open_client(hosts.client_ns, "10.9.0.1");
		pair[i][1] = open_server(listener);
		send_all(pair[i][0], "abc", 3);
		if (read_all(pair[i][1], (uint8_t *)got, 3, 2000) != 3 || memcmp(got + 1, "bc", 2))
			die("connection %u does not work", i);
		capital += got[0] == 'A';
	}
	if (capital != load(&l->begun) || capital > CONNECTIONS_MAX || capital < CONNECTIONS_MAX / 2)
		die("%u of 1200 connections had handlers, %u began", capital, load(&l->begun));
	for (unsigned i = 0; i < 1200; i++) {
		close(pair[i][0]);
		close(pair[i][1]);
	}
	wait_for("many connections end", &l->ended, capital);
	for (unsigned i = 0; i < 50; i++) {
		pair[i][0] = open_client(hosts.client_ns, "10.9.0.1");
		pair[i][1] = open_server(listener);
		send_all(pair[i][0], "abc", 3);
		if (read_all(pair[i][1], (uint8_t *)got, 3, 2000) != 3 || got[0] != 'A')
			die("no handlers after many connections");
		close(pair[i][0]);
		close(pair[i][1]);
	}
	free(pair);
	spin_ctx__destroy(ctx);
	close(listener);
}

/* Connections of a listening socket without handlers on another address of the same port are not theirs. */
static void check_other_listener(void)
{
	int listener = open_listener("10.9.0.1"), other = open_listener("127.0.0.1"), client, server;
	struct spin_ctx *ctx = attach(listener, 0);
	uint8_t got[8];

	client = open_client(hosts.server_ns, "127.0.0.1");
	server = open_server(other);
	send_all(client, "mine\n", 5);
	if (read_all(server, got, 5, 2000) != 5 || memcmp(got, "mine\n", 5))
		die("another socket's connection has handlers");
	spin_ctx__destroy(ctx);
	close(client);
	close(server);
	close(other);
	close(listener);
}

/* A server's two sockets, one state. */
static void check_shared(void)
{
	int listener = open_listener("10.9.0.1"), udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), client, server;
	struct spin_ctx *ctx = attach(listener, 0), *of_udp;
	struct lines *l = state_of(ctx);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = inet_addr("10.9.0.1") };
	asks__bind(udp, "10.9.0.1", PORT);
	of_udp = attach(udp, spin_socket__id(ctx));
	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	send_all(client, "a", 1);
	for (int i = 0; i < 20 && !load(&l->datagrams); i++) {
		sendto(udp_client, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
		usleep(50000);
	}
	wait_for("a connection of a shared state", &l->begun, 1);
	if (!load(&l->datagrams) || state_of(of_udp)->begun != 1)
		die("two contexts do not share a state");
	spin_ctx__destroy(ctx);
	if (!load(&state_of(of_udp)->datagrams))
		die("the state ends with the first context");
	spin_ctx__destroy(of_udp);
	close(client);
	close(server);
	close(udp);
	close(listener);
}

/* A handler that is ended by the work limit drops its piece, as often as it likes, and loses no HPU. */
static void check_ended(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	int listener = open_listener("10.9.0.1"), client, server;
	struct spin_ctx *ctx;
	uint8_t got[4];

	if (spin_socket__attach(listener, endless, &opts, &ctx))
		die("%s", spin_strerror_last());
	client = open_client(hosts.client_ns, "10.9.0.1");
	server = open_server(listener);
	for (int i = 0; i < 40; i++) {
		send_all(client, i % 2 ? "abc" : "xyz", 3);
		if (i % 2 && (read_all(server, got, 3, 2000) != 3 || memcmp(got, "abc", 3)))
			die("after handlers were ended %d times nothing is read", i / 2);
		usleep(i % 2 ? 0 : 100000);
	}
	spin_ctx__destroy(ctx);
	close(client);
	close(server);
	close(listener);
}

/* What is no such socket is refused. */
static void check_refused(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	int listener = open_listener("10.9.0.1"), plain = open_socket(hosts.server_ns, "10.9.0.1");
	struct spin_ctx *ctx = attach(listener, 0), *second;

	if (spin_socket__attach(plain, object, &opts, &second) != -ENOTCONN)
		die("a socket that does not listen is not refused: %s", spin_strerror_last());
	if (spin_socket__attach(listener, object, &opts, &second) != -EEXIST)
		die("a second context of a socket is not refused: %s", spin_strerror_last());
	opts.share = 1; /* a number of nobody's */
	if (spin_socket__attach(listener, object, &opts, &second) != -ENOENT)
		die("a state that is not there is shared: %s", spin_strerror_last());
	if (spin_socket__swap(spin_socket__id(ctx), object, spind.socket) != -EOPNOTSUPP)
		die("handlers of a stream are replaced: %s", spin_strerror_last());
	spin_ctx__destroy(ctx);
	close(plain);
	close(listener);
}

static int run_all(void)
{
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = {
		{ "a connected socket", check_connected },
		{ "before and after", check_before_and_after },
		{ "reset", check_reset },
		{ "nobody reads", check_not_read },
		{ "many connections", check_many },
		{ "another listening socket", check_other_listener },
		{ "a state that is shared", check_shared },
		{ "refused", check_refused },
		{ "handlers are ended", check_ended },
		{ "the context's process is killed", check_killed },
	};

	make_clients();
	spind__drop_privileges();
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		check_address(&addresses[i]);
		printf("ok: %s\n", addresses[i].name);
	}
	check_verdict(0, "abc\n", "Abc\nAbc\n", 0);
	check_verdict('S', "abc\n", "abc\nabc\n", 0);
	check_verdict('D', "abc\n", "", 8);
	check_verdict('F', "abc\n", "", 8);
	check_verdict(0, "!abc\n", "", 10);
	printf("ok: verdicts\n");
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		checks[i].check();
		printf("ok: %s\n", checks[i].name);
	}
	return 0;
}

int main(void)
{
	int status = 1, ends[2];
	char path[512], byte;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	asks__hosts(&hosts);
	spind__start(&spind, "");
	if (built_object("lines", path, sizeof(path)) || spin_object__open(path, &object))
		die("%s", spin_strerror_last());
	if (built_object("endless", path, sizeof(path)) || spin_object__open(path, &endless))
		die("%s", spin_strerror_last());
	if (pipe2(ends, O_CLOEXEC))
		die("no pipe");
	to_parent = ends[1];
	child = fork();
	if (!child)
		exit(run_all());
	close(ends[1]);
	while (read(ends[0], &byte, 1) == 1)
		spind__kill_holders(&spind);
	waitpid(child, &status, 0);
	spind__finish(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
