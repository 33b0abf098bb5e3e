/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what a user may not do with handlers on his socket. Handlers must not see packets of other programs, whatever becomes of port,
 * address and socket, nor steer their own to other sockets. spind must refuse, with errno and reason: descriptors that are no such sockets,
 * classes and objects that he may not use, more contexts than his quota, and operations on another user's context. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "user/libspin/broker.h"
#include <spin/libspin_socket.h>

#define CONTEXTS         4
#define AT_ONCE          48u
#define FOREIGN          "10.9.0.77" /* no host has it */
#define GROUP            "239.9.0.1"
#define OTHER_UID        1234
#define SLOW_UID         1235
#define SLOW_DESCRIPTORS 400

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite, *messages, *sum;
static int sender, raw_ifindex;

static int attach(int fd, const struct spin_object *obj, enum spin_class class, struct spin_ctx **ctx)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };

	opts.broker = spind.socket;
	opts.trusted = class == SPIN_CLASS_TRUSTED;
	return spin_socket__attach(fd, obj, &opts, ctx);
}

static struct spin_ctx *must_attach(int fd)
{
	struct spin_ctx *ctx;

	if (attach(fd, rewrite, SPIN_CLASS_ISOLATED, &ctx))
		die("cannot attach: %s", spin_strerror_last());
	return ctx;
}

static void expect(const char *what, int got, int want)
{
	if (got != want)
		die("%s: %d, not %d: %s", what, got, want, got ? spin_strerror_last() : "success");
	if (want && (!spin_strerror_last()[0] || strstr(spin_strerror_last(), "(null)")))
		die("%s: no reason", what);
	printf("ok: %s: %s\n", what, want ? spin_strerror_last() : "allowed");
}

static int receiver(const char *address, uint16_t port)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);

	udp_hosts__bind(fd, address, port);
	return fd;
}

/* --- descriptors that are not a socket for handlers --- */

static void check_descriptors(void)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET), pair[2];
	struct spin_ctx *ctx;

	expect("a socket without a port", attach(fd, rewrite, SPIN_CLASS_ISOLATED, &ctx), -EDESTADDRREQ);
	close(fd);
	expect("a closed descriptor", attach(fd, rewrite, SPIN_CLASS_ISOLATED, &ctx), -EBADF);
	if (pipe(pair))
		die("no pipe");
	expect("a pipe", attach(pair[0], rewrite, SPIN_CLASS_ISOLATED, &ctx), -ENOTSOCK);
	close(pair[0]);
	close(pair[1]);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	expect("a socket of TCP", attach(fd, rewrite, SPIN_CLASS_ISOLATED, &ctx), -ENOTCONN);
	close(fd);
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	expect("a Unix socket", attach(fd, rewrite, SPIN_CLASS_ISOLATED, &ctx), -EPROTONOSUPPORT);
	close(fd);
}

static void check_objects(void)
{
	int fd = receiver("10.9.0.1", UDP_HOSTS_PORT), other;
	struct spin_ctx *ctx, *second;

	expect("the trusted class", attach(fd, rewrite, SPIN_CLASS_TRUSTED, &ctx), -EPERM);
	expect("handlers of messages", attach(fd, messages, SPIN_CLASS_ISOLATED, &ctx), -EOPNOTSUPP);
	ctx = must_attach(fd);
	expect("a second context on a socket", attach(fd, rewrite, SPIN_CLASS_ISOLATED, &second), -EEXIST);
	other = dup(fd);
	expect("a second one by another descriptor of it", attach(other, rewrite, SPIN_CLASS_ISOLATED, &second), -EEXIST);
	spin_ctx__destroy(ctx);
	close(fd);
	if (udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &other, 1))
		die("the handlers of a context that was destroyed run");
	close(other);
}

