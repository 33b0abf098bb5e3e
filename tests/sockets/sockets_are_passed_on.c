/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests sockets with handlers that are passed to another user's process (SCM_RIGHTS), inherited by a child, or shared by processes that
 * wait for connections together. The handlers must stay until the last descriptor of the socket, or of the connection to spind, is closed,
 * as <spin/libspin_socket.h> says. For UDP, streams of TCP and segments of TCP. Run by tests/run.
 *
 * The test drives processes without privileges by commands, each over a socket of its own.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/traffic/tcp_pair.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "user/libspin/broker.h"
#include <spin/libspin_socket.h>

#define USER      1234
#define OTHER     1235
#define NOTICE_US 600000 /* spind looks for closed sockets four times a second */
#define READ_MS   2000

static struct udp_hosts hosts;
static struct spind spind;
static int sender;

static struct kind {
	const char *name, *handler;
	int is_tcp;
	const char *reads; /* what handlers make of "ab\n" */
	int outlives;      /* 1: connections keep their handlers when the listening socket is closed */
	struct spin_object *obj;
} kinds[] = {
	{ "UDP", "rewrite" },
	{ "streams of TCP", "lines", 1, "Ab\n", 1 },
	{ "segments of TCP", "seg_socket", 1, "AB\n" },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct kind *kind; /* the one being tested */
static uint16_t port = UDP_HOSTS_PORT;

/* --- a process without privileges --- */

enum op {
	TAKE = 'T',    /* takes the descriptor that comes with the command as its socket */
	GIVE = 'G',    /* answers with a descriptor of its socket */
	ACCEPT = 'A',  /* answers with an accepted connection, which it closes */
	READ = 'R',    /* waits for one message; result: enum was */
	ATTACH = 'H',  /* result: that of spin_socket__attach() */
	TRUST = 'S',   /* the same with the trusted class */
	ALIVE = 'L',   /* result: that of spin_ctx__alive() */
	DESTROY = 'D', /* destroys the context */
	CLOSE = 'C',   /* closes its socket */
	FORK = 'F',    /* its child then serves the socket that comes with the command */
	LEAVE = 'X',   /* exits and destroys nothing */
};

enum was { NOTHING = 0, PLAIN, HANDLED };

struct command {
	int op, result;
};

static void transfer(int control, int op, int result, int fd)
{
	const struct command command = { op, result };

	if (broker__send(control, &command, sizeof(command), &fd, fd >= 0, 0))
		die("%s: a process does not answer", kind->name);
}

/* Returns the descriptor that has come, or -1. */
static int receive(int control, struct command *command)
{
	int fds[BROKER_FDS];
	unsigned count;

	if (broker__receive(control, command, sizeof(*command), fds, &count, 0) != sizeof(*command))
		die("%s: a process has ended", kind->name);
	return count ? fds[0] : -1;
}

static int is_readable(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, READ_MS * slow_factor()) > 0;
}

static int accept_one(int listener)
{
	int fd = is_readable(listener) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;

	if (fd < 0)
		die("%s: no connection comes", kind->name);
	return fd;
}

static enum was read_stream(int fd)
{
	char got[3];
	size_t have = 0;

	while (have < sizeof(got) && is_readable(fd)) {
		ssize_t n = recv(fd, got + have, sizeof(got) - have, MSG_DONTWAIT);

		if (n <= 0 && errno != EAGAIN)
			break;
		have += n > 0 ? (size_t)n : 0;
	}
	if (have == sizeof(got) && !memcmp(got, "ab\n", 3))
		return PLAIN;
	return have == sizeof(got) && !memcmp(got, kind->reads, 3) ? HANDLED : NOTHING;
}

static enum was read_datagram(int fd)
{
	struct asks_ask got;

	if (!is_readable(fd) || recv(fd, &got, sizeof(got), MSG_DONTWAIT) != sizeof(got))
		return NOTHING;
	if (got.body[0] == htonl(UDP_HOSTS_VALUE))
		return HANDLED;
	return got.body[0] == got.body[1] ? PLAIN : NOTHING;
}

