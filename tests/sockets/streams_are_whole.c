/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers that a user without privileges attaches to TCP sockets, by spind (tests/handlers/streams/lines.c). However a stream is cut
 * into segments, the handlers must see its bytes in order and once, must begin and end once, and the application must read what they made
 * of them. Nothing may be lost when handlers are attached or detached during a connection. Run by tests/run.
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
#include "tests/common/net/lines.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define PORT             7117
#define CONNECTIONS_EACH 200 /* connections per socket, of two sockets that share a state */

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *lines, *endless;
static uint64_t seed = 17;
static int to_parent; /* a byte written to it: kill the processes that have contexts */

/* --- sockets --- */

/* Sockets in the client's namespace, made while this process may still enter it. */
#define CLIENTS 2500
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
	int fd;

	if (ns == hosts.client_ns && clients_used[is6] == (is6 ? 8 : CLIENTS))
		die("no client is left");
	fd = ns == hosts.client_ns ? clients[is6][clients_used[is6]++] : socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("no socket: %s", strerror(errno));
	return fd;
}

static int open_listener(const char *address)
{
	const int one = 1;
	int fd = open_socket(hosts.server_ns, address);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	udp_hosts__bind(fd, address, PORT);
	if (listen(fd, 128))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

static int open_client(int ns, const char *address)
{
	const int one = 1;
	union asks_address to;
	int fd = open_socket(ns, address);
	socklen_t bytes = udp_hosts__address(address, PORT, &to);

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

/* Reads until `count` bytes have arrived, the stream ends, or nothing arrives for a while. */
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

/* --- a context on a listening socket, and a connection to it --- */

struct pair {
	int listener, client, server;
	struct spin_ctx *ctx;
	struct lines *lines;
};

static struct spin_ctx *attach(int fd, const struct spin_object *obj, uint32_t share)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .share = share };
	struct spin_ctx *ctx;

	if (spin_socket__attach(fd, obj, &opts, &ctx))
		die("%s", spin_strerror_last());
	return ctx;
}

static void listen_at(struct pair *p, const char *address)
{
	p->listener = open_listener(address);
	p->ctx = attach(p->listener, lines, 0);
	p->lines = lines__state(p->ctx);
	p->client = p->server = -1;
}

static void connect_from(struct pair *p, int ns, const char *address)
{
	p->client = open_client(ns, address);
	p->server = open_server(p->listener);
}

static void open_pair(struct pair *p)
{
	listen_at(p, "10.9.0.1");
	connect_from(p, hosts.client_ns, "10.9.0.1");
}

static void close_connection(const struct pair *p)
{
	close(p->client);
	close(p->server);
}

static void close_pair(struct pair *p)
{
	spin_ctx__destroy(p->ctx);
	close_connection(p);
	close(p->listener);
}

/* Sends one text; the application must read the other. */
static void check_read(const char *what, const struct pair *p, const char *sends, const char *reads)
{
	uint8_t got[64];
	const size_t bytes = strlen(reads);

	send_all(p->client, sends, strlen(sends));
	if (read_all(p->server, got, bytes, 2000) != bytes || memcmp(got, reads, bytes))
		die("%s: not '%s' is read", what, reads);
}

static unsigned port_of(int fd)
{
	union asks_address own = { 0 };
	socklen_t bytes = sizeof(own);

	getsockname(fd, &own.any, &bytes);
	return ntohs(own.any.sa_family == AF_INET6 ? own.ip6.sin6_port : own.ip4.sin_port);
}

/* --- a stream, cut at random positions --- */

#define STREAM_BYTES 300000

static void pass_stream(const char *what, const struct pair *p)
{
	static uint8_t sent[STREAM_BYTES], expected[STREAM_BYTES], got[STREAM_BYTES + 1];
	const struct lines_connection *c;
	size_t at = 0, have = 0;
	uint32_t hash;

	lines__fill(&seed, sent, sizeof(sent));
	memcpy(expected, sent, sizeof(sent));
	hash = lines__transform(expected, sizeof(expected));
	while (at < sizeof(sent)) {
		size_t n = 1 + random_next(&seed) % (random_next(&seed) % 4 ? 100 : 60000);

		n = n < sizeof(sent) - at ? n : sizeof(sent) - at;
		send_all(p->client, sent + at, n);
		at += n;
		if (random_next(&seed) % 2)
			have += read_all(p->server, got + have, sizeof(got) - have, 0);
	}
	shutdown(p->client, SHUT_WR);
	have += read_all(p->server, got + have, sizeof(got) - have, 2000);
	if (have != sizeof(sent) || memcmp(got, expected, sizeof(expected)))
		die("%s: %zu bytes are read, not as the handler made them", what, have);
	c = lines__only_one(p->lines);
	if (c->begun != 1 || c->bytes != sizeof(sent) || c->hash != hash || c->port != port_of(p->client))
		die("%s: begun %u, %u bytes, hash %x (%x), port %u", what, c->begun, c->bytes, c->hash, hash, c->port);
}

