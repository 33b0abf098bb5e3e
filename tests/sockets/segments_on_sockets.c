/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers of TCP segments (tests/handlers/segments/seg_socket.c) that a user without privileges attaches to sockets, by spind. The
 * handlers must see each connection from its SYN to its end, the application must read what they made of it, and connections that they
 * refuse must not reach accept(). When the handlers are detached, their socket is closed or their process is killed, connections must go on
 * without them. Run by tests/run.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/segments.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define REFUSED 6666
#define FLOOD   20000u

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *segments, *others, *lines, *rewrite;
static int to_parent; /* a byte written to it: kill the processes that have contexts */

/* A context on a listening socket, and a connection to it. */
struct pair {
	int listener, client, server;
	struct spin_ctx *ctx;
	struct seg_socket *state;
};

static void attach(struct pair *p, int fd, uint16_t port)
{
	p->ctx = spind__attach(&spind, fd, segments, NULL);
	p->state = segments__state(p->ctx);
	p->state->port = port;
}

static void listen_at(struct pair *p, const char *address)
{
	p->listener = segments__listen(&hosts, hosts.server_ns, address);
	p->client = p->server = -1;
	attach(p, p->listener, SEGMENTS_PORT);
}

static void connect_from(struct pair *p, int ns, const char *address)
{
	p->client = segments__connect(&hosts, ns, address, SEGMENTS_PORT, 0);
	p->server = segments__accept(p->listener);
}

static void close_connection(struct pair *p)
{
	close(p->client);
	close(p->server);
	p->client = p->server = -1;
}

static void close_pair(struct pair *p)
{
	spin_ctx__destroy(p->ctx);
	close_connection(p);
	close(p->listener);
}

static void expect(const char *what, const uint32_t *at, uint32_t value)
{
	segments__wait_for(what, at, value);
}

/* --- what handlers see --- */

static const struct address {
	const char *name, *listens, *connects;
	int from_server;
} addresses[] = {
	{ "IPv4", "10.9.0.1", "10.9.0.1", 0 },
	{ "any address of IPv4", "0.0.0.0", "10.9.0.1", 0 },
	{ "IPv6", "fd09::1", "fd09::1", 0 },
	{ "any address, IPv4", "::", "10.9.0.1", 0 },
	{ "any address, IPv6", "::", "fd09::1", 0 },
	{ "lo", "127.0.0.1", "127.0.0.1", 1 },
	{ "lo, IPv6", "::1", "::1", 1 },
};

static void check_address(const struct address *a)
{
	struct pair p;

	listen_at(&p, a->listens);
	for (uint32_t i = 1; i <= 3; i++) {
		connect_from(&p, a->from_server ? hosts.server_ns : hosts.client_ns, a->connects);
		segments__check(a->name, p.client, p.server, "hell", "HEll");
		segments__check(a->name, p.client, p.server, "worlds", "WOrlds");
		segments__check(a->name, p.server, p.client, "answer", "answer");
		shutdown(p.client, SHUT_WR);
		expect(a->name, &p.state->ended, i);
		close_connection(&p);
		if (p.state->begun != i || p.state->syns != i || p.state->length != 10 * i || p.state->foreign)
			die("%s: begun %u, SYNs %u, length %u, foreign %u", a->name, p.state->begun, p.state->syns, p.state->length,
			    p.state->foreign);
	}
	close_pair(&p);
	printf("ok: %s\n", a->name);
}

static void check_much(void)
{
	static char sent[1 << 20];
	struct pair p;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)('a' + i % 26);
	listen_at(&p, "10.9.0.1");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	while (at < sizeof(sent)) {
		static char got[65536];
		const size_t n = sizeof(sent) - at < 30000 ? sizeof(sent) - at : 30000;

		if (send(p.client, sent + at, n, MSG_NOSIGNAL) != (ssize_t)n)
			die("cannot send: %s", strerror(errno));
		if (segments__read(p.server, got, n) != n)
			die("a long stream does not arrive");
		for (size_t i = 0; i < n; i++)
			if ((got[i] | 32) != (char)('a' + (at + i) % 26))
				die("byte %zu of a long stream is '%c'", at + i, got[i]);
		at += n;
	}
	shutdown(p.client, SHUT_WR);
	expect("the end of a long stream", &p.state->ended, 1);
	if (p.state->length != sizeof(sent) || p.state->bytes < sizeof(sent))
		die("a long stream: length %u, bytes %u", p.state->length, p.state->bytes);
	close_pair(&p);
}

