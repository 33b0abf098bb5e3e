/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Connections of spin-memcached to memcached (server.h). Called by fill.c, which copies values of hot keys into the cache of the handlers.
 * The commands are "mn", "me", "mg", "get" and "stats", which change nothing. memcached assigns new connections to its threads round-robin,
 * also those of other clients. So server__open() opens two connections per thread and starts again if another client has connected in
 * between.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user/memcached/server.h"

#define TRIES_MAX      2000 /* connections that one server__open() may try */
#define ITEM_BYTES_MAX 128  /* the largest header of an item */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int server__set_address(struct server *server, const char *text)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	const char *colon = strrchr(text, ':');
	struct addrinfo *found;
	char host[64];
	size_t bytes = colon ? (size_t)(colon - text) : 0;

	if (!bytes || bytes >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, bytes);
	host[bytes] = '\0';
	if (host[0] == '[' && host[bytes - 1] == ']') {
		memmove(host, host + 1, bytes - 1);
		host[bytes - 2] = '\0';
	}
	if (getaddrinfo(host, colon + 1, &hints, &found) || found->ai_addrlen > sizeof(server->address))
		return -EINVAL;
	memcpy(&server->address, found->ai_addr, found->ai_addrlen);
	server->address_bytes = found->ai_addrlen;
	freeaddrinfo(found);
	return server__port(server) ? 0 : -EINVAL;
}

unsigned server__port(const struct server *server)
{
	return ntohs(server->address.any.sa_family == AF_INET6 ? server->address.ip6.sin6_port : server->address.ip4.sin_port);
}

/* --- I/O with a deadline --- */

static int wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd wait = { .fd = fd, .events = events };

	for (;;) {
		const int64_t left = deadline - now_ms();
		const int ready = poll(&wait, 1, left > 0 ? (int)left : 0);

		if (ready > 0)
			return 0;
		if (!ready && left <= 0)
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
	}
}

static int send_all(int fd, const void *bytes, size_t count, int64_t deadline)
{
	for (size_t sent = 0; sent < count;) {
		const ssize_t n = send(fd, (const char *)bytes + sent, count - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n > 0) {
			sent += (size_t)n;
		} else {
			const int err = wait_for(fd, POLLOUT, deadline);

			if (err)
				return err;
		}
	}
	return 0;
}

/* Returns the number of bytes received: from 1 to `room`, or a negative errno. */
static ssize_t receive(int fd, void *to, size_t room, int64_t deadline)
{
	for (;;) {
		const ssize_t n = recv(fd, to, room, MSG_DONTWAIT);
		int err;

		if (n > 0)
			return n;
		if (!n)
			return -ECONNRESET;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = wait_for(fd, POLLIN, deadline);
		if (err)
			return err;
	}
}

/* --- commands --- */

/* Waits for the answer to "mn", memcached's no-operation: all that came before on this connection has then been executed. */
static int wait_for_mn(struct server *server, unsigned i, int64_t deadline)
{
	char answer[4];
	size_t got = 0;

	while (got < sizeof(answer)) {
		/* a partial answer stays in the queue, so that after -ETIMEDOUT the answer is still complete */
		const ssize_t n = recv(server->connection[i].fd, answer, sizeof(answer), MSG_PEEK | MSG_DONTWAIT);
		int err;

		if (!n)
			return -ECONNRESET;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		got = n > 0 ? (size_t)n : 0;
		if (got == sizeof(answer))
			break;
		err = wait_for(server->connection[i].fd, POLLIN, deadline);
		if (err)
			return err;
	}
	if (recv(server->connection[i].fd, answer, sizeof(answer), MSG_DONTWAIT) != sizeof(answer) || memcmp(answer, "MN\r\n", 4))
		return -EPROTO;
	server->connection[i].pending = 0;
	return 0;
}

int server__round(struct server *server)
{
	const int64_t deadline = now_ms() + SERVER_ANSWER_MS;
	int err = 0;

	for (unsigned i = 0; i < server->count && !err; i++) {
		if (server->connection[i].pending)
			continue;
		err = send_all(server->connection[i].fd, "mn\r\n", 4, deadline);
		server->connection[i].pending = 1;
	}
	for (unsigned i = 0; i < server->count && !err; i++)
		if (server->connection[i].pending)
			err = wait_for_mn(server, i, deadline);
	return err;
}

/* Sends a command and reads its answer up to and including `end`, as a string in `answer`. */
static int send_command(int fd, const char *command, const char *end, char *answer, size_t room)
{
	const int64_t deadline = now_ms() + SERVER_ANSWER_MS;
	const size_t end_bytes = strlen(end);
	size_t got = 0;
	int err = send_all(fd, command, strlen(command), deadline);

	while (!err && (got < end_bytes || memcmp(answer + got - end_bytes, end, end_bytes))) {
		const ssize_t n = got + 1 < room ? receive(fd, answer + got, room - 1 - got, deadline) : -EPROTO;

		if (n < 0)
			return (int)n;
		got += (size_t)n;
	}
	answer[got] = '\0';
	return err;
}

