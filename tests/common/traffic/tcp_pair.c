/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens TCP connections whose both ends are the test's (tcp_pair.h). Called by tests of handlers on TCP sockets in tests/sockets.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/traffic/tcp_pair.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"

#define BACKLOG     64
#define GROUP_TRIES 40 /* for each group */

int tcp_pair__listen(const char *address, uint16_t port)
{
	const int one = 1;
	int fd = socket(strchr(address, ':') ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		die("no socket: %s", strerror(errno));
	udp_hosts__bind(fd, address, port);
	if (listen(fd, BACKLOG))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

struct tcp_pair tcp_pair__open(int listener)
{
	struct tcp_pair pair;
	union asks_address to;
	socklen_t bytes = sizeof(to);

	if (getsockname(listener, &to.any, &bytes))
		die("no address: %s", strerror(errno));
	pair.client = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (pair.client < 0 || connect(pair.client, &to.any, bytes))
		die("cannot connect: %s", strerror(errno));
	pair.server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (pair.server < 0)
		die("cannot accept: %s", strerror(errno));
	return pair;
}

uint64_t tcp_pair__group(const struct tcp_pair *pair, uint64_t groups)
{
	uint64_t cookie;
	socklen_t bytes = sizeof(cookie);

	if (getsockopt(pair->server, SOL_SOCKET, SO_COOKIE, &cookie, &bytes))
		die("a connection has no cookie: %s", strerror(errno));
	return cookie % groups;
}

struct tcp_pair tcp_pair__open_in(int listener, uint64_t groups, uint64_t group)
{
	for (uint64_t i = 0; i < GROUP_TRIES * groups; i++) {
		struct tcp_pair pair = tcp_pair__open(listener);

		if (tcp_pair__group(&pair, groups) == group)
			return pair;
		tcp_pair__close(&pair);
	}
	die("no connection of the group %llu", (unsigned long long)group);
}

void tcp_pair__check_read(const char *what, const struct tcp_pair *pair, const char *sends, const char *reads)
{
	const struct timeval wait = { .tv_sec = 5 };
	const size_t bytes = strlen(reads);
	char got[16];

	setsockopt(pair->server, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (bytes > sizeof(got) || send(pair->client, sends, strlen(sends), MSG_NOSIGNAL) != (ssize_t)strlen(sends))
		die("%s: cannot send", what);
	if (recv(pair->server, got, bytes, MSG_WAITALL) != (ssize_t)bytes || memcmp(got, reads, bytes))
		die("%s: not '%s' is read", what, reads);
}

void tcp_pair__close(const struct tcp_pair *pair)
{
	close(pair->client);
	close(pair->server);
}