static void check_quota(void)
{
	int fd[CONTEXTS + 1];
	struct spin_ctx *ctx[CONTEXTS], *more;

	for (unsigned i = 0; i <= CONTEXTS; i++)
		fd[i] = receiver("10.9.0.1", (uint16_t)(UDP_HOSTS_PORT + 100 + i));
	for (unsigned i = 0; i < CONTEXTS; i++)
		ctx[i] = must_attach(fd[i]);
	expect("a context more than a user may have", attach(fd[CONTEXTS], rewrite, SPIN_CLASS_ISOLATED, &more), -EDQUOT);
	for (unsigned i = 0; i < CONTEXTS; i++)
		spin_ctx__destroy(ctx[i]);
	for (int tries = 0; attach(fd[CONTEXTS], rewrite, SPIN_CLASS_ISOLATED, &more); tries++) {
		if (tries == 100)
			die("no context after all others were destroyed: %s", spin_strerror_last());
		usleep(20000);
	}
	spin_ctx__destroy(more);
	for (unsigned i = 0; i <= CONTEXTS; i++)
		close(fd[i]);
}

static struct at_once {
	pthread_t thread;
	struct spin_ctx *ctx;
	int fd;
} at_once[AT_ONCE];
static pthread_barrier_t all_ready;

static void *attach_at_once(void *arg)
{
	struct at_once *a = arg;

	pthread_barrier_wait(&all_ready);
	if (attach(a->fd, rewrite, SPIN_CLASS_ISOLATED, &a->ctx))
		a->ctx = NULL;
	return NULL;
}

/* The same with simultaneous requests: none of them has its context yet when the others are counted. Returns the number of contexts. */
static unsigned check_quota_at_once(void)
{
	unsigned count = 0;

	pthread_barrier_init(&all_ready, NULL, AT_ONCE);
	for (unsigned i = 0; i < AT_ONCE; i++) {
		at_once[i].fd = receiver("10.9.0.1", (uint16_t)(UDP_HOSTS_PORT + 200 + i));
		at_once[i].ctx = NULL;
		if (pthread_create(&at_once[i].thread, NULL, attach_at_once, &at_once[i]))
			die("no thread");
	}
	for (unsigned i = 0; i < AT_ONCE; i++) {
		pthread_join(at_once[i].thread, NULL);
		count += at_once[i].ctx != NULL;
	}
	if (count > CONTEXTS)
		die("of %u requests that came together %u have contexts", AT_ONCE, count);
	for (unsigned i = 0; i < AT_ONCE; i++) {
		if (at_once[i].ctx)
			spin_ctx__destroy(at_once[i].ctx);
		close(at_once[i].fd);
	}
	pthread_barrier_destroy(&all_ready);
	return count;
}

/* Closes fd in a thread, where a close may block. */
static void *close_one(void *arg)
{
	close((int)(intptr_t)arg);
	return NULL;
}

static void close_without_wait(int fd)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	errno = pthread_create(&thread, &attr, close_one, (void *)(intptr_t)fd);
	if (errno)
		die("no thread: %s", strerror(errno));
	pthread_attr_destroy(&attr);
}

/* --- packets of other programs --- */

static uint64_t refused_now, left_now;

static int add_counts(void *arg, const struct spin_socket_info *info)
{
	(void)arg;
	refused_now += info->refused;
	left_now += info->left;
	return 0;
}

static void read_counts(void)
{
	refused_now = left_now = 0;
	if (spin_socket__list(spind.socket, add_counts, NULL))
		die("cannot list: %s", spin_strerror_last());
}

/* A handler that steers its packet to another socket, as if from the packet's sender. */
static void check_steering(void)
{
	int fd = receiver("10.9.0.1", UDP_HOSTS_PORT), victim = receiver("10.9.0.1", UDP_HOSTS_OTHER);
	struct spin_ctx *ctx = must_attach(fd);
	struct asks_ask ask, got;

	for (int i = 0; i < 3; i++) {
		udp_hosts__send(sender, "10.9.0.1", UDP_HOSTS_PORT, ASK_PORT, 0, &ask);
		if (udp_hosts__read(&victim, 1, &ask, &got))
			die("a handler has steered a datagram to another socket");
	}
	read_counts();
	if (refused_now < 1)
		die("no datagram was refused");
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
		die("the handler does not run any more");
	spin_ctx__destroy(ctx);
	close(fd);
	close(victim);
	printf("ok: a datagram steered to another socket is dropped\n");
}