static void check_end(const char *what, const struct pair *p)
{
	const struct lines_connection *c = lines__only_one(p->lines);

	lines__wait_for(what, &c->ended, 1);
	if (c->length != STREAM_BYTES || c->dropped_bytes || c->end_port != c->port)
		die("%s: length %u, dropped %u, port %u", what, c->length, c->dropped_bytes, c->end_port);
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
	struct pair p;

	listen_at(&p, a->listens);
	connect_from(&p, a->from_server ? hosts.server_ns : hosts.client_ns, a->connects);
	pass_stream(a->name, &p);
	check_end(a->name, &p);
	close_pair(&p);
}

/* Handlers on a connected socket, without a listening one. They end when the socket is closed, because no FIN is reported to them. */
static void check_connected(void)
{
	struct pair p = { .listener = open_listener("10.9.0.1") };

	connect_from(&p, hosts.client_ns, "10.9.0.1");
	close(p.listener);
	p.listener = -1;
	p.ctx = attach(p.server, lines, 0);
	p.lines = lines__state(p.ctx);
	pass_stream("a connected socket", &p);
	close_connection(&p);
	for (int i = 0; spin_ctx__alive(p.ctx) >= 0; i++) {
		if (i == 300)
			die("the context outlives its connection");
		usleep(10000);
	}
	lines__wait_for("a connected socket ends", &lines__only_one(p.lines)->ended, 1);
	spin_ctx__destroy(p.ctx);
}

/*
 * Connections from before the handlers were attached are not theirs. After a detach their connections continue without them, and no byte is
 * lost.
 */
static void check_before_and_after(void)
{
	struct pair early = { .listener = open_listener("10.9.0.1") }, p;

	connect_from(&early, hosts.client_ns, "10.9.0.1");
	p = early;
	p.ctx = attach(p.listener, lines, 0);
	p.lines = lines__state(p.ctx);
	check_read("a connection from before", &early, "early\n", "early\n");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	send_all(p.client, "one\n", 4);
	lines__wait_for("before the handlers go", &lines__only_one(p.lines)->bytes, 4);
	if (spin_ctx__detach(p.ctx))
		die("cannot detach: %s", spin_strerror_last());
	check_read("handlers go", &p, "two\n", "One\ntwo\n");
	lines__wait_for("a detached connection ends", &lines__only_one(p.lines)->ended, 1);
	if (spin_ctx__attach(p.ctx))
		die("cannot attach again: %s", spin_strerror_last());
	check_read("a connection from before the second time", &p, "three\n", "three\n");
	close_connection(&p);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	check_read("attached again", &p, "four\n", "Four\n");
	close_connection(&early);
	close_pair(&p);
}

/* The process that has the programs is killed: what they let through is read, and the rest arrives unchanged. */
static void check_killed(void)
{
	struct pair p;

	open_pair(&p);
	send_all(p.client, "two\n", 4);
	lines__wait_for("before spind is killed", &lines__only_one(p.lines)->bytes, 4);
	if (write(to_parent, "k", 1) != 1) /* the parent kills it: this process runs as nobody */
		die("no pipe");
	for (int i = 0; spin_ctx__alive(p.ctx) >= 0; i++) {
		if (i == 300)
			die("the process of the context is not killed");
		usleep(10000);
	}
	usleep(100000);
	check_read("the context's process is killed", &p, "three\n", "Two\nthree\n");
	close_pair(&p);
}

