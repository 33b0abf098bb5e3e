/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sockets, commands and answers of memcached (client.h). A lost datagram is reported as a missing answer. Any other failure ends the test.
 * Used by the other files of this directory, tests/fuzz/fuzz_memcached.c and tests/sockets/memcached_flushes_late.c.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/memcached/client.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include <memcached.h>

#define WAIT_S        20 /* timeout for an answer over TCP */
#define BUFFER_BYTES  (1 << 20)
#define LINE_MAX_LEFT 1024

static int connected(const char *addr, uint16_t port, int type)
{
	const struct timeval wait = { .tv_sec = WAIT_S };
	const int bytes = BUFFER_BYTES;
	union asks_address to;
	socklen_t to_bytes = udp_hosts__address(addr, port, &to);
	int fd = socket(to.any.sa_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, &to.any, to_bytes))
		die("cannot connect to %s, port %u: %s", addr, port, strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return fd;
}

int mc_client__tcp(const char *addr, uint16_t port)
{
	const int one = 1;
	int fd = connected(addr, port, SOCK_STREAM);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int mc_client__udp(const char *addr, uint16_t port)
{
	return connected(addr, port, SOCK_DGRAM);
}

void mc_client__send(int fd, const void *bytes, size_t count, unsigned pieces, uint64_t *seed)
{
	const char *from = bytes;

	while (count) {
		size_t piece = seed && pieces > 1 && count > 1 ? 1 + random_next(seed) % (count - 1) : count;
		ssize_t n = send(fd, from, piece, MSG_NOSIGNAL);

		if (n <= 0)
			die("memcached does not take a command: %s", strerror(errno));
		from += n;
		count -= (size_t)n;
		pieces -= pieces > 1;
		if (count && seed && random_next(seed) % 4 == 0)
			usleep(random_next(seed) % 300); /* otherwise the pieces may arrive as one segment */
	}
}

/* Returns 0 at the end of the data. */
static int read_more(struct mc_answer *from)
{
	ssize_t n;

	if (from->fd < 0)
		return 0;
	if (sizeof(from->data) - from->have < LINE_MAX_LEFT) {
		memmove(from->data, from->data + from->at, from->have - from->at);
		from->have -= from->at;
		from->at = 0;
	}
	n = recv(from->fd, from->data + from->have, sizeof(from->data) - from->have, 0);
	if (n <= 0)
		die("no answer of memcached: %s", n ? strerror(errno) : "it has closed the connection");
	from->have += (size_t)n;
	return 1;
}

char *mc_client__line(struct mc_answer *from)
{
	do {
		char *line = from->data + from->at, *end = memmem(line, from->have - from->at, "\r\n", 2);

		if (end) {
			*end = '\0';
			from->at = (size_t)(end + 2 - from->data);
			return line;
		}
	} while (read_more(from));
	return NULL;
}

char *mc_client__bytes(struct mc_answer *from, size_t count)
{
	while (from->have - from->at < count)
		if (!read_more(from))
			return NULL;
	from->at += count;
	return from->data + from->at - count;
}

void mc_client__send_udp(int fd, uint16_t id, const void *command, size_t count)
{
	struct {
		struct mc_frame frame;
		char text[MC_DATAGRAM_BYTES];
	} out = { .frame = { .request = htons(id), .datagrams = htons(1) } };

	if (count > sizeof(out.text))
		die("a command of %zu bytes is too long for a datagram", count);
	memcpy(out.text, command, count);
	if (send(fd, &out, sizeof(out.frame) + count, 0) < 0 && errno != ENOBUFS)
		die("memcached does not take a datagram: %s", strerror(errno));
}

ssize_t mc_client__receive_udp(int fd, uint16_t id, unsigned ms, struct mc_answer *out)
{
	uint64_t until = now_ns() + ms * 1000000ull, now;

	out->fd = -1;
	out->at = sizeof(struct mc_frame);
	while ((now = now_ns()) < until) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		const struct mc_frame *frame = (const struct mc_frame *)out->data;
		ssize_t n;

		if (poll(&wait, 1, (int)((until - now) / 1000000) + 1) <= 0)
			continue;
		n = recv(fd, out->data, sizeof(out->data), MSG_DONTWAIT);
		if (n < (ssize_t)sizeof(*frame) || frame->request != htons(id))
			continue;
		if (n == (ssize_t)sizeof(*frame) && !frame->datagrams)
			continue; /* memcached 1.6 sends this for a quiet binary command */
		if (frame->datagrams != htons(1) || frame->number)
			return -1;
		out->have = (size_t)n;
		return n - (ssize_t)sizeof(*frame);
	}
	return -1;
}

void mc_client__expect(struct mc_answer *on, const char *command, const char *line)
{
	const char *got;

	mc_client__send(on->fd, command, strlen(command), 1, NULL);
	got = mc_client__line(on);
	if (!got || strcmp(got, line))
		die("memcached answers '%s' instead of '%s'", got ? got : "", line);
}

uint64_t mc_client__stat(const char *addr, uint16_t port, const char *name)
{
	struct mc_answer on = { .fd = mc_client__tcp(addr, port) };
	uint64_t value = 0;
	const char *line;

	mc_client__send(on.fd, "stats\r\n", 7, 1, NULL);
	while ((line = mc_client__line(&on)) && strcmp(line, "END"))
		if (!strncmp(line, "STAT ", 5) && !strncmp(line + 5, name, strlen(name)) && line[5 + strlen(name)] == ' ')
			value = strtoull(line + 6 + strlen(name), NULL, 10);
	close(on.fd);
	return value;
}