static enum was read_one(int fd)
{
	int listens = 0, connection;
	socklen_t bytes = sizeof(listens);
	enum was was;

	if (!kind->is_tcp)
		return read_datagram(fd);
	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes);
	if (!listens)
		return read_stream(fd);
	connection = accept_one(fd);
	was = read_stream(connection);
	close(connection);
	return was;
}

static void serve(int control)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	struct command command;
	struct spin_ctx *ctx = NULL;
	int fd = -1;

	for (;;) {
		int came = receive(control, &command), result = 0, out = -1;
		pid_t child;

		switch (command.op) {
		case TAKE:
			fd = came;
			break;
		case GIVE:
			out = fd;
			break;
		case ACCEPT:
			out = accept_one(fd);
			break;
		case READ:
			result = read_one(fd);
			break;
		case ATTACH:
		case TRUST:
			opts.trusted = command.op == TRUST;
			result = spin_socket__attach(fd, kind->obj, &opts, &ctx);
			break;
		case ALIVE:
			result = ctx ? spin_ctx__alive(ctx) : -ENOTCONN;
			break;
		case DESTROY:
			spin_ctx__destroy(ctx);
			ctx = NULL;
			break;
		case CLOSE:
			close(fd);
			fd = -1;
			break;
		case FORK:
			child = fork();
			if (child < 0)
				die("no child");
			close(child ? came : control);
			control = child ? control : came;
			if (!child)
				continue;
			break;
		default:
			_exit(0);
		}
		transfer(control, command.op, result, out);
		if (command.op == ACCEPT)
			close(out);
	}
}

/* --- commands --- */

/* Starts a process, and returns the socket for its commands. */
static int start(uid_t uid)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die("no socket");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(ends[1]);
	}
	close(ends[1]);
	return ends[0];
}

/* Sends a command with a descriptor (-1: none), which this process then closes. */
static void send_command(int control, enum op op, int fd)
{
	transfer(control, op, 0, fd);
	if (fd >= 0)
		close(fd);
}

/* Returns the result, or the descriptor for those that answer with one. */
static int wait_result(int control)
{
	struct command command;
	int fd = receive(control, &command);

	return fd >= 0 ? fd : command.result;
}

static int run(int control, enum op op, int fd)
{
	send_command(control, op, fd);
	return wait_result(control);
}

/* Forks the process; returns the socket for the child's commands. */
static int fork_of(int control)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die("no socket");
	run(control, FORK, ends[1]);
	return ends[0];
}

/* The process exits; a child of it goes on. */
static void leave(int control)
{
	char byte;

	send_command(control, LEAVE, -1);
	if (recv(control, &byte, 1, 0) > 0)
		die("%s: a process does not exit", kind->name);
	close(control);
}

/* --- messages --- */

static int open_socket(void)
{
	int fd;

	if (kind->is_tcp)
		return tcp_pair__listen("10.9.0.1", port);
	fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(fd, "10.9.0.1", port);
	return fd;
}

static int open_client(void)
{
	union asks_address to;
	socklen_t bytes = udp_hosts__address("10.9.0.1", port, &to);
	int fd;

	netns_enter(hosts.client_ns);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	netns_enter(hosts.server_ns);
	if (fd < 0 || connect(fd, &to.any, bytes))
		die("%s: cannot connect: %s", kind->name, strerror(errno));
	return fd;
}

static void send_text(int client)
{
	if (send(client, "ab\n", 3, MSG_NOSIGNAL) != 3)
		die("%s: cannot send: %s", kind->name, strerror(errno));
}

/* Sends a datagram, or a text on a new connection, which is returned (-1: none). */
static int send_one(void)
{
	struct asks_ask ask;
	int client = -1;

	if (kind->is_tcp) {
		client = open_client();
		send_text(client);
	} else {
		udp_hosts__send(sender, "10.9.0.1", port, ASK_STORE, 0, &ask);
	}
	return client;
}

static enum was try_message(int control)
{
	int client = send_one(), result = run(control, READ, -1);

	if (client >= 0)
		close(client);
	return (enum was)result;
}

