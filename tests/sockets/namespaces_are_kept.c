/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests sockets of another network namespace than spind's. With `namespaces yes` handlers must run on them, with `namespaces no` they must
 * be refused to all but root. What counts is the namespace of the socket, not that of the program: either may have got there from the
 * other. Root of a user namespace is an ordinary user. Run by tests/run.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

enum place { HERE, THERE, PLACES }; /* spind's namespace, and another one */

static const char *const addresses[PLACES] = { "10.8.0.1", "10.8.0.2" };
static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;
static int namespaces[PLACES];
static int sockets[PLACES], senders[PLACES]; /* a sender in a namespace sends to the socket of the other one */

static const struct test_case {
	const char *name, *settings;
	enum place program, socket;
	int is_root, err;
} cases[] = {
	{ "a program of another namespace", "namespaces yes\n", THERE, THERE },
	{ "a socket of another namespace, passed to a program here", "namespaces yes\n", HERE, THERE },
	{ "a socket of spind's namespace, passed to a program of another one", "namespaces yes\n", THERE, HERE },
	{ "the default: a program of another namespace", "", THERE, THERE },
	{ "a program of another namespace, which spind does not serve", "namespaces no\n", THERE, THERE, .err = -EPERM },
	{ "a socket of such a namespace, passed to a program here", "namespaces no\n", HERE, THERE, .err = -EPERM },
	{ "a socket of spind's namespace, passed to a program of such a one", "namespaces no\n", THERE, HERE },
	{ "a program of spind's namespace", "namespaces no\n", HERE, HERE },
	{ "root's program of such a namespace", "namespaces no\n", THERE, THERE, .is_root = 1 },
};

static const struct test_case cases_of_user_namespaces[] = {
	{ "root of a user namespace", "namespaces yes\n" },
	{ "root of a user namespace, whose network namespace spind does not serve", "namespaces no\n", .err = -EPERM },
};

static void check_program(const struct test_case *c)
{
	const struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket };
	const enum place from = c->socket == HERE ? THERE : HERE;
	struct spin_ctx *ctx;
	int err;

	netns_enter(namespaces[c->program]);
	if (!c->is_root)
		spind__drop_privileges();
	err = spin_socket__attach(sockets[c->socket], rewrite, &opts, &ctx);
	if (err != c->err)
		die("%s: %d, not %d: %s", c->name, err, c->err, err ? spin_strerror_last() : "success");
	if (err && !strstr(spin_strerror_last(), "`namespaces`"))
		die("%s: the reason does not name `namespaces`: %s", c->name, spin_strerror_last());
	if (udp_hosts__is_rewritten(senders[from], addresses[c->socket], UDP_HOSTS_PORT, &sockets[c->socket], 1) != !err)
		die("%s: handlers %s", c->name, err ? "run although they were refused" : "do not run");
	if (!err)
		spin_ctx__destroy(ctx);
	printf("ok: %s: %s\n", c->name, err ? spin_strerror_last() : "allowed");
}

static void run_case(const struct test_case *c, void (*check)(const struct test_case *c))
{
	int status = 1;
	pid_t child;

	spind__start(&spind, c->settings);
	fflush(stdout);
	child = fork();
	if (!child) {
		check(c);
		exit(0);
	}
	waitpid(child, &status, 0);
	spind__cleanup(&spind);
	if (status)
		exit(1);
}

/* --- root of a user namespace --- */

/* Returns 0 if this system lets users make namespaces. */
static int become_root_of_a_namespace(void)
{
	const char map[] = "0 65534 1";
	int fd;

	spind__drop_privileges();
	prctl(PR_SET_DUMPABLE, 1); /* otherwise uid_map is root's */
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, map, strlen(map)) < 0 || geteuid())
		die("cannot become root of a user namespace: %s", strerror(errno));
	close(fd);
	return 0;
}

static int find_uid(void *arg, const struct spin_socket_info *info)
{
	*(uint32_t *)arg = info->uid;
	return 1;
}

/* It has another network namespace as well, on which the case depends. */
static void check_root_of_a_namespace(const struct test_case *c)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .trusted = 1 };
	struct spin_ctx *ctx;
	uint32_t uid = 0;
	int fd, from, err;

	if (become_root_of_a_namespace()) {
		printf("skip: users cannot make namespaces here\n");
		return;
	}
	netns_shell("ip link set lo up");
	fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(fd, "127.0.0.1", UDP_HOSTS_PORT);
	from = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(from, "127.0.0.1", UDP_HOSTS_SENDER);
	err = spin_socket__attach(fd, rewrite, &opts, &ctx);
	if (err != -EPERM)
		die("root of a user namespace has the trusted class: %d", err);
	opts.trusted = 0;
	err = spin_socket__attach(fd, rewrite, &opts, &ctx);
	if (err != c->err)
		die("%s: %d: %s", c->name, err, err ? spin_strerror_last() : "success");
	if (!err) {
		if (!udp_hosts__is_rewritten(from, "127.0.0.1", UDP_HOSTS_PORT, &fd, 1))
			die("root of a user namespace: handlers do not run");
		if (spin_socket__list(spind.socket, find_uid, &uid) != 1 || uid != 65534)
			die("the context of root of a user namespace is user %u's", uid);
		spin_ctx__destroy(ctx);
	}
	printf("ok: %s: %s\n", c->name, err ? spin_strerror_last() : "allowed, as an ordinary user");
}

/* Two namespaces with a link between them. Ends in spind's. */
static void make_namespaces(void)
{
	char command[128];

	udp_hosts__hosts(&hosts);
	namespaces[HERE] = hosts.server_ns;
	namespaces[THERE] = netns_new();
	snprintf(command, sizeof(command), "ip link add o1 type veth peer name o0 netns /proc/%d/fd/%d", getpid(), namespaces[HERE]);
	netns_shell(command);
	netns_shell("ip link set lo up && ip link set o1 up && ip addr add 10.8.0.2/24 dev o1");
	netns_enter(namespaces[HERE]);
	netns_shell("ip link set o0 up && ip addr add 10.8.0.1/24 dev o0");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	make_namespaces();
	for (int i = 0; i < PLACES; i++) {
		sockets[i] = udp_hosts__socket(&hosts, namespaces[i], AF_INET);
		udp_hosts__bind(sockets[i], addresses[i], UDP_HOSTS_PORT);
		senders[i] = udp_hosts__socket(&hosts, namespaces[i], AF_INET);
		udp_hosts__bind(senders[i], addresses[i], UDP_HOSTS_SENDER);
	}
	rewrite = built_open("rewrite");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(&cases[i], check_program);
	for (size_t i = 0; i < sizeof(cases_of_user_namespaces) / sizeof(cases_of_user_namespaces[0]); i++)
		run_case(&cases_of_user_namespaces[i], check_root_of_a_namespace);
	return 0;
}
