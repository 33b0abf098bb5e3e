/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests kill -9 of a client, of spind, of the processes that hold its contexts, or of all of them, at any moment while contexts are
 * created, migrated and destroyed: in turn of a UDP socket, of a listening TCP socket with handlers of streams, and of one with handlers of
 * segments, with a connection open and bytes in flight. Afterwards each program, map, link, interface and process must be as before or have
 * an owner, and a new client must be served. While only spind is dead the contexts must keep running. Run by tests/run, and longer by `make
 * stress`.
 *
 *	killed_at_any_time [ROUNDS]
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/net/leak_check.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ROUNDS       30
#define FAR_SOCKETS  200
#define FLIGHT_BYTES 20000

enum socket_kind { DATAGRAMS, STREAMS, SEGMENTS, SOCKET_KINDS };

static struct {
	const char *what, *handler;
	struct spin_object *obj;
} kinds[SOCKET_KINDS] = {
	[DATAGRAMS] = { "datagrams", "rewrite", NULL },
	[STREAMS] = { "streams", "lines", NULL },
	[SEGMENTS] = { "segments", "seg_socket", NULL },
};

static struct udp_hosts hosts;
static struct spind spind;
static int sender;
static uint64_t seed = 1;
static struct leak_check before; /* on the machine */
static struct leak_check since;  /* made since then, by whichever test */

static void finish(void)
{
	spind__cleanup(&spind);
}

/* --- sockets --- */

static int far_sockets[FAR_SOCKETS]; /* TCP, in the client's namespace; a process without privileges cannot enter it */
static unsigned far_count;

static void make_far_sockets(unsigned count)
{
	netns_enter(hosts.client_ns);
	while (far_count < count) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (fd < 0)
			die("no socket: %s", strerror(errno));
		far_sockets[far_count++] = fd;
	}
	netns_enter(hosts.server_ns);
}

/* A server's socket, and of TCP a connection to it. */
struct ends {
	int socket, far, near; /* -1: closed */
};