/* A socket whose port the kernel chose releases it when it is disconnected; another program then gets that port. */
static void check_released_port(void)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET), victim;
	struct sockaddr nobody = { .sa_family = AF_UNSPEC };
	union asks_address peer, own;
	socklen_t bytes = udp_hosts__address("10.9.0.2", UDP_HOSTS_SENDER, &peer), own_bytes = sizeof(own);
	struct spin_ctx *ctx, *victims;
	uint16_t port;

	if (connect(fd, &peer.any, bytes) || getsockname(fd, &own.any, &own_bytes))
		die("cannot connect");
	port = ntohs(own.ip4.sin_port);
	ctx = must_attach(fd);
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", port, &fd, 1))
		die("the handler does not run");
	if (connect(fd, &nobody, sizeof(nobody)))
		die("cannot disconnect");
	victim = receiver("10.9.0.1", port);
	if (udp_hosts__is_rewritten(sender, "10.9.0.1", port, &victim, 1))
		die("a handler has another program's packets: of a port that its own gave back");
	for (int tries = 0; attach(victim, rewrite, SPIN_CLASS_ISOLATED, &victims); tries++) {
		if (tries == 100)
			die("a program cannot have handlers on a port that another one gave back: %s", spin_strerror_last());
		usleep(50000);
	}
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", port, &victim, 1))
		die("the handlers of the port's next program do not run");
	spin_ctx__destroy(victims);
	spin_ctx__destroy(ctx);
	close(fd);
	close(victim);
	printf("ok: of a port that was given back the handlers have nothing, and the next program has it\n");
}

/* The socket is closed, and another program has its port, before spind notices. */
static void check_closed_socket(void)
{
	for (int i = 0; i < 20; i++) {
		int fd = receiver("10.9.0.1", UDP_HOSTS_PORT), victim;
		struct spin_ctx *ctx = must_attach(fd);

		close(fd);
		victim = receiver("10.9.0.1", UDP_HOSTS_PORT);
		if (udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &victim, 1))
			die("a handler has the packets of the next program on its port");
		if (!i) {
			for (int tries = 0; spin_ctx__alive(ctx) >= 0; tries++) {
				if (tries == 200)
					die("the context of a closed socket lives on");
				usleep(50000);
			}
			expect("a context whose socket was closed", spin_ctx__alive(ctx), -ENOTCONN);
		}
		spin_ctx__destroy(ctx);
		close(victim);
	}
	printf("ok: the next program on a port has its packets untouched\n");
}

/*
 * A duplicate of the descriptor keeps the socket and its handlers. A child's copy of libspin's connection must not keep a destroyed
 * context.
 */
static void check_duplicates(void)
{
	int fd = receiver("10.9.0.1", UDP_HOSTS_PORT), copy = dup(fd);
	struct spin_ctx *ctx = must_attach(fd);
	pid_t child;

	close(fd);
	usleep(600000);
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &copy, 1))
		die("the handlers have gone although a descriptor of the socket is open");
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	spin_ctx__destroy(ctx);
	if (udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &copy, 1))
		die("a child's copy of the connection keeps a context that was destroyed");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(copy);
	printf("ok: handlers stay while any descriptor of the socket is open\n");
}

/*
 * With IP_FREEBIND a socket can be bound to an address that the host does not have. Frames to that address may pass by, for example on a
 * bridge, for another host.
 */
static void check_foreign_address(void)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET), one = 1;
	struct spin_ctx *ctx;
	struct asks_ask ask;

	if (setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one)))
		die("no IP_FREEBIND");
	udp_hosts__bind(fd, FOREIGN, UDP_HOSTS_PORT);
	ctx = must_attach(fd);
	for (int i = 0; i < 5; i++)
		udp_hosts__send(sender, FOREIGN, UDP_HOSTS_PORT, ASK_STORE, 0, &ask);
	for (int tries = 0; left_now < 5; tries++) {
		if (tries == 100)
			die("%u of 5 datagrams to another host were left alone", (unsigned)left_now);
		usleep(20000);
		read_counts();
	}
	spin_ctx__destroy(ctx);
	close(fd);
	printf("ok: handlers see no packets to addresses that the host does not have\n");
}

/*
 * Attached while bound to any address of both versions; then the port is released and bound again for IPv6 only, and another program has it
 * for IPv4.
 */
