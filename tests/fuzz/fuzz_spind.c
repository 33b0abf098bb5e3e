/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends random messages to spind, the daemon that attaches handlers to users' sockets, from a user without privileges and, one connection
 * in eight, from root: requests of every kind with random fields, lengths and descriptors, ids of live contexts, whole and damaged objects
 * of datagrams, streams and segments, sockets of UDP and TCP with traffic, connections that end at once. spind must keep serving, all
 * processes must end by themselves, and a sanitizer must report nothing, leaks included. Run by tests/run and, longer, by `make fuzz`.
 *
 *	fuzz_spind [--messages N] [--seed N] [--loads N]
 *
 * One message in --loads (50) comes with an object, and takes as long as a hundred others. The environment variable SPIND selects another
 * spind than the one in the build, for example one with sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/spind.h"
#include "user/libspin/broker.h"
#include <spin/libspin_socket.h>

#define CONNECTIONS 24
#define MESSAGE_MAX 512
#define IDS         16 /* of contexts, the last ones */
#define ADDED_MAX   6  /* contexts of root, which end only when they are stopped */
#define TCP_PORT    (UDP_HOSTS_PORT + 60)
#define NOBODY      65534
#define END_SECONDS 120

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;
static uint64_t state = 1;
static uint32_t load_share = 50;

enum object_kind { DATAGRAMS, STREAMS, SEGMENTS, OBJECTS };
static struct {
	const char *handler;
	uint8_t *bytes;
	size_t count;
	int whole, unsealed;
} objects[OBJECTS] = { { .handler = "rewrite" }, { .handler = "lines" }, { .handler = "seg_socket" } };

/* A connection, whether it is root's, whether it has a context, and which kind was last asked for by it (OBJECTS: none). */
static struct {
	int fd, is_root, has_context;
	enum object_kind asked;
} connection[CONNECTIONS];

/* The last three change: traffic renews the connection. */
enum socket_kind { BOUND, ANY_ADDRESS, NO_PORT, IDLE_TCP, UNIX, UDP6, LISTENING, LISTENING6, ACCEPTED, CONNECTED, SOCKETS };
static int sockets[SOCKETS];
static int bound[16];
static int empty;
static uint32_t ids[IDS];
static uint32_t added[ADDED_MAX];                         /* contexts of ADD, the oldest first */
static unsigned long contexts[OBJECTS], operations, adds; /* answers without an error */

static uint32_t rand_below(uint32_t below)
{
	return (uint32_t)(random_next(&state) % below);
}

static int memory_file(const void *data, size_t bytes, int seals)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || (seals && fcntl(fd, F_ADD_SEALS, seals)))
		die("no memfd: %s", strerror(errno));
	return fd;
}