static void check_refused_connection(void)
{
	struct pair p;

	listen_at(&p, "10.9.0.1");
	p.state->refused = REFUSED;
	if (segments__try_connect(&hosts, hosts.client_ns, "10.9.0.1", SEGMENTS_PORT, REFUSED) >= 0)
		die("a connection that the handlers refuse is established");
	expect("a refused connection ends", &p.state->ended, 1);
	if (segments__is_readable(p.listener, 100))
		die("a connection that the handlers refuse reaches accept()");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("after a refused connection", p.client, p.server, "ab", "AB");
	close_pair(&p);
}

/* The server closes first: the kernel then keeps only a short form of the connection, and the peer's FIN must still end it. */
static void check_server_closes_first(void)
{
	struct pair p;

	listen_at(&p, "10.9.0.1");
	for (uint32_t i = 1; i <= 3; i++) {
		p.client = segments__connect(&hosts, hosts.client_ns, "10.9.0.1", SEGMENTS_PORT, 6700);
		p.server = segments__accept(p.listener);
		segments__check("before the server closes", p.client, p.server, "ab", "AB");
		close(p.server);
		usleep(50000);
		close(p.client);
		p.client = p.server = -1;
		expect("a connection that the server closed first ends", &p.state->ended, i);
		if (p.state->syns != i || p.state->begun != i) /* from the second on the SYN comes to a connection in TIME_WAIT */
			die("the same port again: SYNs %u, begun %u", p.state->syns, p.state->begun);
	}
	close_pair(&p);
}