static void check_version_that_was_left(void)
{
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET6), one = 1, no = 0, victim;
	struct sockaddr nobody = { .sa_family = AF_UNSPEC };
	union asks_address peer, own;
	socklen_t bytes = udp_hosts__address("::ffff:10.9.0.2", UDP_HOSTS_SENDER, &peer), own_bytes = sizeof(own);
	struct spin_ctx *ctx;
	uint16_t port;

	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	udp_hosts__bind(fd, "::", 0);
	if (getsockname(fd, &own.any, &own_bytes))
		die("no port");
	port = ntohs(own.ip6.sin6_port);
	ctx = must_attach(fd);
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", port, &fd, 1))
		die("the handler does not run");
	if (connect(fd, &peer.any, bytes) || connect(fd, &nobody, sizeof(nobody)))
		die("cannot disconnect");
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one))) {
		printf("ok: this kernel keeps the port of such a socket\n");
	} else {
		udp_hosts__bind(fd, "::", port);
		victim = receiver("0.0.0.0", port);
		if (udp_hosts__is_rewritten(sender, "10.9.0.1", port, &victim, 1))
			die("handlers of a socket of IPv6 alone have another program's packets of IPv4");
		close(victim);
		printf("ok: handlers of a socket that has become one of IPv6 alone have no packets of IPv4\n");
	}
	spin_ctx__destroy(ctx);
	close(fd);
}

/* A group's datagrams reach every socket that has joined it, so handlers on a socket that is bound to any address must not see them. */
static void check_group_of_others(void)
{
	struct ip_mreq join = { .imr_multiaddr.s_addr = inet_addr(GROUP), .imr_interface.s_addr = inet_addr("10.9.0.1") };
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	struct spin_ctx *ctx;

	if (setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)))
		die("cannot join");
	udp_hosts__bind(fd, "0.0.0.0", UDP_HOSTS_PORT);
	ctx = must_attach(fd);
	if (udp_hosts__is_rewritten(sender, GROUP, UDP_HOSTS_PORT, &fd, 1))
		die("handlers of a socket of any address see a group's datagrams");
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
		die("the handler does not run");
	spin_ctx__destroy(ctx);
	close(fd);
	printf("ok: a group's datagrams come untouched to a socket of any address\n");
}

/* A frame with a VLAN tag belongs to that VLAN's interface, whatever its addresses. */
static void check_vlan(int raw)
{
	const struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = raw_ifindex, .sll_halen = 6, .sll_addr = { 2, 0, 0, 0, 0, 1 }
	};
	static const uint8_t frame[] = {
		2,    0, 0,    0,    0,    1,    2, 0,  0,  0,  0, 2, 0x81, 0, 0, 5, 8,  0, /* VLAN 5, IPv4 */
		0x45, 0, 0,    60,   0,    0,    0, 0,  64, 17, 0, 0, 10,   9, 0, 2, 10, 9,
		0,    1, 0x1b, 0x59, 0x1b, 0x58, 0, 40, 0,  0, /* ports 7001 and 7000, 40 bytes, no checksum */
		2,    0, 0,    16,   0,    12,
	};
	uint8_t whole[18 + 60] = { 0 };
	int fd = receiver("10.9.0.1", UDP_HOSTS_PORT);
	struct spin_ctx *ctx = must_attach(fd);
	uint64_t packets[SPIN_REASON_COUNT];

	memcpy(whole, frame, sizeof(frame));
	left_now = 0;
	for (int tries = 0; left_now < 3; tries++) {
		if (tries == 100)
			die("frames of a VLAN are not left alone");
		if (sendto(raw, whole, sizeof(whole), 0, (const struct sockaddr *)&to, sizeof(to)) < 0)
			die("cannot send a frame: %s", strerror(errno));
		usleep(20000);
		read_counts();
	}
	spin_ctx__counters(ctx, packets);
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		if (packets[r])
			die("handlers see frames of a VLAN");
	spin_ctx__destroy(ctx);
	close(fd);
	printf("ok: frames of a VLAN are left alone\n");
}

/* A client that sends requests all the time must not keep a context whose socket is closed. */
static void check_busy_client(void)
{
	int fd = receiver("10.9.0.1", UDP_HOSTS_PORT), gone = 0;
	struct spin_ctx *ctx = must_attach(fd);

	close(fd);
	for (int i = 0; i < 500 && !gone; i++) {
		gone = spin_ctx__detach(ctx) == -ENOTCONN || spin_ctx__attach(ctx) == -ENOTCONN;
		usleep(10000);
	}
	if (!gone)
		die("a client that asks all the time keeps its context after its socket was closed");
	spin_ctx__destroy(ctx);
	printf("ok: a client that asks all the time keeps no context\n");
}