static void expect_handled(const char *what, int control)
{
	enum was was = try_message(control);

	if (was != HANDLED)
		die("%s: %s: %s", kind->name, what, was == PLAIN ? "no handlers run" : "nothing is read");
}

/* The context ends in a moment; afterwards messages come as they were sent. */
static void expect_plain_soon(const char *what, int control)
{
	for (int tries = 0; try_message(control) != PLAIN; tries++) {
		if (tries == 100)
			die("%s: %s: handlers still run", kind->name, what);
		usleep(50000);
	}
}

static void expect_ended_soon(const char *what, int control)
{
	for (int tries = 0; run(control, ALIVE, -1) >= 0; tries++) {
		if (tries == 200 * slow_factor())
			die("%s: %s: the context lives on", kind->name, what);
		usleep(50000);
	}
}

static void must_attach(const char *what, int control)
{
	int err = run(control, ATTACH, -1);

	for (int tries = 0; err == -EEXIST && tries < 200; tries++) { /* another context has not ended quite yet */
		usleep(50000);
		err = run(control, ATTACH, -1);
	}
	if (err)
		die("%s: %s: cannot attach: %s", kind->name, what, strerror(-err));
}

static int start_with_handlers(uid_t uid)
{
	int control = start(uid);

	run(control, TAKE, open_socket());
	must_attach("a first process", control);
	expect_handled("a first process", control);
	return control;
}

static int count_context(void *arg, const struct spin_socket_info *info)
{
	(void)info;
	++*(unsigned *)arg;
	return 0;
}

/* No context may be left for the next check. */
static void expect_no_context(const char *what)
{
	for (int tries = 0;; tries++) {
		unsigned count = 0;

		if (spin_socket__list(spind.socket, count_context, &count))
			die("cannot list: %s", spin_strerror_last());
		if (!count)
			return;
		if (tries == 200 * slow_factor())
			die("%s: %s: %u contexts are left", kind->name, what, count);
		usleep(50000);
	}
}

/* --- what is checked, for each kind --- */

/* The handlers belong to the socket and to the process that has attached them; then the other user may attach its own. */
static void check_other_user(void)
{
	int first = start_with_handlers(USER), second = start(OTHER), err;

	run(second, TAKE, run(first, GIVE, -1));
	run(first, CLOSE, -1);
	usleep(NOTICE_US);
	expect_handled("a socket that another user has got", second);
	if (run(first, ALIVE, -1) != 1)
		die("%s: the context of a socket that was passed on has ended", kind->name);
	err = run(second, ATTACH, -1);
	if (err != -EEXIST)
		die("%s: a second context on a socket that was passed on: %d", kind->name, err);
	leave(first);
	expect_plain_soon("the process that attached the handlers has exited", second);
	must_attach("a user who has got the socket", second);
	expect_handled("a user who has got the socket", second);
	run(second, CLOSE, -1);
	expect_ended_soon("its last descriptor is closed", second);
	leave(second);
	expect_no_context("another user");
}

/* A child inherits the socket and the connection to spind: both stay until the last copy is closed. */
static void check_child(void)
{
	int parent = start_with_handlers(USER), child = fork_of(parent);

	run(parent, CLOSE, -1);
	usleep(NOTICE_US);
	expect_handled("a child, whose parent has closed the socket", child);
	leave(parent);
	usleep(NOTICE_US);
	expect_handled("a child, whose parent has exited", child);
	run(child, CLOSE, -1);
	expect_no_context("a child has closed the socket");
	leave(child);
}

/* A socket in flight, which no process holds. */
static void check_in_flight(void)
{
	int first = start_with_handlers(USER), second = start(OTHER), ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die("no socket");
	send_command(ends[0], TAKE, run(first, GIVE, -1));
	run(first, CLOSE, -1);
	usleep(NOTICE_US);
	run(second, TAKE, wait_result(ends[1]));
	expect_handled("a socket that was in flight", second);
	send_command(ends[0], TAKE, run(second, GIVE, -1));
	leave(second);
	close(ends[0]);
	close(ends[1]);
	expect_ended_soon("a socket that nobody has received", first);
	leave(first);
	expect_no_context("a socket in flight");
}