/* Verdicts of the header handler, and errors: S proceeds, D drops, F fails, R replies; '!' drops from the payload handler. */
static void check_verdict(char verdict, const char *sends, const char *reads, uint32_t dropped)
{
	const size_t want = strlen(reads);
	const struct lines_connection *c;
	uint8_t got[64];
	struct pair p;

	listen_at(&p, "10.9.0.1");
	p.lines->verdict = (uint32_t)verdict;
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	send_all(p.client, sends, strlen(sends));
	usleep(20000);
	send_all(p.client, sends, strlen(sends));
	shutdown(p.client, SHUT_WR);
	if (read_all(p.server, got, sizeof(got), 2000) != want || memcmp(got, reads, want))
		die("verdict %c: not '%s' is read", verdict, reads);
	if (recv(p.server, got, 1, 0))
		die("verdict %c: the stream does not end", verdict);
	c = lines__only_one(p.lines);
	if (verdict == 'S') /* no further handlers run */
		usleep(50000);
	else
		lines__wait_for("a connection with a verdict ends", &c->ended, 1);
	if (c->ended != (verdict != 'S') || c->dropped_bytes != dropped)
		die("verdict %c: ended %u, dropped %u", verdict, c->ended, c->dropped_bytes);
	send_all(p.server, "half", 4); /* the other direction continues */
	if (read_all(p.client, got, 4, 2000) != 4)
		die("verdict %c: the other direction is broken", verdict);
	close_pair(&p);
}

static void check_reset(void)
{
	const struct linger hard = { .l_onoff = 1 };
	struct pair p;

	open_pair(&p);
	send_all(p.client, "some\n", 5);
	lines__wait_for("before a reset", &lines__only_one(p.lines)->bytes, 5);
	setsockopt(p.client, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(p.client);
	lines__wait_for("a connection that is reset ends", &lines__only_one(p.lines)->ended, 1);
	if (lines__only_one(p.lines)->length != 5)
		die("a reset: length %u", lines__only_one(p.lines)->length);
	p.client = -1;
	close_pair(&p);
}

/* The window closes because the application does not read; everything must be there when it does. */
static void check_not_read(void)
{
	static uint8_t sent[8 << 20], got[8 << 20];
	size_t at = 0, have = 0;
	struct pair p;

	open_pair(&p);
	lines__fill(&seed, sent, sizeof(sent));
	fcntl(p.client, F_SETFL, O_NONBLOCK);
	for (int idle = 0; at < sizeof(sent) && (have < at || idle < 50);) {
		ssize_t n = send(p.client, sent + at, sizeof(sent) - at, MSG_NOSIGNAL);

		at += n > 0 ? (size_t)n : 0;
		idle = n > 0 ? 0 : idle + 1;
		if (n <= 0)
			usleep(10000);
		if (idle >= 30)
			have += read_all(p.server, got + have, sizeof(got) - have, 0);
	}
	shutdown(p.client, SHUT_WR);
	have += read_all(p.server, got + have, sizeof(got) - have, 2000);
	lines__transform(sent, at);
	if (have != at || memcmp(got, sent, at))
		die("a slow reader: %zu of %zu bytes", have, at);
	lines__wait_for("a slow reader's connection ends", &lines__only_one(p.lines)->ended, 1);
	close_pair(&p);
}

/* More connections than handlers can have: the others must work as without handlers. Connection numbers are reused. */
static void check_many(void)
{
	struct pair p, *many = calloc(1200, sizeof(*many));
	unsigned capital = 0;
	char got[4];

	if (!many)
		die("no memory");
	listen_at(&p, "10.9.0.1");
	for (unsigned i = 0; i < 1200; i++) {
		many[i] = p;
		connect_from(&many[i], hosts.client_ns, "10.9.0.1");
		send_all(many[i].client, "abc", 3);
		if (read_all(many[i].server, (uint8_t *)got, 3, 2000) != 3 || memcmp(got + 1, "bc", 2))
			die("connection %u does not work", i);
		capital += got[0] == 'A';
	}
	if (capital != lines__load(&p.lines->begun) || capital > LINES_CONNECTIONS || capital < LINES_CONNECTIONS / 2)
		die("%u of 1200 connections had handlers, %u began", capital, lines__load(&p.lines->begun));
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t before = lines__load(&p.lines->missed);

		check_read("the first of many connections", &many[0], "\nd", "\nD");
		if (lines__load(&p.lines->missed) <= before)
			die("spin_connections_missed() does not grow while connections have no handlers");
	}
	for (unsigned i = 0; i < 1200; i++)
		close_connection(&many[i]);
	free(many);
	lines__wait_for("many connections end", &p.lines->ended, capital);
	/* connections without handlers end asynchronously, and each that ends is counted */
	for (unsigned i = 0, steady = 0; steady < 50; i++) {
		const uint32_t before = lines__load(&p.lines->missed);

		connect_from(&p, hosts.client_ns, "10.9.0.1");
		check_read("after many connections", &p, "abc", "Abc");
		close_connection(&p);
		steady = lines__load(&p.lines->missed) == before ? steady + 1 : 0;
		usleep(steady ? 0 : 5000);
		if (i == 1000)
			die("spin_connections_missed() grows, and all connections have handlers");
	}
	p.client = p.server = -1;
	close_pair(&p);
}

