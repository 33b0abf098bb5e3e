/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Random messages to spind, the daemon that attaches handlers to users' sockets, from a user without privileges: requests of every kind
 * with random fields, lengths and descriptors, whole and damaged objects, connections that end at once. spind must keep serving, and a
 * sanitizer must report nothing. Run by tests/run and, longer, by `make fuzz`.
 *
 *	fuzz_spind [--messages N] [--seed N]
 *
 * The environment variable SPIND selects another spind than the one in the build, for example one with sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static struct udp_hosts hosts;
static struct spind spind;
static struct spin_object *rewrite;
static uint64_t state = 1;
static uint8_t *object;
static size_t object_bytes;

static int connection[CONNECTIONS];
static int sockets[6]; /* bound, bound to any address, without a port, TCP, Unix, IPv6 */
static int bound[16];
static int whole, unsealed, empty;
static unsigned long contexts; /* answers that included memories */

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
static int damaged(void)
{
	uint8_t *copy = malloc(object_bytes);
	size_t bytes = rand_below(4) ? object_bytes : rand_below((uint32_t)object_bytes) + 1;
	int fd;

	memcpy(copy, object, object_bytes);
	for (uint32_t i = rand_below(8); i > 0; i--)
		copy[rand_below((uint32_t)object_bytes)] = (uint8_t)rand_below(256);
	fd = sealed(copy, bytes);
	free(copy);
	return fd;
}

static void open_descriptors(void)
{
	for (int i = 0; i < CONNECTIONS; i++)
		connection[i] = -1;
	sockets[0] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(sockets[0], "10.9.0.1", UDP_HOSTS_PORT);
	sockets[1] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(sockets[1], "0.0.0.0", UDP_HOSTS_PORT + 10);
	sockets[2] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	sockets[3] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	sockets[4] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	sockets[5] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET6);
	udp_hosts__bind(sockets[5], "fd09::1", UDP_HOSTS_PORT);
	for (unsigned i = 0; i < 16; i++) {
		bound[i] = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
		udp_hosts__bind(bound[i], "10.9.0.1", (uint16_t)(UDP_HOSTS_PORT + 20 + i));
	}
	whole = sealed(object, object_bytes);
	unsealed = memory_file(object, object_bytes, 0);
	empty = open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

static int any_object(int *is_own)
{
	*is_own = 0;
	switch (rand_below(8)) {
	case 0:
		return unsealed;
	case 1:
		return empty;
	case 2:
	case 3:
	case 4:
		return whole;
	default:
		*is_own = 1;
		return damaged();
	}
}

/* Chooses an old connection or opens a new one for the next message. */
static int *any_connection(int is_new)
{
	int *at = &connection[rand_below(CONNECTIONS)];

	if (*at >= 0 && !is_new && rand_below(3))
		return at;
	if (*at >= 0)
		close(*at);
	*at = broker__connect(spind.socket);
	for (int tries = 0; *at < 0 && tries < 5000; tries++) { /* the listen queue is full */
		usleep(1000);
		*at = broker__connect(spind.socket);
	}
	if (*at < 0)
		die("spind takes no connection: %s", strerror(-*at));
	return at;
}

