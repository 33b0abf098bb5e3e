/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the quotas of spind.conf: memory and instructions of an object, contexts of a user and of all users, connections of a user and of
 * all users. What just fits must be taken, and one more must be refused with a reason that names the setting. Contexts count in whatever
 * network namespace they are. Root is exempt from what is counted by user, and no user may take another's part. Run by tests/run.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "user/lib/descriptors.h"
#include "user/libspin/broker.h"
#include <spin/libspin_socket.h>

#define USER            1234
#define OTHER           1235
#define CROWD           2000 /* the first of many users */
#define SOCKETS         8
#define MEMORY_MIB      2u
#define CONNECTIONS_ALL 1024 /* CONNECTIONS_MAX of user/spind/front.c */
#define CROWD_EACH      64

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite, *big;   /* `big` has more memory and fewer instructions */
static int sockets[SOCKETS], client_socket; /* of the server's namespace; of the client's */

/* What `rewrite` takes without host memory, as spind counts it. */
static size_t map_bytes;
static unsigned instructions;

static void become(uid_t uid)
{
	if (seteuid(uid))
		die("cannot become user %u: %s", uid, strerror(errno));
}

/* spind sees the user at connect(). */
static int attach_object(uid_t uid, int fd, const struct spin_object *obj, size_t host_bytes, struct spin_ctx **ctx)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .host_bytes = host_bytes, .detached = 1 };
	int err;

	become(uid);
	err = spin_socket__attach(fd, obj, &opts, ctx);
	become(0);
	return err;
}

static int attach(uid_t uid, int fd, size_t host_bytes, struct spin_ctx **ctx)
{
	return attach_object(uid, fd, rewrite, host_bytes, ctx);
}

/* The reason must contain `names`. */
static void expect_refusal(const char *what, int err, int want, const char *names)
{
	if (err != want)
		die("%s: %d, not %d: %s", what, err, want, err ? spin_strerror_last() : "success");
	if (!strstr(spin_strerror_last(), names))
		die("%s: the reason does not name %s: %s", what, names, spin_strerror_last());
	printf("ok: %s: %s\n", what, spin_strerror_last());
}

static void must_attach(const char *what, uid_t uid, int fd, struct spin_ctx **ctx)
{
	if (attach(uid, fd, 0, ctx))
		die("%s: %s", what, spin_strerror_last());
	printf("ok: %s\n", what);
}

/* Attaches as soon as what has ended no longer counts. */
static void must_attach_soon(const char *what, uid_t uid, int fd, struct spin_ctx **ctx)
{
	for (int tries = 0; attach(uid, fd, 0, ctx); tries++) {
		if (tries == 200 * slow_factor())
			die("%s: %s", what, spin_strerror_last());
		usleep(20000);
	}
	printf("ok: %s\n", what);
}

/* --- memory and instructions of an object --- */

static int read_map_bytes(void *arg, const struct spin_socket_info *info)
{
	*(uint64_t *)arg = info->map_bytes;
	return 1;
}

static void measure(void)
{
	struct spin_ctx *ctx;
	const char *number;
	uint64_t bytes = 0;

	spind__start(&spind, "");
	must_attach("an object without limits", USER, sockets[0], &ctx);
	if (spin_socket__list(spind.socket, read_map_bytes, &bytes) != 1 || bytes <= SPIN_HOST_BYTES)
		die("no context is listed, or one without memory");
	map_bytes = (size_t)bytes - SPIN_HOST_BYTES;
	spin_ctx__destroy(ctx);
	spind__cleanup(&spind);

	spind__start(&spind, "instructions 1\n");
	expect_refusal("an object with more than one instruction", attach(USER, sockets[0], 0, &ctx), -EDQUOT, "`instructions`");
	number = strstr(spin_strerror_last(), " has ");
	if (!number || sscanf(number, " has %u instructions", &instructions) != 1 || instructions < 2)
		die("the reason has no number of instructions");
	spind__cleanup(&spind);
}

static struct object_case {
	const char *name, *settings;
	uid_t uid;
	size_t host_bytes;
	const char *names; /* the setting that refuses it; NULL: it is taken */
} object_cases[] = {
	{ "all the memory that a context may have", "memory", USER },
	{ "eight bytes more", "memory", USER, .names = "`memory`" },
	{ "eight bytes more, of root", "memory", 0, .names = "`memory`" },
	{ "host memory so large that a sum would overflow", "memory", USER, SIZE_MAX - 7, "`memory`" },
	{ "all the instructions that an object may have", "instructions", USER },
	{ "one instruction more", "instructions", USER, .names = "`instructions`" },
	{ "one instruction more, of root", "instructions", 0, .names = "`instructions`" },
};