/* A listening socket without handlers, on another address with the same port: its connections have no handlers. */
static void check_other_listener(void)
{
	struct pair p, other = { .listener = open_listener("127.0.0.1") };

	listen_at(&p, "10.9.0.1");
	connect_from(&other, hosts.server_ns, "127.0.0.1");
	check_read("another socket's connection", &other, "mine\n", "mine\n");
	close_connection(&other);
	close(other.listener);
	close_pair(&p);
}

/* Many connections of two sockets with one state: so many that two separate allocators would assign the same numbers. */
static void check_numbers(const struct pair *a, const struct pair *b, const struct lines *shared)
{
	const uint32_t before = lines__load(&shared->begun);
	struct pair *many = calloc(2 * CONNECTIONS_EACH, sizeof(*many));

	if (!many)
		die("no memory");
	for (unsigned i = 0; i < 2 * CONNECTIONS_EACH; i++) {
		many[i] = i < CONNECTIONS_EACH ? *a : *b;
		connect_from(&many[i], hosts.server_ns, i < CONNECTIONS_EACH ? "10.9.0.1" : "127.0.0.1");
		check_read("one of many connections of a shared state", &many[i], "c", "C");
	}
	if (lines__load(&shared->begun) != before + 2 * CONNECTIONS_EACH)
		die("%u of %u connections had handlers", lines__load(&shared->begun) - before, 2 * CONNECTIONS_EACH);
	for (unsigned i = 0; i < LINES_CONNECTIONS; i++)
		if (lines__load(&shared->connection[i].begun) - lines__load(&shared->connection[i].ended) > 1)
			die("two open connections of a shared state have number %u", i);
	for (unsigned i = 0; i < 2 * CONNECTIONS_EACH; i++)
		close_connection(&many[i]);
	free(many);
}

/* A state whose TCP sockets have been detached: for its other handlers spin_connections_missed() grows with each call. */
static void check_told_of_detaching(const struct sockaddr_in *to, const struct lines *shared)
{
	for (int i = 0; i < 3; i++) {
		const uint32_t missed = lines__load(&shared->missed), datagrams = lines__load(&shared->datagrams);

		sendto(udp_client, "x", 1, 0, (const struct sockaddr *)to, sizeof(*to));
		lines__wait_for("a datagram of a shared state", &shared->datagrams, datagrams + 1);
		if (lines__load(&shared->missed) <= missed)
			die("spin_connections_missed() does not grow after a context of the state was detached");
	}
}

/* A server with three sockets and one state. */
static void check_shared(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = inet_addr("10.9.0.1") };
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct spin_ctx *of_udp;
	struct lines *shared;
	struct pair p, second = { .listener = open_listener("127.0.0.1") };

	listen_at(&p, "10.9.0.1");
	udp_hosts__bind(udp, "10.9.0.1", PORT);
	of_udp = attach(udp, lines, spin_socket__id(p.ctx));
	shared = lines__state(of_udp);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	send_all(p.client, "a", 1);
	for (int i = 0; i < 20 && !lines__load(&p.lines->datagrams); i++) {
		sendto(udp_client, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
		usleep(50000);
	}
	lines__wait_for("a connection of a shared state", &shared->begun, 1);
	if (!lines__load(&p.lines->datagrams))
		die("two contexts do not share a state");
	second.ctx = attach(second.listener, lines, spin_socket__id(of_udp));
	connect_from(&second, hosts.server_ns, "127.0.0.1");
	check_read("a second listening socket of a shared state", &second, "b", "B");
	if (lines__load(&shared->begun) != 2)
		die("two listening sockets do not share a state");
	check_numbers(&p, &second, shared);
	close_pair(&second);
	close_pair(&p);
	if (!lines__load(&shared->datagrams))
		die("the state ends with the first context");
	check_told_of_detaching(&to, shared);
	spin_ctx__destroy(of_udp);
	close(udp);
}