static int sealed(const void *data, size_t bytes)
{
	return memory_file(data, bytes, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

/* An object with some bytes changed, or truncated. */
static int damaged(enum object_kind kind)
{
	const size_t all = objects[kind].count, bytes = rand_below(4) ? all : rand_below((uint32_t)all) + 1;
	uint8_t *copy = malloc(all);
	int fd;

	memcpy(copy, objects[kind].bytes, all);
	for (uint32_t i = rand_below(8); i > 0; i--)
		copy[rand_below((uint32_t)all)] = (uint8_t)rand_below(256);
	fd = sealed(copy, bytes);
	free(copy);
	return fd;
}

/* --- sockets and traffic --- */

static int listen_at(int family, const char *address)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	udp_hosts__bind(fd, address, TCP_PORT);
	if (listen(fd, 64))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

/* Connects to a listening socket. If handlers keep a connection from being made, there is none until the next try. */
static void renew_connection(void)
{
	const int is6 = !rand_below(4), listener = sockets[is6 ? LISTENING6 : LISTENING];
	struct pollfd wait = { .fd = listener, .events = POLLIN };
	union asks_address to;
	socklen_t bytes = udp_hosts__address(is6 ? "fd09::1" : "10.9.0.1", TCP_PORT, &to);

	broker__close(&sockets[ACCEPTED], 2);
	sockets[CONNECTED] = socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connect(sockets[CONNECTED], &to.any, bytes) && errno != EINPROGRESS)
		die("cannot connect: %s", strerror(errno));
	if (poll(&wait, 1, 100) > 0)
		sockets[ACCEPTED] = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void send_traffic(void)
{
	static uint8_t bytes[4000];
	const int ends[] = { sockets[ACCEPTED], sockets[CONNECTED] };
	union asks_address to;
	socklen_t to_bytes = udp_hosts__address("10.9.0.1", UDP_HOSTS_PORT, &to);

	sendto(sockets[NO_PORT], bytes, 64, MSG_DONTWAIT, &to.any, to_bytes);
	while (recv(sockets[BOUND], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	for (unsigned i = 0; i < 2; i++) {
		if (ends[i] < 0)
			continue;
		send(ends[i], bytes, rand_below(sizeof(bytes)), MSG_DONTWAIT | MSG_NOSIGNAL);
		while (recv(ends[i], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
	}
}

static void open_descriptors(void)
{
	for (int i = 0; i < CONNECTIONS; i++)
		connection[i].fd = -1;
	for (unsigned i = 0; i < SOCKETS; i++)
		sockets[i] = -1;
	sockets[BOUND] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(sockets[BOUND], "10.9.0.1", UDP_HOSTS_PORT);
	sockets[ANY_ADDRESS] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(sockets[ANY_ADDRESS], "0.0.0.0", UDP_HOSTS_PORT + 10);
	sockets[NO_PORT] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	sockets[IDLE_TCP] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	sockets[UNIX] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	sockets[UDP6] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET6);
	udp_hosts__bind(sockets[UDP6], "fd09::1", UDP_HOSTS_PORT);
	sockets[LISTENING] = listen_at(AF_INET, "10.9.0.1");
	sockets[LISTENING6] = listen_at(AF_INET6, "fd09::1");
	renew_connection();
	for (unsigned i = 0; i < 16; i++) {
		bound[i] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
		udp_hosts__bind(bound[i], "10.9.0.1", (uint16_t)(UDP_HOSTS_PORT + 20 + i));
	}
	for (unsigned kind = 0; kind < OBJECTS; kind++) {
		objects[kind].whole = sealed(objects[kind].bytes, objects[kind].count);
		objects[kind].unsealed = memory_file(objects[kind].bytes, objects[kind].count, 0);
	}
	empty = open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

static int any_socket(enum object_kind kind)
{
	static const enum socket_kind tcp[] = { LISTENING, LISTENING6, ACCEPTED, CONNECTED };
	static const enum socket_kind udp[] = { BOUND, ANY_ADDRESS, UDP6 };

	if (!rand_below(8))
		return sockets[rand_below(SOCKETS)];
	if (kind == DATAGRAMS && rand_below(4))
		return bound[rand_below(16)];
	return sockets[kind == DATAGRAMS ? udp[rand_below(3)] : tcp[rand_below(4)]];
}

static int any_object(enum object_kind kind, int *is_own)
{
	*is_own = 0;
	switch (rand_below(12)) {
	case 0:
		return objects[kind].unsealed;
	case 1:
		return empty;
	case 2:
	case 3:
		*is_own = 1;
		return damaged(kind);
	default:
		return objects[kind].whole;
	}
}

/* --- messages --- */

/* spind sees the user that this process has while it connects. */
static void become(uid_t user)
{
	if (seteuid(user))
		die("cannot become user %u: %s", user, strerror(errno));
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* changing the user clears it */
}

static int connect_as(int is_root)
{
	int fd;

	if (is_root)
		become(0);
	fd = broker__connect(spind.socket);
	for (int tries = 0; fd < 0 && tries < 5000; tries++) { /* the listen queue is full */
		usleep(1000);
		fd = broker__connect(spind.socket);
	}
	if (is_root)
		become(NOBODY);
	if (fd < 0)
		die("spind takes no connection: %s", strerror(-fd));
	return fd;
}

/* Chooses an old connection or opens a new one for the next message, in place of one with a context only rarely. Returns its index. */
static unsigned any_connection(int is_new)
{
	unsigned at = rand_below(CONNECTIONS);

	if (connection[at].has_context && !is_new && !rand_below(8))
		return at;
	for (int i = 0; i < 8 && connection[at].has_context; i++)
		at = rand_below(CONNECTIONS);
	if (connection[at].fd >= 0 && !is_new && rand_below(3))
		return at;
	if (connection[at].fd >= 0)
		close(connection[at].fd);
	connection[at].is_root = !rand_below(8);
	connection[at].fd = connect_as(connection[at].is_root);
	connection[at].asked = OBJECTS;
	connection[at].has_context = 0;
	return at;
}

/* A live context's id, mostly: those of the answers. */
static uint32_t any_id(void)
{
	if (!rand_below(4))
		return rand_below(5000);
	return rand_below(3) ? ids[rand_below(IDS)] : added[rand_below(ADDED_MAX)];
}

static void fill_rule(char *text, size_t bytes)
{
	static const char *const rules[] = { "udp dport 7000",
					     "udp dport 7001-7100 dst 10.9.0.1",
					     "udp src 10.9.0.2/24 sport 1-7000",
					     "tcp dport 7060",
					     "udp vlan 5 dst fd09::1/64",
					     "ip6 udp",
					     "" };
	const size_t length = strlen(strncpy(text, rules[rand_below(7)], bytes - 1));

	if (!rand_below(3))
		for (uint32_t i = rand_below(4); i > 0; i--)
			text[rand_below((uint32_t)length + 4)] = (char)rand_below(256);
	if (!rand_below(50))
		memset(text, '1', bytes);
}

static void fill_request(struct broker_request *r, int loads, int is_root)
{
	static const char *const interfaces[] = { "s0", "s0", "lo", "none", "" };

	*r = (struct broker_request){ .magic = BROKER_MAGIC,
				      .version = BROKER_VERSION,
				      .op = rand_below(BROKER_MIGRATE + 2),
				      .class = rand_below(3),
				      .id = any_id() };
	if (!loads && !rand_below(3)) {
		static const uint32_t ops[] = { BROKER_OPEN, BROKER_SET_RULE, BROKER_LIST, BROKER_OPEN, BROKER_SET_RULE, BROKER_STOP };

		r->op = ops[rand_below(6)];
	}
	if (!rand_below(4))
		r->host_bytes = random_next(&state) >> rand_below(64);
	if (loads) {
		r->op = is_root && rand_below(2) ? BROKER_ADD
			: rand_below(3)          ? BROKER_CREATE
			: rand_below(2)          ? BROKER_SWAP
						 : BROKER_MIGRATE;
		r->class = rand_below(8) ? SPIN_CLASS_ISOLATED : SPIN_CLASS_TRUSTED;
		r->host_bytes = 0;
		r->share = rand_below(6) ? 0 : any_id();
	}
	for (uint32_t i = rand_below(loads ? 8 : 20); i > 0 && i <= sizeof(r->name); i--)
		r->name[i - 1] = (char)(loads || rand_below(6) ? 'a' + rand_below(26) : rand_below(256));
	strcpy(r->interface, interfaces[rand_below(5)]);
	fill_rule(r->rule, sizeof(r->rule));
}

static unsigned fill_descriptors(const struct broker_request *request, int loads, enum object_kind kind, int *fds, int *is_own)
{
	unsigned count = 0;

	*is_own = 0;
	if (loads) {
		if (request->op == BROKER_ADD)
			fds[count++] = rand_below(8) ? hosts.server_ns : any_socket(kind);
		else if (request->op == BROKER_CREATE)
			fds[count++] = any_socket(kind);
		fds[count++] = any_object(kind, is_own);
		if (fds[0] < 0) { /* there is no connection */
			fds[0] = fds[1];
			count = 1;
		}
		return count;
	}
	if (!rand_below(8))
		for (uint32_t i = rand_below(BROKER_FDS); i > 0; i--) {
			const int fd = rand_below(2) ? sockets[rand_below(SOCKETS)] : empty;

			if (fd >= 0)
				fds[count++] = fd;
		}
	return count;
}

/* Asks root's spind to end the oldest context of ADD, to have room for one more. */
static void keep_added(uint32_t id)
{
	struct broker_request stop = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_STOP, .id = added[0] };
	int fd;

	if (stop.id) {
		fd = connect_as(1);
		broker__send(fd, &stop, sizeof(stop), NULL, 0, 0);
		close(fd);
	}
	memmove(added, added + 1, sizeof(added) - sizeof(added[0]));
	added[ADDED_MAX - 1] = id;
}

static void read_answer(unsigned at, uint32_t op, enum object_kind kind)
{
	struct broker_answer answer;
	int got[BROKER_FDS];
	unsigned got_count;

	if (broker__receive(connection[at].fd, &answer, sizeof(answer), got, &got_count, MSG_DONTWAIT) == sizeof(answer) && !answer.error) {
		if (op == BROKER_CREATE && answer.memories && kind != OBJECTS) {
			contexts[kind]++;
			connection[at].has_context = 1;
			ids[rand_below(IDS)] = answer.id;
		} else if (op == BROKER_ADD) {
			adds++;
			keep_added(answer.id);
		} else if (op != BROKER_LIST) {
			operations++;
		}
	}
	broker__close(got, got_count);
}

static void send_one(void)
{
	const int loads = !rand_below(load_share); /* slow requests: loads, and checks of objects */
	const enum object_kind kind = rand_below(OBJECTS);
	const unsigned at = any_connection(loads);
	struct broker_request request;
	uint8_t message[MESSAGE_MAX];
	size_t bytes = sizeof(request);
	int fds[BROKER_FDS], is_own;
	unsigned count;

	fill_request(&request, loads, connection[at].is_root);
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)rand_below(256);
	memcpy(message, &request, sizeof(request));
	if (!rand_below(loads ? 8 : 4))
		message[rand_below(sizeof(request))] = (uint8_t)rand_below(256);
	if (!rand_below(loads ? 16 : 6))
		bytes = rand_below(MESSAGE_MAX);
	count = fill_descriptors(&request, loads, kind, fds, &is_own);
	if (broker__send(connection[at].fd, message, bytes, fds, count, MSG_DONTWAIT)) {
		close(connection[at].fd);
		connection[at].fd = -1;
		connection[at].has_context = 0;
	}
	if (is_own)
		close(fds[count - 1]);
	if (connection[at].fd < 0)
		return;
	if (loads)
		connection[at].asked = kind;
	/* otherwise the connection continues, or ends, while it is served; nobody may forget a context that ends only when it is stopped */
	if (loads ? request.op == BROKER_ADD || rand_below(4) : !rand_below(8)) {
		struct pollfd wait = { .fd = connection[at].fd, .events = POLLIN };

		poll(&wait, 1, loads ? 1000 : 20);
	}
	if (loads || !rand_below(4))
		read_answer(at, request.op, connection[at].asked);
	if (loads && !rand_below(2))
		renew_connection();
	if (!rand_below(16))
		send_traffic();
}

static int stop_context(void *arg, const struct spin_socket_info *info)
{
	(void)arg;
	if (!info->uid)
		spin_socket__stop(info->id, spind.socket);
	return 0;
}

/* Stops root's contexts: those of ADD end only so, and their rules may overlap with any other's. */
static void stop_contexts(void)
{
	become(0);
	spin_socket__list(spind.socket, stop_context, NULL);
	become(NOBODY);
	memset(added, 0, sizeof(added));
}

/* Checks that a libspin client is still served. */
static void check_service(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET), err = 0;
	struct spin_ctx *ctx = NULL;

	for (int i = 0; i < CONNECTIONS; i++) {
		if (connection[i].fd >= 0)
			close(connection[i].fd);
		connection[i].fd = -1;
		connection[i].has_context = 0;
	}
	udp_hosts__bind(fd, "10.9.0.1", UDP_HOSTS_PORT + 99);
	opts.broker = spind.socket;
	for (int tries = 0; tries < 10 * END_SECONDS; tries++) { /* loads of connections that were just closed come first */
		stop_contexts();
		err = spin_socket__attach(fd, rewrite, &opts, &ctx);
		if (!err)
			break;
		usleep(100000);
	}
	if (err)
		die("spind serves nobody any more: %s", spin_strerror_last());
	spin_ctx__destroy(ctx);
	close(fd);
}

static int run(unsigned long messages)
{
	if (setgroups(0, NULL) || setegid(NOBODY))
		die("cannot leave root's groups");
	become(NOBODY);
	open_descriptors();
	for (unsigned long i = 0; i < messages; i++) {
		send_one();
		if (i % 100000 == 99999) {
			check_service();
			printf("%lu messages\n", i + 1);
		}
	}
	check_service();
	stop_contexts();
	for (unsigned i = 0; i < OBJECTS; i++)
		if (!contexts[i] && messages / load_share >= 200)
			die("no context of %s has been made", objects[i].handler);
	if (messages / load_share >= 200 && (!adds || !operations))
		die("root has added %lu contexts and %lu operations were done", adds, operations);
	printf("%lu messages, %lu contexts of datagrams, %lu of streams, %lu of segments, %lu by rule, %lu other answers, and spind serves on\n",
	       messages, contexts[DATAGRAMS], contexts[STREAMS], contexts[SEGMENTS], adds, operations);
	return 0;
}

static void read_object(enum object_kind kind)
{
	char path[512];
	FILE *file;

	if (built_object(objects[kind].handler, path, sizeof(path)))
		die("%s is not built", objects[kind].handler);
	file = fopen(path, "re");
	if (!file || fseek(file, 0, SEEK_END) || ftell(file) <= 0)
		die("%s cannot be read", path);
	objects[kind].count = (size_t)ftell(file);
	objects[kind].bytes = malloc(objects[kind].count);
	rewind(file);
	if (!objects[kind].bytes || fread(objects[kind].bytes, 1, objects[kind].count, file) != objects[kind].count)
		die("%s cannot be read", path);
	fclose(file);
}

/*
 * The front process ends by SIGTERM, and the holders, which then have no contexts, end by themselves: a sanitizer looks for leaks when a
 * process exits, not when it is killed. Returns 0 if all is well.
 */
static int end_spind(void)
{
	int failed = 0;

	if (waitpid(spind.pid, NULL, WNOHANG)) {
		printf("FAIL: spind has ended\n");
		failed = 1;
	}
	spind__kill(&spind, SIGTERM);
	for (int i = 0; spind__holders(&spind) && i < 10 * END_SECONDS; i++)
		usleep(100000);
	if (spind__holders(&spind)) {
		printf("FAIL: %u holders have contexts, without spind and clients\n", spind__holders(&spind));
		failed = 1;
	}
	return failed | !!spind__stderr_lines(&spind);
}

int main(int argc, char **argv)
{
	unsigned long messages = 20000;
	int status = 1;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--messages"))
			messages = strtoul(argv[i + 1], NULL, 10);
		if (!strcmp(argv[i], "--seed"))
			state = strtoull(argv[i + 1], NULL, 10);
		if (!strcmp(argv[i], "--loads") && atoi(argv[i + 1]) > 0)
			load_share = (uint32_t)atoi(argv[i + 1]);
	}
	udp_hosts__hosts(&hosts);
	rewrite = built_open("rewrite");
	for (unsigned kind = 0; kind < OBJECTS; kind++)
		read_object(kind);
	spind__start(&spind, "contexts 16\nconnections 4096\n");
	child = fork();
	if (!child)
		exit(run(messages));
	waitpid(child, &status, 0);
	if (end_spind())
		status = 1 << 8;
	spind__cleanup(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