static void check_object(const struct object_case *c)
{
	const int is_memory = !strcmp(c->settings, "memory");
	size_t host_bytes = c->host_bytes;
	char settings[64];
	struct spin_ctx *ctx;

	if (is_memory && !host_bytes)
		host_bytes = ((size_t)MEMORY_MIB << 20) - map_bytes + (c->names ? 8 : 0);
	snprintf(settings, sizeof(settings), "%s %u\n", c->settings, is_memory ? MEMORY_MIB : instructions - (c->names ? 1 : 0));
	spind__start(&spind, settings);
	if (c->names) {
		expect_refusal(c->name, attach(c->uid, sockets[0], host_bytes, &ctx), -EDQUOT, c->names);
	} else {
		if (attach(c->uid, sockets[0], host_bytes, &ctx))
			die("%s: %s", c->name, spin_strerror_last());
		spin_ctx__destroy(ctx);
		printf("ok: %s\n", c->name);
	}
	spind__cleanup(&spind);
}

/* What replaces handlers has the limits of new ones. */
static void check_replacement(const char *settings, const struct spin_object *old, const struct spin_object *new, const char *names)
{
	struct spin_ctx *ctx;
	uint32_t id;
	int err;

	spind__start(&spind, settings);
	if (attach_object(USER, sockets[0], old, 0, &ctx))
		die("handlers that are to be replaced: %s", spin_strerror_last());
	id = spin_socket__id(ctx);
	become(USER);
	err = spin_socket__swap(id, new, spind.socket);
	expect_refusal("a replacement beyond the limit", err, -EDQUOT, names);
	err = spin_socket__migrate(id, new, spind.socket, NULL);
	expect_refusal("a migration beyond the limit", err, -EDQUOT, names);
	become(0);
	if (spin_ctx__alive(ctx) < 0)
		die("a refused replacement has ended the context");
	spin_ctx__destroy(ctx);
	spind__cleanup(&spind);
}

static void check_replacements(void)
{
	char settings[64];

	snprintf(settings, sizeof(settings), "memory %u\n", MEMORY_MIB);
	check_replacement(settings, rewrite, big, "`memory`");
	snprintf(settings, sizeof(settings), "instructions %u\n", instructions - 1);
	check_replacement(settings, big, rewrite, "`instructions`");
}

/* --- contexts --- */

static void check_contexts_of_all(void)
{
	struct spin_ctx *of_user[2], *of_other, *of_root, *more;

	spind__start(&spind, "contexts 2\nall-contexts 3\n");
	must_attach("a user's first context", USER, sockets[0], &of_user[0]);
	must_attach("a user's second context", USER, sockets[1], &of_user[1]);
	expect_refusal("a user's third context", attach(USER, sockets[2], 0, &more), -EDQUOT, "`contexts`");
	must_attach("another user's context", OTHER, sockets[2], &of_other);
	expect_refusal("one more than all users may have", attach(OTHER, sockets[3], 0, &more), -EDQUOT, "`all-contexts`");
	must_attach("one more, of root", 0, sockets[3], &of_root);
	spin_ctx__destroy(of_root);
	spin_ctx__destroy(of_user[0]);
	must_attach_soon("another user's, after one has ended", OTHER, sockets[3], &more);
	spin_ctx__destroy(more);
	spin_ctx__destroy(of_user[1]);
	spin_ctx__destroy(of_other);
	spind__cleanup(&spind);
}

/* Each namespace has a process of its own, which counts its own contexts alone. */
static void check_namespaces(void)
{
	struct spin_ctx *here, *there, *more;

	spind__start(&spind, "contexts 2\nall-contexts 2\n");
	must_attach("a context in one namespace", USER, sockets[0], &here);
	must_attach("a context in another namespace", USER, client_socket, &there);
	if (spind__holders(&spind) != 2)
		die("%u processes for two namespaces", spind__holders(&spind));
	expect_refusal("one more, counted over both", attach(USER, sockets[1], 0, &more), -EDQUOT, "`contexts`");
	expect_refusal("one more of another user, counted over both", attach(OTHER, sockets[1], 0, &more), -EDQUOT, "`all-contexts`");
	spin_ctx__destroy(there);
	must_attach_soon("one more, after the one in the other namespace has ended", OTHER, sockets[1], &more);
	spin_ctx__destroy(more);
	spin_ctx__destroy(here);
	spind__cleanup(&spind);
}

/* --- connections --- */

/* Opens a connection that sends nothing. */
static int connect_silently(uid_t uid)
{
	int fd;

	become(uid);
	fd = broker__connect(spind.socket);
	become(0);
	if (fd < 0)
		die("no connection: %s", strerror(-fd));
	return fd;
}