static void send_one(void)
{
	struct broker_request request = { .magic = BROKER_MAGIC,
					  .version = BROKER_VERSION,
					  .op = rand_below(BROKER_MIGRATE + 2),
					  .class = rand_below(3),
					  .id = rand_below(5000) };
	uint8_t message[MESSAGE_MAX];
	size_t bytes = sizeof(request);
	int fds[BROKER_FDS], own = -1, is_own, *at;
	const int loads = !rand_below(200); /* slow requests: loads, and checks of objects */
	unsigned count = 0;

	at = any_connection(loads);
	if (!rand_below(4))
		request.host_bytes = random_next(&state) >> rand_below(64);
	if (loads) {
		request.op = rand_below(4) ? BROKER_CREATE : rand_below(2) ? BROKER_SWAP : BROKER_MIGRATE;
		request.class = rand_below(8) ? SPIN_CLASS_ISOLATED : SPIN_CLASS_TRUSTED;
		request.host_bytes = 0;
	}
	for (uint32_t i = rand_below(20); i > 0 && i <= sizeof(request.name); i--)
		request.name[i - 1] = (char)(loads || rand_below(6) ? 'a' + rand_below(26) : rand_below(256));
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)rand_below(256);
	memcpy(message, &request, sizeof(request));
	if (!rand_below(loads ? 8 : 3))
		message[rand_below(sizeof(request))] = (uint8_t)rand_below(256);
	if (!rand_below(loads ? 16 : 6))
		bytes = rand_below(MESSAGE_MAX);
	if (loads) {
		fds[count++] = sockets[rand_below(3) ? 0 : rand_below(6)];
		fds[count++] = any_object(&is_own);
		if (is_own)
			own = fds[1];
	} else if (!rand_below(8)) {
		for (uint32_t i = rand_below(BROKER_FDS); i > 0; i--)
			fds[count++] = rand_below(2) ? sockets[rand_below(6)] : empty;
	}
	if (broker__send(*at, message, bytes, fds, count, MSG_DONTWAIT)) {
		close(*at);
		*at = -1;
	}
	if (own >= 0)
		close(own);
	if (*at >= 0 && loads && rand_below(2)) { /* otherwise the connection continues, or ends, while it is served */
		struct pollfd wait = { .fd = *at, .events = POLLIN };

		poll(&wait, 1, 1000);
	}
	if (*at >= 0 && (loads || !rand_below(4))) {
		struct broker_answer answer;
		int got[BROKER_FDS];
		unsigned got_count;

		if (broker__receive(*at, &answer, sizeof(answer), got, &got_count, MSG_DONTWAIT) == sizeof(answer) && answer.memories)
			contexts++;
		broker__close(got, got_count);
	}
}

/* Checks that a libspin client is still served. */
static void check_service(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	int fd = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET), err;
	struct spin_ctx *ctx;

	for (int i = 0; i < CONNECTIONS; i++) {
		if (connection[i] >= 0)
			close(connection[i]);
		connection[i] = -1;
	}
	udp_hosts__bind(fd, "10.9.0.1", UDP_HOSTS_PORT + 99);
	opts.broker = spind.socket;
	for (int tries = 0; (err = spin_socket__attach(fd, rewrite, &opts, &ctx)) && tries < 500; tries++)
		usleep(20000);
	if (err)
		die("spind serves nobody any more: %s", spin_strerror_last());
	spin_ctx__destroy(ctx);
	close(fd);
}

static int run(unsigned long messages)
{
	spind__drop_privileges();
	open_descriptors();
	for (unsigned long i = 0; i < messages; i++) {
		send_one();
		if (i % 100000 == 99999) {
			check_service();
			printf("%lu messages\n", i + 1);
		}
	}
	check_service();
	printf("%lu messages, %lu answers with memories, and spind serves on\n", messages, contexts);
	return 0;
}

static void read_object(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file || fseek(file, 0, SEEK_END) || ftell(file) <= 0)
		die("%s cannot be read", path);
	object_bytes = (size_t)ftell(file);
	object = malloc(object_bytes);
	rewind(file);
	if (!object || fread(object, 1, object_bytes, file) != object_bytes)
		die("%s cannot be read", path);
	fclose(file);
}

int main(int argc, char **argv)
{
	unsigned long messages = 20000;
	int status = 1;
	char path[512];
	pid_t child, front;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--messages"))
			messages = strtoul(argv[i + 1], NULL, 10);
		if (!strcmp(argv[i], "--seed"))
			state = strtoull(argv[i + 1], NULL, 10);
	}
	udp_hosts__hosts(&hosts);
	if (built_object("rewrite", path, sizeof(path)) || spin_object__open(path, &rewrite))
		die("%s", spin_strerror_last());
	read_object(path);
	spind__start(&spind, "contexts 64\nconnections 4096\n");
	front = spind.pid;
	child = fork();
	if (!child)
		exit(run(messages));
	waitpid(child, &status, 0);
	if (waitpid(front, NULL, WNOHANG)) {
		printf("FAIL: spind has ended\n");
		status = 1 << 8;
	}
	if (spind__stderr_lines(&spind))
		status = 1 << 8;
	spind__cleanup(&spind);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