static void check_reset(void)
{
	const struct linger hard = { .l_onoff = 1 };
	struct pair p;

	listen_at(&p, "10.9.0.1");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("before a reset", p.client, p.server, "ab", "AB");
	setsockopt(p.client, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(p.client);
	p.client = -1;
	expect("a connection that is reset ends", &p.state->ended, 1);
	close_pair(&p);
}

/* With SYN cookies the kernel keeps no half-open connection: the last segment of the handshake comes to the listening socket. */
static void check_cookies(void)
{
	struct pair p;

	segments__write_setting(to_parent, 'c');
	listen_at(&p, "10.9.0.1");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("SYN cookies", p.client, p.server, "ab", "AB");
	if (p.state->syns != 1 || p.state->begun != 1)
		die("SYN cookies: SYNs %u, begun %u", p.state->syns, p.state->begun);
	close_pair(&p);
	segments__write_setting(to_parent, 'n');
}

/* Half-open connections take nothing from the others, whether they began before the flood or come afterwards. */
static void check_flood(void)
{
	struct pair p, next;

	listen_at(&p, "10.9.0.1");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	for (int i = 0; i < 20; i++) /* until it is proven (<spin/segment.h>) */
		segments__check("before a flood", p.client, p.server, "ab", "AB");
	segments__write_setting(to_parent, 'f');
	for (int i = 0; *(volatile uint32_t *)&p.state->syns < FLOOD / 2; i++) {
		if (i == 300)
			die("of a flood of %u SYNs handlers saw %u", FLOOD, p.state->syns);
		usleep(10000);
	}
	next = p;
	connect_from(&next, hosts.client_ns, "10.9.0.1");
	segments__check("after a flood", p.client, p.server, "cd", "CD");
	segments__check("a connection after a flood", next.client, next.server, "ef", "EF");
	shutdown(p.client, SHUT_WR);
	expect("a connection that a flood passed ends", &p.state->ended, 1);
	close_connection(&next);
	close_pair(&p);
}

static void check_fast_open(void)
{
	struct pair p;
	const int queue = 16;

	listen_at(&p, "10.9.0.1");
	if (setsockopt(p.listener, IPPROTO_TCP, TCP_FASTOPEN, &queue, sizeof(queue)))
		die("no fast open: %s", strerror(errno));
	p.client = segments__connect_with(&hosts, hosts.client_ns, "10.9.0.1", SEGMENTS_PORT, "soon");
	p.server = segments__accept(p.listener);
	segments__check("fast open", p.client, p.server, "late", "SOonLAte");
	if (p.state->syns != 1 || p.state->begun != 1 || p.state->bytes < 8)
		die("fast open: SYNs %u, begun %u, bytes %u", p.state->syns, p.state->begun, p.state->bytes);
	close_pair(&p);
}

/* --- which connections --- */

static void check_before_and_after(void)
{
	struct pair early = { .listener = segments__listen(&hosts, hosts.server_ns, "10.9.0.1") }, p, again;

	connect_from(&early, hosts.client_ns, "10.9.0.1");
	p = early;
	attach(&p, p.listener, SEGMENTS_PORT);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("a connection from before", early.client, early.server, "early", "early");
	segments__check("a connection from afterwards", p.client, p.server, "open", "OPen");
	if (p.state->begun != 1 || p.state->bytes != 4)
		die("a connection from before is seen: begun %u, bytes %u", p.state->begun, p.state->bytes);
	if (spin_ctx__detach(p.ctx))
		die("cannot detach: %s", spin_strerror_last());
	segments__check("detached", p.client, p.server, "two", "two");
	if (spin_ctx__attach(p.ctx))
		die("cannot attach again: %s", spin_strerror_last());
	segments__check("attached again, a connection from before the first time", early.client, early.server, "three", "three");
	again = p;
	connect_from(&again, hosts.client_ns, "10.9.0.1");
	segments__check("attached again, a new connection", again.client, again.server, "four", "FOur");
	spin_ctx__destroy(p.ctx);
	segments__check("destroyed", p.client, p.server, "five", "five");
	segments__check("destroyed, another", again.client, again.server, "six", "six");
	close_connection(&early);
	close_connection(&again);
	close_connection(&p);
	close(p.listener);
}

/* Handlers on a connected socket, of either side. The context ends when the socket is closed. */
static void check_connected(int accepted)
{
	const char *what = accepted ? "an accepted socket" : "a client's socket";
	struct pair p = { .listener = segments__listen(&hosts, accepted ? hosts.server_ns : hosts.client_ns,
						       accepted ? "10.9.0.1" : "10.9.0.2") };
	struct pair other = p;
	int own, peer;

	p.client = segments__connect(&hosts, accepted ? hosts.client_ns : hosts.server_ns, accepted ? "10.9.0.1" : "10.9.0.2",
				     SEGMENTS_PORT, 0);
	p.server = segments__accept(p.listener);
	other.client = segments__connect(&hosts, accepted ? hosts.client_ns : hosts.server_ns, accepted ? "10.9.0.1" : "10.9.0.2",
					 SEGMENTS_PORT, 0);
	other.server = segments__accept(p.listener);
	own = accepted ? p.server : p.client;
	peer = accepted ? p.client : p.server;
	attach(&p, own, segments__port(own));
	segments__check(what, peer, own, "ab", "AB");
	segments__check(what, peer, own, "de", "DE");
	segments__check("another connection", other.client, other.server, "ghi", "ghi");
	segments__check("another connection, the other way", other.server, other.client, "jkl", "jkl");
	if (p.state->begun != 1 || p.state->syns || p.state->bytes != 4 || p.state->foreign)
		die("%s: begun %u, SYNs %u, bytes %u", what, p.state->begun, p.state->syns, p.state->bytes);
	shutdown(peer, SHUT_WR);
	expect(what, &p.state->ended, 1);
	close_connection(&p);
	for (int i = 0; spin_ctx__alive(p.ctx) >= 0; i++) {
		if (i == 300)
			die("%s: the context outlives it", what);
		usleep(10000);
	}
	spin_ctx__destroy(p.ctx);
	close_connection(&other);
	close(p.listener);
}

/* The listening socket is closed: its context ends, and its connections go on without handlers. */
static void check_closed(void)
{
	struct pair p;

	listen_at(&p, "10.9.0.1");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("before the listening socket is closed", p.client, p.server, "ab", "AB");
	close(p.listener);
	for (int i = 0; spin_ctx__alive(p.ctx) >= 0; i++) {
		if (i == 300)
			die("the context of a closed socket lives on");
		usleep(10000);
	}
	segments__check("the listening socket is closed", p.client, p.server, "def", "def");
	p.listener = -1;
	close_pair(&p);
}

static void check_killed(void)
{
	struct pair p;

	listen_at(&p, "10.9.0.1");
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("before spind is killed", p.client, p.server, "ab", "AB");
	segments__write_setting(to_parent, 'k');
	for (int i = 0; spin_ctx__alive(p.ctx) >= 0; i++) {
		if (i == 300)
			die("the process of the context is not killed");
		usleep(10000);
	}
	segments__check("the context's process is killed", p.client, p.server, "def", "def");
	close_pair(&p);
}

/* Two listening sockets with one state. */
static void check_shared(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	struct pair p, second = { .listener = segments__listen(&hosts, hosts.server_ns, "127.0.0.1") };

	listen_at(&p, "10.9.0.1");
	opts.share = spin_socket__id(p.ctx);
	if (spin_socket__attach(second.listener, segments, &opts, &second.ctx))
		die("a state cannot be shared: %s", spin_strerror_last());
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	connect_from(&second, hosts.server_ns, "127.0.0.1");
	for (int i = 0; i < 3; i++) {
		segments__check("the first socket of a shared state", p.client, p.server, "ab", "AB");
		segments__check("the second socket of a shared state", second.client, second.server, "cd", "CD");
	}
	if (p.state->begun != 2 || p.state->bytes != 12)
		die("a shared state: begun %u, bytes %u", p.state->begun, p.state->bytes);
	close_pair(&second);
	close_pair(&p);
}

/* A connection stays open while its handlers are replaced, also by others that have another state, and back. */
static void check_replaced(void)
{
	struct pair p;
	uint32_t id;

	listen_at(&p, "10.9.0.1");
	id = spin_socket__id(p.ctx);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("the first handlers", p.client, p.server, "ab", "AB");
	if (spin_socket__swap(id, segments, spind.socket))
		die("handlers of segments are not replaced: %s", spin_strerror_last());
	segments__check("the second handlers", p.client, p.server, "cde", "CDe");
	if (p.state->begun != 1 || p.state->bytes != 5)
		die("replaced handlers: begun %u, bytes %u", p.state->begun, p.state->bytes);
	if (spin_socket__swap(id, others, spind.socket) != -EINVAL)
		die("handlers with another state: %s", spin_strerror_last());
	if (spin_socket__migrate(id, others, spind.socket, NULL))
		die("the state of handlers of segments is not moved: %s", spin_strerror_last());
	segments__check("handlers that change nothing", p.client, p.server, "fghi", "fghi");
	if (spin_socket__migrate(id, segments, spind.socket, NULL) || spin_socket__renew(p.ctx))
		die("the state is not moved back: %s", spin_strerror_last());
	p.state = segments__state(p.ctx);
	segments__check("the last handlers", p.client, p.server, "jk", "JK");
	shutdown(p.client, SHUT_WR);
	expect("the end of a connection whose handlers were replaced", &p.state->ended, 1);
	/* `bytes` was kept by both, `begun` was lost: the connection has not begun again */
	if (p.state->begun || p.state->bytes != 11 || p.state->length != 11)
		die("moved handlers: begun %u, bytes %u, length %u", p.state->begun, p.state->bytes, p.state->length);
	close_pair(&p);
}

/*
 * A socket may have handlers of segments and of streams (lines.c, which capitalizes the first letter of each line): the streams' get what
 * came through those of segments. Each goes on when the other ends.
 */
static void check_both_kinds(int streams_first)
{
	struct spin_ctx *streams = NULL;
	struct pair p = { .listener = segments__listen(&hosts, hosts.server_ns, "10.9.0.1"), .client = -1, .server = -1 };

	if (streams_first)
		streams = spind__attach(&spind, p.listener, lines, NULL);
	attach(&p, p.listener, SEGMENTS_PORT);
	if (!streams_first)
		streams = spind__attach(&spind, p.listener, lines, NULL);
	connect_from(&p, hosts.client_ns, "10.9.0.1");
	segments__check("both kinds", p.client, p.server, "hello\nworld\n", "HEllo\nWorld\n");
	if (streams_first)
		spin_ctx__destroy(streams);
	else
		spin_ctx__destroy(p.ctx);
	segments__check("one kind is left", p.client, p.server, "hello\nworld\n", streams_first ? "HEllo\nworld\n" : "Hello\nWorld\n");
	if (streams_first)
		spin_ctx__destroy(p.ctx);
	else
		spin_ctx__destroy(streams);
	p.ctx = NULL;
	segments__check("neither kind is left", p.client, p.server, "hello\nworld\n", "hello\nworld\n");
	close_pair(&p);
}

static void check_both(void)
{
	check_both_kinds(0);
	check_both_kinds(1);
}

/* What does not fit together is refused, and says why. */
static void check_refused(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	int datagrams = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	struct spin_ctx *second;
	struct pair p;

	udp_hosts__bind(datagrams, "10.9.0.1", SEGMENTS_PORT);
	if (spin_socket__attach(datagrams, segments, &opts, &second) != -EOPNOTSUPP || !strstr(spin_strerror_last(), "socket of TCP"))
		die("handlers of segments on a socket of UDP: %s", spin_strerror_last());
	listen_at(&p, "10.9.0.1");
	if (spin_socket__attach(p.listener, segments, &opts, &second) != -EEXIST)
		die("a second context of a socket is not refused: %s", spin_strerror_last());
	if (spin_socket__swap(spin_socket__id(p.ctx), rewrite, spind.socket) >= 0)
		die("handlers of segments are replaced by those of datagrams");
	close(datagrams);
	close_pair(&p);
}

static int run_all(void)
{
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = {
		{ "a long stream", check_much },
		{ "a connection that is refused", check_refused_connection },
		{ "the server closes first", check_server_closes_first },
		{ "reset", check_reset },
		{ "SYN cookies", check_cookies },
		{ "a flood of SYNs", check_flood },
		{ "fast open", check_fast_open },
		{ "before and after", check_before_and_after },
		{ "the socket is closed", check_closed },
		{ "a state that is shared", check_shared },
		{ "handlers that are replaced", check_replaced },
		{ "segments and streams", check_both },
		{ "what does not fit", check_refused },
		{ "the context's process is killed", check_killed },
	};

	segments__make_sockets(&hosts);
	spind__drop_privileges();
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		check_address(&addresses[i]);
	check_connected(1);
	check_connected(0);
	printf("ok: connected sockets\n");
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		checks[i].check();
		printf("ok: %s\n", checks[i].name);
	}
	return 0;
}

int main(void)
{
	int status = 1, ends[2];
	char what;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	netns_shell("sysctl -qw net.ipv4.tcp_fastopen=0x203"); /* no cookie of fast open is asked for */
	netns_enter(hosts.client_ns);
	netns_shell("sysctl -qw net.ipv4.tcp_fastopen=0x5");
	netns_enter(hosts.server_ns);
	spind__start(&spind, "");
	segments = built_open("seg_socket");
	others = built_open("seg_bytes");
	lines = built_open("lines");
	rewrite = built_open("rewrite");
	if (pipe2(ends, O_CLOEXEC))
		die("no pipe");
	to_parent = ends[1];
	child = fork();
	if (!child)
		exit(run_all());
	close(ends[1]);
	while (read(ends[0], &what, 1) == 1) {
		if (what == 'k')
			spind__kill_holders(&spind);
		else if (what == 'f')
			segments__flood(&hosts, FLOOD);
		else
			netns_shell(what == 'c' ? "sysctl -qw net.ipv4.tcp_syncookies=2" : "sysctl -qw net.ipv4.tcp_syncookies=1");
	}
	waitpid(child, &status, 0);
	spind__cleanup(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