static void check_connections(void)
{
	const struct timeval wait = slow_wait(15000);
	struct spin_ctx *ctx[SOCKETS], *more;
	int silent[3];
	char byte;

	spind__start(&spind, "connections 3\n");
	for (unsigned i = 0; i < 3; i++)
		silent[i] = connect_silently(USER);
	expect_refusal("a connection more than a user may have", attach(USER, sockets[0], 0, &more), -EBUSY, "`connections`");
	must_attach("a connection of another user", OTHER, sockets[0], &ctx[0]);
	must_attach("a connection of root", 0, sockets[1], &ctx[1]);
	close(silent[0]);
	must_attach_soon("a connection after one has been closed", USER, sockets[2], &ctx[2]);
	setsockopt(silent[1], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (recv(silent[1], &byte, 1, 0) != 0) /* after five seconds */
		die("spind does not close a connection that sends nothing");
	must_attach_soon("a connection after others have sent nothing for five seconds", USER, sockets[3], &ctx[3]);
	for (unsigned i = 4; i < SOCKETS; i++)
		must_attach_soon("connections with a context do not count", USER, sockets[i], &ctx[i]);
	for (unsigned i = 0; i < SOCKETS; i++)
		spin_ctx__destroy(ctx[i]);
	close(silent[1]);
	close(silent[2]);
	spind__cleanup(&spind);
}

/* Root may have any number, so that others' refusals do not lock it out. */
static void check_connections_of_root(void)
{
	struct spin_ctx *ctx;
	int silent[4];

	spind__start(&spind, "connections 3\n");
	for (unsigned i = 0; i < 4; i++)
		silent[i] = connect_silently(0);
	must_attach("a connection of root beyond what a user may have", 0, sockets[0], &ctx);
	spin_ctx__destroy(ctx);
	for (unsigned i = 0; i < 4; i++)
		close(silent[i]);
	spind__cleanup(&spind);
}

/* A broker that refuses its only client without reading the request, as spind does beyond its limits. */
static int refuse_unread(int listener)
{
	struct broker_answer answer = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .error = -EBUSY, .text = "the reason" };
	struct pollfd wait = { .fd = accept(listener, NULL, NULL), .events = POLLIN };

	return poll(&wait, 1, -1) != 1 || send(wait.fd, &answer, sizeof(answer), 0) != sizeof(answer);
}

/* The kernel then resets the connection, and libspin must read the reason nevertheless. */
static void check_unread_request(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct spin_ctx *ctx;
	pid_t pid;

	spind__start(&spind, "");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/busy", spind.directory);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1))
		die("cannot listen: %s", strerror(errno));
	pid = fork();
	if (!pid)
		_exit(refuse_unread(listener));
	close(listener);
	snprintf(spind.socket, sizeof(spind.socket), "%s", address.sun_path);
	expect_refusal("a request that is refused unread", attach(0, sockets[0], 0, &ctx), -EBUSY, "the reason");
	waitpid(pid, NULL, 0);
	spind__cleanup(&spind);
}

/* Many users, none of which has more connections than it may. spind closes them after five seconds: a slow machine may need another round. */
static void check_connections_of_all(void)
{
	static int silent[CONNECTIONS_ALL];
	struct spin_ctx *ctx, *of_root;
	int err = 0;

	spind__start(&spind, "");
	for (int round = 0; err != -EBUSY && round < 5; round++) {
		for (unsigned i = 0; i < CONNECTIONS_ALL; i++)
			silent[i] = connect_silently(CROWD + i / CROWD_EACH);
		err = attach(USER, sockets[0], 0, &ctx);
		if (err == -EBUSY) {
			expect_refusal("a connection more than all users may have", err, -EBUSY, "of all users");
			must_attach("a connection of root, of which there may be more", 0, sockets[1], &of_root);
			spin_ctx__destroy(of_root);
		}
		for (unsigned i = 0; i < CONNECTIONS_ALL; i++)
			close(silent[i]);
		if (!err)
			spin_ctx__destroy(ctx);
	}
	if (err != -EBUSY)
		die("of all users' connections there may be more than %d", CONNECTIONS_ALL);
	must_attach_soon("a connection after the others' have been closed", USER, sockets[0], &ctx);
	spin_ctx__destroy(ctx);
	spind__cleanup(&spind);
}

static void finish(void)
{
	if (!seteuid(0) && spind.directory[0])
		spind__cleanup(&spind);
}

static int run_all(void)
{
	atexit(finish); /* also of a failed check */
	measure();
	for (size_t i = 0; i < sizeof(object_cases) / sizeof(object_cases[0]); i++)
		check_object(&object_cases[i]);
	check_replacements();
	check_contexts_of_all();
	check_namespaces();
	check_connections();
	check_connections_of_root();
	check_unread_request();
	check_connections_of_all();
	return 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	descriptors_raise_limit();
	udp_hosts__hosts(&hosts);
	for (unsigned i = 0; i < SOCKETS; i++) {
		sockets[i] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
		udp_hosts__bind(sockets[i], "10.9.0.1", (uint16_t)(UDP_HOSTS_PORT + i));
	}
	client_socket = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	udp_hosts__bind(client_socket, "10.9.0.2", UDP_HOSTS_PORT);
	rewrite = built_open("rewrite");
	big = built_open("big_memory");
	return run_all();
}