static uint64_t get_stat(const char *text, const char *name)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "STAT %s ", name);
	at = strstr(text, line);
	return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

static int read_stats(int fd, struct server_stats *stats)
{
	/* not counted: "ma" that creates a number, and "md" with I; cmd_set includes cas, append and the like, cmd_touch includes gat */
	static const char *const changing[] = { "cmd_set",   "cmd_touch",   "cmd_flush", "delete_hits", "delete_misses",
						"incr_hits", "incr_misses", "decr_hits", "decr_misses" };
	char text[16384];
	int err = send_command(fd, "stats\r\n", "END\r\n", text, sizeof(text));

	if (err)
		return err;
	*stats = (struct server_stats){ .connections = get_stat(text, "curr_connections"),
					.all_connections = get_stat(text, "total_connections") };
	for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
		stats->executed += get_stat(text, changing[i]);
	return 0;
}

int server__stats(struct server *server, struct server_stats *stats)
{
	return server->count ? read_stats(server->connection[0].fd, stats) : -ENOTCONN;
}

/* --- UDP --- */

void server__udp_begin(struct server *server)
{
	if (server->udp > 0)
		close(server->udp);
	server->udp = 0;
}

void server__udp_ask(struct server *server)
{
	static const char datagram[] = "\0\1\0\0\0\1\0\0mn\r\n";

	/* a new socket for each quarantine, so that an answer cannot belong to an earlier one */
	if (server->udp <= 0) {
		server->udp = socket(server->address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (server->udp > 0 && connect(server->udp, &server->address.any, server->address_bytes))
			server__udp_begin(server);
	}
	if (server->udp > 0)
		send(server->udp, datagram, sizeof(datagram) - 1, MSG_NOSIGNAL);
}

int server__udp_heard(const struct server *server)
{
	char answer[16];

	return server->udp > 0 && recv(server->udp, answer, sizeof(answer), MSG_PEEK) == 12 && !memcmp(answer + 8, "MN\r\n", 4);
}

/* --- values --- */

/* Reads a line and strips its end. */
static int read_line(int fd, char *line, size_t room, int64_t deadline)
{
	for (size_t got = 0; got + 1 < room; got++) {
		const ssize_t n = receive(fd, line + got, 1, deadline);

		if (n < 0)
			return (int)n;
		if (line[got] == '\n') {
			line[got && line[got - 1] == '\r' ? got - 1 : got] = '\0';
			return 0;
		}
	}
	return -EPROTO;
}

/* Sends "WORD KEY FLAGS" and reads the first line of the answer. */
static int send_key_command(int fd, const char *word, const void *key, size_t key_bytes, const char *flags, char *line, size_t room,
			    int64_t deadline)
{
	const size_t word_bytes = strlen(word), flags_bytes = strlen(flags);
	char command[320];
	int err;

	memcpy(command, word, word_bytes);
	memcpy(command + word_bytes, key, key_bytes);
	memcpy(command + word_bytes + key_bytes, flags, flags_bytes);
	memcpy(command + word_bytes + key_bytes + flags_bytes, "\r\n", 2);
	err = send_all(fd, command, word_bytes + key_bytes + flags_bytes + 2, deadline);
	return err ? err : read_line(fd, line, room, deadline);
}

static int read_all(int fd, void *to, size_t count, int64_t deadline)
{
	for (size_t got = 0; got < count;) {
		const ssize_t n = receive(fd, (char *)to + got, count - got, deadline);

		if (n < 0)
			return (int)n;
		got += (size_t)n;
	}
	return 0;
}

static int skip_bytes(int fd, size_t count, int64_t deadline)
{
	char some[4096];

	while (count) {
		const size_t part = count < sizeof(some) ? count : sizeof(some);
		const int err = read_all(fd, some, part, deadline);

		if (err)
			return err;
		count -= part;
	}
	return 0;
}

/*
 * "me" reports the expiry time and the size of the item, including its header. Unlike "mg" it does not take the token (W) of a client that
 * is to replace a stale value. "get" returns the value. If the item changes between the two, the caller sees it by the key's version.
 */
int server__get(struct server *server, const void *key, size_t key_bytes, struct server_value *value)
{
	const int64_t deadline = now_ms() + SERVER_ANSWER_MS;
	const int fd = server->connection[0].fd;
	char line[512], end[5];
	const char *at, *size;
	int err;

	if (!server->count)
		return -ENOTCONN;
	err = send_key_command(fd, "me ", key, key_bytes, "", line, sizeof(line), deadline);
	if (err || !strcmp(line, "EN"))
		return err;
	at = strstr(line, " exp=");
	size = at ? strstr(at, " size=") : NULL;
	if (strncmp(line, "ME ", 3) || !size)
		return -EPROTO;
	value->ttl = llabs(strtoll(at + 5, NULL, 10)); /* 1.6.18 reports it with the wrong sign */
	if (strtoull(size + 6, NULL, 10) > value->room + ITEM_BYTES_MAX + key_bytes)
		return -EMSGSIZE;
	if (!strncmp(at, " exp=-1 ", 8)) { /* no expiry, or one second left */
		err = send_key_command(fd, "mg ", key, key_bytes, " t", line, sizeof(line), deadline);
		if (err || !strcmp(line, "EN"))
			return err;
		if (strncmp(line, "HD t", 4))
			return -EPROTO;
		value->ttl = strtoll(line + 4, NULL, 10);
	}
	err = send_key_command(fd, "get ", key, key_bytes, "", line, sizeof(line), deadline);
	if (err || !strcmp(line, "END"))
		return err;
	if (strncmp(line, "VALUE ", 6) || strlen(line) < 6 + key_bytes ||
	    sscanf(line + 6 + key_bytes, " %u %zu", &value->flags, &value->bytes) != 2)
		return -EPROTO;
	if (value->bytes + 2 > value->room) { /* the value has grown since "me" */
		err = skip_bytes(fd, value->bytes + 2 + 5, deadline);
		return err ? err : -EMSGSIZE;
	}
	err = read_all(fd, value->data, value->bytes + 2, deadline);
	if (!err)
		err = read_all(fd, end, 5, deadline);
	return err ? err : memcmp(value->data + value->bytes, "\r\n", 2) || memcmp(end, "END\r\n", 5) ? -EPROTO : 1;
}

/* --- connections --- */

/* Opens connection `i` and waits for the answer to a first "mn": a thread of memcached serves it then. */
static int connect_one(struct server *server, unsigned i)
{
	const int64_t deadline = now_ms() + SERVER_ANSWER_MS;
	union server_address own = { 0 };
	socklen_t bytes = sizeof(own);
	const int one = 1;
	int fd = socket(server->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, &server->address.any, server->address_bytes)) {
		err = errno == EINPROGRESS ? wait_for(fd, POLLOUT, deadline) : -errno;
		bytes = sizeof(err);
		if (!err && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &bytes))
			err = -err;
	}
	bytes = sizeof(own);
	if (!err && getsockname(fd, &own.any, &bytes))
		err = -errno;
	if (err)
		goto close;
	err = send_all(fd, "mn\r\n", 4, deadline);
	if (err)
		goto close;
	server->connection[i].fd = fd;
	server->connection[i].port = ntohs(own.any.sa_family == AF_INET6 ? own.ip6.sin6_port : own.ip4.sin_port);
	server->connection[i].pending = 1;
	err = wait_for_mn(server, i, deadline);
	if (err)
		goto close;
	return 0;