static void open_socket(enum socket_kind kind, uint16_t port, struct ends *e)
{
	const int one = 1;

	e->far = e->near = -1;
	if (kind == DATAGRAMS)
		e->socket = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	else
		e->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(e->socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	udp_hosts__bind(e->socket, "10.9.0.1", port);
	if (kind != DATAGRAMS && listen(e->socket, 8))
		die("cannot listen: %s", strerror(errno));
}

/* Returns 0 if there is no connection. */
static int connect_ends(uint16_t port, struct ends *e)
{
	struct pollfd wait = { .fd = e->socket, .events = POLLIN };
	union asks_address to;
	socklen_t bytes = udp_hosts__address("10.9.0.1", port, &to);

	if (!far_count)
		return 0;
	e->far = far_sockets[--far_count];
	if ((connect(e->far, &to.any, bytes) && errno != EINPROGRESS) || poll(&wait, 1, 2000) <= 0)
		return 0;
	e->near = accept4(e->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return e->near >= 0;
}

static void close_ends(struct ends *e)
{
	int *const all[] = { &e->near, &e->far, &e->socket };

	for (unsigned i = 0; i < 3; i++)
		if (*all[i] >= 0)
			close(*all[i]);
}

/* Sends from both ends. With `reads` 0 the bytes stay under way. */
static void send_both_ways(const struct ends *e, int reads)
{
	static uint8_t bytes[FLIGHT_BYTES];
	const int fds[] = { e->far, e->near };

	for (unsigned i = 0; i < 2; i++) {
		if (fds[i] < 0)
			continue;
		send(fds[i], bytes, sizeof(bytes), MSG_NOSIGNAL);
		while (reads && recv(fds[i], bytes, sizeof(bytes), 0) > 0)
			;
	}
}

/* --- clients --- */

static struct spin_ctx *try_attach(enum socket_kind kind, int fd)
{
	return spind__try_attach(&spind, fd, kinds[kind].obj, NULL);
}

/*
 * Attaches, migrates every second context, and destroys it, until it is killed. Writes to `ready` when the first context exists and, of
 * TCP, has a connection.
 */
static int be_client(enum socket_kind kind, int ready, int keeps)
{
	for (unsigned i = 0;; i++) {
		const uint16_t port = (uint16_t)(UDP_HOSTS_PORT + 10 + i % 4);
		struct spin_ctx *ctx;
		struct ends e;

		open_socket(kind, port, &e);
		ctx = try_attach(kind, e.socket);
		if (!ctx)
			return 0; /* spind is dead */
		if (kind != DATAGRAMS && !connect_ends(port, &e) && !i)
			return 1;
		send_both_ways(&e, 0);
		if (!i && write(ready, "r", 1) != 1)
			return 1;
		while (keeps) {
			send_both_ways(&e, 1);
			usleep(1000);
		}
		if (i % 2)
			spin_socket__migrate(spin_socket__id(ctx), kinds[kind].obj, spind.socket, NULL);
		else
			send_both_ways(&e, 1);
		send_both_ways(&e, 0);
		if (i % 3 == 0)
			close_ends(&e);
		spin_ctx__destroy(ctx);
		if (i % 3)
			close_ends(&e);
	}
}

static pid_t start_client(enum socket_kind kind, int keeps)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		die("no pipe");
	pid = fork();
	if (!pid) {
		if (kind != DATAGRAMS)
			make_far_sockets(FAR_SOCKETS);
		spind__drop_privileges();
		close(ready[0]);
		_exit(be_client(kind, ready[1], keeps));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("a client with %s has no context or no connection", kinds[kind].what);
	close(ready[0]);
	return pid;
}

static void end_client(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Returns 1 if a line comes to the server as the handlers make it. */
static int is_capitalized(enum socket_kind kind, uint16_t port, struct ends *e)
{
	struct pollfd wait = { .events = POLLIN };
	char got[8] = "";

	if (kind == DATAGRAMS)
		return udp_hosts__is_rewritten(sender, "10.9.0.1", port, &e->socket, 1);
	make_far_sockets(1);
	if (!connect_ends(port, e) || send(e->far, "ab", 2, MSG_NOSIGNAL) != 2)
		return 0;
	wait.fd = e->near;
	return poll(&wait, 1, 4000) > 0 && recv(e->near, got, sizeof(got) - 1, 0) == 2 && !strcmp(got, kind == STREAMS ? "Ab" : "AB");
}

static void check_new_client(enum socket_kind kind)
{
	struct spin_ctx *ctx = NULL;
	struct ends e;

	open_socket(kind, UDP_HOSTS_PORT, &e);
	for (int i = 0; i < 100 && !(ctx = try_attach(kind, e.socket)); i++)
		usleep(20000);
	if (!ctx)
		die("a new client with %s is not served: %s", kinds[kind].what, spin_strerror_last());
	if (!is_capitalized(kind, UDP_HOSTS_PORT, &e))
		die("the handlers of a new client with %s do not run", kinds[kind].what);
	spin_ctx__destroy(ctx);
	close_ends(&e);
}

/* --- what is left --- */

static uint32_t program_on_s0(void)
{
	uint32_t id = 0;

	bpf_xdp_query_id((int)if_nametoindex("s0"), 0, &id);
	return id;
}

static const char *left; /* which program, map or link; NULL: none */

static void wait_for(unsigned seconds, const char *what, int (*is)(void))
{
	left = NULL;
	for (unsigned i = 0; i < 100 * seconds; i++) {
		if (is())
			return;
		usleep(10000);
	}
	die("after %u seconds: %s%s%s", seconds, what, left ? ": " : "", left ? left : "");
}

static void wait_until(const char *what, int (*is)(void))
{
	wait_for(10, what, is);
}

static int s0_is_free(void)
{
	return !program_on_s0();
}

static int no_holders(void)
{
	return !spind__holders(&spind);
}

static struct leak_check noted; /* what the processes of this round have held */

/* What was noted is gone, or the holder that lives on or this process holds it. Waits, because the kernel frees programs and maps after a grace period. */
static int noted_is_gone(void)
{
	struct leak_check owned = { 0 };
	const pid_t holder = spind__holder(&spind);

	leak_check__note(&owned, getpid());
	if (holder) {
		leak_check__note(&noted, holder); /* it may have gone on after it was noted */
		leak_check__note(&owned, holder);
	}
	left = leak_check__left(&noted, &owned);
	leak_check__free(&owned);
	return !left;
}

/* Of programs with these names, spind's holders are the only makers. */
static const char *const own_names[] = { "spin_guard", "spin_gate", "spin_stream" };
#define OWN_NAMES (sizeof(own_names) / sizeof(own_names[0]))

static int since_is_gone(void)
{
	left = leak_check__left(&since, &before);
	return !left;
}

/* Kills only the front process: contexts must keep running, and the next spind must find them. */
static void kill_front(enum socket_kind kind, pid_t client)
{
	const uint32_t program = program_on_s0();
	const pid_t holder = spind__holder(&spind);

	spind__kill(&spind, SIGKILL);
	usleep(20000);
	if (!holder || spind__holder(&spind) != holder || (kind != STREAMS && !program) || program_on_s0() != program)
		die("the context of a client with %s has not outlived spind", kinds[kind].what);
	spind__restart(&spind);
	check_new_client(kind);
	if (spind__holder(&spind) != holder || (kind != STREAMS && program_on_s0() != program))
		die("the next spind does not go on with the process that holds the contexts");
	end_client(client);
}

/* Notes what the holder has. It is stopped in every second round, so that nothing comes after the note. */
static void note_holder(void)
{
	const pid_t holder = spind__holder(&spind);

	if (!holder)
		return;
	if (random_next(&seed) % 2) {
		kill(holder, SIGSTOP);
		usleep(2000);
	}
	leak_check__note(&noted, holder);
}

static void run_round(unsigned round)
{
	const enum socket_kind kind = round % SOCKET_KINDS;
	const unsigned what = (unsigned)(random_next(&seed) % 5);
	pid_t client = start_client(kind, what == 1);

	usleep((useconds_t)(random_next(&seed) % 60000));
	leak_check__note(&noted, client);
	if (what == 2 || what == 3)
		note_holder();
	else
		leak_check__note(&noted, spind__holder(&spind));
	switch (what) {
	case 0:
		end_client(client);
		break;
	case 1:
		kill_front(kind, client);
		break;
	case 2: /* first the holders, then the rest */
		spind__kill_holders(&spind);
		end_client(client);
		break;
	case 3: /* all at once */
		spind__kill(&spind, SIGKILL);
		spind__kill_holders(&spind);
		end_client(client);
		break;
	case 4: /* spind and its client; the holders end by themselves */
		spind__kill(&spind, SIGKILL);
		end_client(client);
	}
	if (what >= 3)
		wait_until("a process without spind and clients lives on", no_holders);
	wait_until("an interface without contexts has a program", s0_is_free);
	wait_until("a program, map, link or pin of a killed process is left", noted_is_gone);
	leak_check__note_names(&since, own_names, OWN_NAMES);
	leak_check__left(&since, &before); /* forgets what has gone */
	if (!spind.pid)
		spind__restart(&spind);
	check_new_client(kind);
	if (spind__holders(&spind) > 1)
		die("there are %u holders for one namespace", spind__holders(&spind));
}

int main(int argc, char **argv)
{
	const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : ROUNDS;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	leak_check__begin(&before);
	leak_check__note_names(&before, own_names, OWN_NAMES);
	leak_check__begin(&since);
	leak_check__begin(&noted);
	for (unsigned i = 0; i < SOCKET_KINDS; i++)
		kinds[i].obj = built_open(kinds[i].handler);
	sender = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	udp_hosts__bind(sender, "0.0.0.0", UDP_HOSTS_SENDER);
	spind__start(&spind, "");
	atexit(finish);
	for (unsigned i = 0; i < rounds; i++) {
		run_round(i);
		if (i % 10 == 9)
			printf("%u rounds\n", i + 1);
	}
	spind__kill(&spind, SIGTERM);
	wait_until("a process without spind and clients lives on", no_holders);
	wait_until("a program, map, link or pin of a process that has ended is left", noted_is_gone);
	leak_check__note_names(&since, own_names, OWN_NAMES);
	/* other tests that run at the same time may have such objects for a while */
	wait_for(180, "a guard, a gate or a program of streams, made during the rounds, has no owner", since_is_gone);
	return 0;
}