/* A sealed object, as libspin passes it to spind. */
static int seal_object(const char *handler)
{
	static char data[4 << 20];
	char path[512];
	FILE *file;
	size_t bytes;

	if (built_object(handler, path, sizeof(path)) || !(file = fopen(path, "re")))
		die("no object of %s", handler);
	bytes = fread(data, 1, sizeof(data), file);
	fclose(file);
	return broker__seal(data, bytes);
}

/* Sends requests with sockets of TCP that linger, because their peers do not read, and forgets both. */
static void send_slow_descriptors(int count, int object_fd)
{
	const struct linger linger = { 1, 20 };
	struct broker_request request = {
		.magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_STOP, .id = 1, .class = SPIN_CLASS_ISOLATED
	};
	int listener = socket(AF_INET, SOCK_STREAM, 0), fds[2] = { -1, object_fd };
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(own);
	static char data[1 << 16];

	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &(int){ 4096 }, sizeof(int));
	if (bind(listener, (struct sockaddr *)&own, sizeof(own)) || listen(listener, 64) ||
	    getsockname(listener, (struct sockaddr *)&own, &bytes))
		die("no listener");
	for (int i = 0; i < count; i++) {
		int slow = socket(AF_INET, SOCK_STREAM, 0), connection = broker__connect(spind.socket), peer;

		if (connect(slow, (struct sockaddr *)&own, sizeof(own)) || connection < 0)
			die("no connection");
		peer = accept(listener, NULL, NULL);
		setsockopt(slow, SOL_SOCKET, SO_SNDBUF, &(int){ 4096 }, sizeof(int));
		setsockopt(slow, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
		while (send(slow, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
		request.op = i % 4 == 3 ? BROKER_CREATE : i % 2 ? BROKER_STOP : 99;
		fds[0] = slow;
		broker__send(connection, &request, sizeof(request), fds, request.op == BROKER_CREATE ? 2 : 1, MSG_DONTWAIT);
		(void)peer; /* stays open, and is not read */
		close(connection);
		close_without_wait(slow);
	}
}

static int be_slow_user(int from_test, int to_test)
{
	int object_fd = seal_object("rewrite");
	char byte;

	if (setresgid(SLOW_UID, SLOW_UID, SLOW_UID) || setresuid(SLOW_UID, SLOW_UID, SLOW_UID))
		die("cannot become user %d", SLOW_UID);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* changing the user clears it */
	if (read(from_test, &byte, 1) != 1)
		return 1;
	send_slow_descriptors(SLOW_DESCRIPTORS, object_fd);
	if (write(to_test, "x", 1) != 1 || read(from_test, &byte, 1) != 1)
		return 1;
	return 0;
}

/*
 * A descriptor that a client sends may take long to close. Another user sends more of them than spind has threads for connections that it
 * refuses: 64 connections of a user, and 256 refusals.
 */
static void check_slow_descriptors(int to_slow, int from_slow)
{
	struct timespec begin, end;
	char byte;
	int fd;

	if (write(to_slow, "x", 1) != 1 || read(from_slow, &byte, 1) != 1)
		die("another user's connections end");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	fd = receiver("10.9.0.1", UDP_HOSTS_PORT);
	spin_ctx__destroy(must_attach(fd));
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (end.tv_sec - begin.tv_sec > 10)
		die("descriptors that take long to close hold up other clients");
	if (write(to_slow, "x", 1) != 1)
		die("another user has ended");
	close(fd);
	printf("ok: descriptors that take long to close hold up nobody else\n");
}

static int find_id(void *arg, const struct spin_socket_info *info)
{
	*(uint32_t *)arg = info->id;
	return 1;
}

/* Another user tries to read, replace and end the context. */
static void check_other_user(int to_other, int from_other)
{
	int fd = receiver("10.9.0.1", UDP_HOSTS_PORT);
	struct spin_ctx *ctx = must_attach(fd);
	char verdict = 0;

	if (write(to_other, "x", 1) != 1 || read(from_other, &verdict, 1) != 1 || verdict != 'k')
		die("another user operates a context, or does not answer");
	if (spin_ctx__alive(ctx) != 1)
		die("another user has ended a context");
	expect("its own context is replaced by handlers of another layout", spin_socket__swap(spin_socket__id(ctx), sum, spind.socket),
	       -EINVAL);
	expect("its own context is replaced", spin_socket__swap(spin_socket__id(ctx), rewrite, spind.socket), 0);
	if (!udp_hosts__is_rewritten(sender, "10.9.0.1", UDP_HOSTS_PORT, &fd, 1))
		die("no handler runs after the swap");
	expect("its own context is stopped", spin_socket__stop(spin_socket__id(ctx), spind.socket), 0);
	expect("and is gone", spin_ctx__alive(ctx), -ENOTCONN);
	spin_ctx__destroy(ctx);
	close(fd);
}

static int share(int fd, uint32_t id)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .broker = spind.socket, .share = id };
	struct spin_ctx *ctx;

	return spin_socket__attach(fd, rewrite, &opts, &ctx);
}