/* A handler that exceeds the work limit drops its piece each time, and no HPU is lost. */
static void check_ended(void)
{
	struct pair p = { .listener = open_listener("10.9.0.1") };

	p.ctx = attach(p.listener, endless, 0);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	for (int i = 0; i < 20; i++) {
		send_all(p.client, "xyz", 3);
		usleep(100000);
		check_read("after handlers were ended", &p, "abc", "abc");
	}
	close_pair(&p);
}

/* Same layout as in tests/handlers/streams/endless.c. */
struct endless {
	uint32_t rounds, pieces, headers, loop_in_header;
};

/* A header handler that exceeds the work limit has failed: it does not run again, and nothing of the connection is read. */
static void check_header_ended(void)
{
	struct pair p = { .listener = open_listener("10.9.0.1") };
	struct endless *state;
	size_t bytes;
	void *at;

	p.ctx = attach(p.listener, endless, 0);
	if (spin_ctx__symbol(p.ctx, "spin_state", &at, &bytes) || bytes != sizeof(*state))
		die("no state of `endless`: %s", spin_strerror_last());
	state = at;
	__atomic_store_n(&state->loop_in_header, 1, __ATOMIC_SEQ_CST);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	for (int i = 0; i < 5; i++, usleep(100000))
		send_all(p.client, "abc", 3);
	if (recv(p.server, &bytes, 1, MSG_DONTWAIT) > 0 || lines__load(&state->headers) != 1 || lines__load(&state->pieces))
		die("a header handler that was ended has run %u times, or bytes went past it", lines__load(&state->headers));
	__atomic_store_n(&state->loop_in_header, 0, __ATOMIC_SEQ_CST);
	close_connection(&p);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	check_read("a connection after one whose header handler was ended", &p, "abc", "abc");
	close_pair(&p);
}

/* Sockets that cannot have handlers are refused. */
static void check_refused(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	int plain = open_socket(hosts.server_ns, "10.9.0.1");
	struct spin_ctx *second;
	struct pair p;

	listen_at(&p, "10.9.0.1");
	if (spin_socket__attach(plain, lines, &opts, &second) != -ENOTCONN)
		die("a socket that does not listen is not refused: %s", spin_strerror_last());
	if (spin_socket__attach(p.listener, lines, &opts, &second) != -EEXIST)
		die("a second context of a socket is not refused: %s", spin_strerror_last());
	opts.share = spin_socket__id(p.ctx);
	if (spin_socket__attach(p.listener, endless, &opts, &second) != -EINVAL)
		die("handlers of another layout share a state: %s", spin_strerror_last());
	opts.share = 1; /* an id that no state has */
	if (spin_socket__attach(p.listener, lines, &opts, &second) != -ENOENT)
		die("a state that is not there is shared: %s", spin_strerror_last());
	close(plain);
	close_pair(&p);
}

/*
 * A program that closes its socket can listen at the address again at once: spind has kept no socket, whether it refused the handlers or
 * attached them.
 */
static void check_address_is_free(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .share = 1 };
	struct spin_ctx *ctx;

	for (int i = 0; i < 50; i++) {
		int listener = open_listener("10.9.0.1");

		if (spin_socket__attach(listener, lines, &opts, &ctx) != -ENOENT)
			die("a state that is not there is shared: %s", spin_strerror_last());
		close(listener);
		listener = open_listener("10.9.0.1");
		if (i % 10 == 0)
			spin_ctx__destroy(attach(listener, lines, 0));
		close(listener);
	}
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
		{ "the address is free", check_address_is_free },
		{ "handlers are ended", check_ended },
		{ "header handlers are ended", check_header_ended },
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
	check_verdict('R', "abc\n", "", 8);
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
	char byte;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	spind__start(&spind, "");
	lines = built_open("lines");
	endless = built_open("endless");
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
	spind__cleanup(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
