/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Implements echo.h: a TCP server that sends back what it reads with each bit inverted, with a thread per connection, and clients that send
 * random bytes and check what comes back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/segments/echo.h"

static struct sockaddr_in server_address(const struct echo *e)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(e->port) };

	inet_pton(AF_INET, FAR_ADDR, &a.sin_addr);
	return a;
}

static void set_time_limit(int fd, unsigned seconds)
{
	const struct timeval limit = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	uint8_t bytes[16384];
	ssize_t got;

	while ((got = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			bytes[i] ^= 0xff;
		if (send(fd, bytes, (size_t)got, MSG_NOSIGNAL) != got)
			die("the server cannot send: %s", strerror(errno));
	}
	close(fd);
	return NULL;
}

static void *accept_all(void *arg)
{
	const struct echo *e = arg;
	int fd;

	while ((fd = accept(e->listener, NULL, NULL)) >= 0) {
		pthread_t thread;

		set_time_limit(fd, e->wait_seconds);
		if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd))
			die("no thread for a connection");
		pthread_detach(thread);
	}
	return NULL;
}

void echo__start(struct echo *e)
{
	const struct sockaddr_in a = server_address(e);
	int on = 1;

	netns_enter(e->far_ns);
	e->listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(e->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(e->listener, (const struct sockaddr *)&a, sizeof(a)) || listen(e->listener, 128))
		die("no listening socket: %s", strerror(errno));
	netns_enter(e->near_ns);
	if (pthread_create(&e->server, NULL, accept_all, e))
		die("no thread for the server");
}

void echo__stop(struct echo *e)
{
	shutdown(e->listener, SHUT_RDWR);
	pthread_join(e->server, NULL);
	close(e->listener);
}

int echo__connect(const struct echo *e, uint16_t *port)
{
	const struct sockaddr_in to = server_address(e);
	struct sockaddr_in own;
	socklen_t bytes = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	set_time_limit(fd, e->wait_seconds);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) || getsockname(fd, (struct sockaddr *)&own, &bytes))
		die("no connection: %s", strerror(errno));
	*port = ntohs(own.sin_port);
	return fd;
}

void echo__exchange(int fd, uint64_t *random, uint32_t bytes)
{
	uint8_t out[4096], in[sizeof(out)];

	while (bytes) {
		uint32_t part = 1 + (uint32_t)random_below(random, sizeof(out));

		part = part < bytes ? part : bytes;
		for (uint32_t i = 0; i < part; i++)
			out[i] = (uint8_t)random_next(random);
		if (send(fd, out, part, MSG_NOSIGNAL) != (ssize_t)part || recv(fd, in, part, MSG_WAITALL) != (ssize_t)part)
			die("a client's bytes do not come back: %s", strerror(errno));
		for (uint32_t i = 0; i < part; i++)
			if ((in[i] ^ out[i]) != 0xff)
				die("a client reads other bytes");
		bytes -= part;
	}
}

void echo__finish(int fd)
{
	uint8_t more;

	if (shutdown(fd, SHUT_WR) || recv(fd, &more, 1, 0))
		die("a connection does not end");
	close(fd);
}