/* Two processes wait for the same socket's messages, and each gets one. */
static void check_two_processes(void)
{
	int parent = start_with_handlers(USER), children[2] = { fork_of(parent), fork_of(parent) }, clients[2];

	run(parent, CLOSE, -1);
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 2; i++)
			send_command(children[i], READ, -1);
		for (unsigned i = 0; i < 2; i++)
			clients[i] = send_one();
		for (unsigned i = 0; i < 2; i++)
			if (wait_result(children[i]) != HANDLED)
				die("%s: process %u of two reads what no handler saw, or nothing", kind->name, i);
		for (unsigned i = 0; i < 2; i++)
			if (clients[i] >= 0)
				close(clients[i]);
	}
	leave(children[0]);
	usleep(NOTICE_US);
	expect_handled("the other one of two processes", children[1]);
	run(children[1], DESTROY, -1);
	expect_ended_soon("another process has destroyed it", parent);
	expect_plain_soon("one process has destroyed the context", children[1]);
	leave(children[1]);
	leave(parent);
	expect_no_context("two processes");
}

/* An accepted connection is passed to another user, and the listening socket is closed. */
static void check_connection(void)
{
	int first = start_with_handlers(USER), second = start(OTHER), client;
	enum was was;

	client = send_one();
	run(second, TAKE, run(first, ACCEPT, -1));
	if (run(second, READ, -1) != HANDLED)
		die("%s: no handlers on a connection that another user has got", kind->name);
	run(first, CLOSE, -1);
	usleep(NOTICE_US);
	send_text(client);
	was = (enum was)run(second, READ, -1);
	if (was != (kind->outlives ? HANDLED : PLAIN))
		die("%s: a connection after its listening socket was closed: %d", kind->name, was);
	if (!kind->outlives)
		expect_ended_soon("the listening socket is closed", first);
	else if (run(first, ALIVE, -1) != 1)
		die("%s: the context has ended before its connection", kind->name);
	leave(first);
	do { /* until the context has ended */
		send_text(client);
		was = (enum was)run(second, READ, -1);
	} while (was == HANDLED);
	if (was != PLAIN)
		die("%s: nothing is read after the context's end", kind->name);
	leave(second);
	close(client);
	expect_no_context("a connection");
}

/*
 * A socket that root has bound to a port that users may not bind: whoever has got it attaches handlers, as the user that it is. Who bound
 * the socket does not count.
 */
static void check_privileged_port(void)
{
	int control = start(USER), err;

	port = 80;
	run(control, TAKE, open_socket());
	err = run(control, TRUST, -1);
	if (err != -EPERM)
		die("%s: the trusted class on a socket that root has bound: %d", kind->name, err);
	must_attach("a socket that root has bound", control);
	expect_handled("a socket that root has bound", control);
	leave(control);
	expect_no_context("a socket that root has bound");
	port = UDP_HOSTS_PORT;
}

static int run_all(void)
{
	static const struct {
		const char *name;
		void (*check)(void);
		int tcp_only;
	} checks[] = {
		{ "a socket that is passed to another user", check_other_user },
		{ "a socket in flight", check_in_flight },
		{ "a child that goes on", check_child },
		{ "a privileged port", check_privileged_port },
		{ "two processes with one socket", check_two_processes },
		{ "a connection that is passed on", check_connection, 1 },
	};

	proc_init();
	sender = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	udp_hosts__bind(sender, "10.9.0.2", UDP_HOSTS_SENDER);
	for (kind = kinds; kind < kinds + KINDS; kind++)
		for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
			if (checks[i].tcp_only && !kind->is_tcp)
				continue;
			checks[i].check();
			printf("ok: %s: %s\n", kind->name, checks[i].name);
			proc_progress();
		}
	return 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	spind__start(&spind, "");
	for (size_t i = 0; i < KINDS; i++)
		kinds[i].obj = built_open(kinds[i].handler);
	return spind__run_in_child(&spind, run_all);
}