static int be_other_user(int from_test, int to_test)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct spin_object *obj;
	struct spin_ctx *ctx;
	uint32_t id = 0;
	char byte;

	if (listen(listener, 1))
		die("cannot listen");
	if (setresgid(OTHER_UID, OTHER_UID, OTHER_UID) || setresuid(OTHER_UID, OTHER_UID, OTHER_UID))
		die("cannot become user %d", OTHER_UID);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* changing the user clears it */
	if (read(from_test, &byte, 1) != 1)
		return 1;
	if (spin_socket__list(spind.socket, find_id, &id) != 1)
		die("another user sees no contexts");
	expect("another user's context is opened", spin_socket__open(id, spind.socket, &obj, &ctx), -EPERM);
	expect("another user's context is replaced", spin_socket__swap(id, rewrite, spind.socket), -EPERM);
	expect("another user's context is stopped", spin_socket__stop(id, spind.socket), -EPERM);
	expect("another user's state is shared", share(listener, id), -EPERM);
	expect("a context that there is not", spin_socket__stop(1, spind.socket), -ENOENT);
	return write(to_test, "k", 1) != 1;
}

static int run_all(int raw)
{
	int there[2], back[2], slow_there[2], slow_back[2];
	unsigned at_once_count = 0;
	pid_t other, slow;

	if (pipe(there) || pipe(back) || pipe(slow_there) || pipe(slow_back))
		die("no pipe");
	fflush(stdout);
	other = fork();
	if (!other)
		exit(be_other_user(there[0], back[1]));
	slow = fork();
	if (!slow)
		exit(be_slow_user(slow_there[0], slow_back[1]));
	spind__drop_privileges();
	check_descriptors();
	check_objects();
	check_quota();
	for (int round = 0; round < 5; round++)
		at_once_count += check_quota_at_once();
	if (!at_once_count)
		die("of requests that come together none has a context");
	printf("ok: of %u requests that come together at most %u have contexts\n", AT_ONCE, CONTEXTS);
	check_steering();
	check_released_port();
	check_closed_socket();
	check_duplicates();
	check_foreign_address();
	check_version_that_was_left();
	check_group_of_others();
	check_vlan(raw);
	check_busy_client();
	check_slow_descriptors(slow_there[1], slow_back[0]);
	check_other_user(there[1], back[0]);
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(void)
{
	int status = 1, raw;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	udp_hosts__hosts(&hosts);
	netns_enter(hosts.client_ns);
	netns_shell("ip neigh add " FOREIGN " lladdr 02:00:00:00:00:77 dev c0 nud permanent");
	raw_ifindex = (int)if_nametoindex("c0");
	raw = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (raw < 0 || !raw_ifindex)
		die("no socket for frames");
	netns_enter(hosts.server_ns);
	rewrite = built_open("rewrite");
	messages = built_open("copy_to_host");
	sum = built_open("sum");
	sender = udp_hosts__socket(&hosts, hosts.client_ns, AF_INET);
	udp_hosts__bind(sender, "0.0.0.0", UDP_HOSTS_SENDER);
	spind__start(&spind, "contexts 4\n");
	child = fork();
	if (!child)
		exit(run_all(raw));
	waitpid(child, &status, 0);
	spind__cleanup(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