close:
	close(fd);
	return err;
}

/* Keeps connection 0, which is used for "stats". */
static void close_others(struct server *server)
{
	while (server->count > 1)
		close(server->connection[--server->count].fd);
}

/*
 * Opens connections until 2 * threads of them have succeeded each other without another client's connection in between (memcached's
 * total_connections), so that each thread has two.
 */
static int connect_all(struct server *server)
{
	const unsigned needed = 2 * server->threads;
	struct server_stats before, after;
	unsigned run = 0;
	int err = read_stats(server->connection[0].fd, &before);

	for (unsigned tries = 0; !err && tries < TRIES_MAX; tries++) {
		if (run == needed) { /* another client's connection may still be on its way to a thread and not be counted yet */
			const struct timespec moment = { .tv_nsec = 5000000 };

			nanosleep(&moment, NULL);
			err = read_stats(server->connection[0].fd, &after);
			if (err || after.all_connections == before.all_connections)
				return err;
			before = after;
			close_others(server);
			run = 0;
		}
		err = connect_one(server, server->count);
		if (err)
			break;
		server->count++;
		err = read_stats(server->connection[0].fd, &after);
		run++;
		if (!err && after.all_connections != before.all_connections + 1) {
			close_others(server);
			run = 0;
		}
		before = after;
	}
	return err ? err : -EAGAIN;
}

int server__open(struct server *server)
{
	char text[16384];
	int err = connect_one(server, 0);

	if (err)
		return err;
	server->count = 1;
	err = send_command(server->connection[0].fd, "stats settings\r\n", "END\r\n", text, sizeof(text));
	if (!err) {
		const uint64_t threads = server->wanted_threads ? server->wanted_threads : get_stat(text, "num_threads");
		const uint64_t requests = get_stat(text, "reqs_per_event");

		server->threads = (unsigned)threads;
		server->requests = requests && requests < 10000 ? (unsigned)requests : 1;
		if (strstr(text, "STAT binding_protocol ") && !strstr(text, "STAT binding_protocol auto-negotiate"))
			err = -EPROTO;
		else
			err = !threads || 2 * threads + 1 > SERVER_CONNECTIONS_MAX ? -E2BIG : connect_all(server);
	}
	if (err)
		server__close(server);
	return err;
}

void server__close(struct server *server)
{
	server__udp_begin(server);
	while (server->count)
		close(server->connection[--server->count].fd);
}

int server__is_own(const struct server *server, unsigned port)
{
	for (unsigned i = 0; i < server->count; i++)
		if (server->connection[i].port == port)
			return 1;
	return 0;
}
