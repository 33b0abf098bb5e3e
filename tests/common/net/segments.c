/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * TCP connections for the tests of handlers of TCP segments on sockets (segments.h). Called by tests/sockets/segments_on_sockets.c and
 * segments_of_others.c. Failures end the test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/net/netns.h"
#include "tests/common/net/segments.h"
#include "tests/common/proc.h"
#include <spin/libspin.h>

#define SOCKETS 64
#define WAIT_MS 4000

static int sockets[2][SOCKETS]; /* opened by segments__make_sockets(); [0] IPv4, [1] IPv6 */
static unsigned used[2];

struct seg_socket *segments__state(struct spin_ctx *ctx)
{
	void *addr;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", &addr, &bytes) || bytes != sizeof(struct seg_socket))
		die("no state of `seg_socket`: %s", spin_strerror_last());
	return addr;
}

void segments__wait_for(const char *what, const uint32_t *at, uint32_t value)
{
	for (int ms = 0; __atomic_load_n(at, __ATOMIC_ACQUIRE) != value; ms++) {
		if (ms == WAIT_MS)
			die("%s: %u, and not %u", what, __atomic_load_n(at, __ATOMIC_ACQUIRE), value);
		usleep(1000);
	}
}

void segments__make_sockets(const struct udp_hosts *hosts)
{
	netns_enter(hosts->client_ns);
	for (int is6 = 0; is6 < 2; is6++)
		for (unsigned i = 0; i < SOCKETS; i++)
			sockets[is6][i] = socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	netns_enter(hosts->server_ns);
}

static int open_socket(const struct udp_hosts *hosts, int ns, const char *address)
{
	const int is6 = strchr(address, ':') != NULL, one = 1;
	int fd;

	if (ns == hosts->client_ns && used[is6] == SOCKETS)
		die("the test has too few sockets");
	fd = ns == hosts->client_ns ? sockets[is6][used[is6]++] : socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("no socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int segments__listen(const struct udp_hosts *hosts, int ns, const char *address)
{
	int fd = open_socket(hosts, ns, address);

	udp_hosts__bind(fd, address, SEGMENTS_PORT);
	if (listen(fd, 128))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

int segments__accept(int listener)
{
	int fd;

	if (!segments__is_readable(listener, WAIT_MS))
		die("no connection comes");
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		die("cannot accept: %s", strerror(errno));
	return fd;
}

int segments__try_connect(const struct udp_hosts *hosts, int ns, const char *address, uint16_t port, uint16_t own_port)
{
	int fd = open_socket(hosts, ns, address), error = 0, flags = fcntl(fd, F_GETFL);
	struct pollfd wait = { .fd = fd, .events = POLLOUT };
	union asks_address to;
	socklen_t bytes = udp_hosts__address(address, port, &to), error_bytes = sizeof(error);

	if (own_port)
		udp_hosts__bind(fd, strchr(address, ':') ? "::" : "0.0.0.0", own_port);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (connect(fd, &to.any, bytes) && errno != EINPROGRESS)
		die("cannot connect to %s: %s", address, strerror(errno));
	if (poll(&wait, 1, 500) != 1 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes) || error) {
		close(fd);
		return -1;
	}
	fcntl(fd, F_SETFL, flags);
	return fd;
}

int segments__connect(const struct udp_hosts *hosts, int ns, const char *address, uint16_t port, uint16_t own_port)
{
	int fd = segments__try_connect(hosts, ns, address, port, own_port);

	if (fd < 0)
		die("no connection to %s", address);
	return fd;
}

int segments__connect_with(const struct udp_hosts *hosts, int ns, const char *address, uint16_t port, const char *text)
{
	int fd = open_socket(hosts, ns, address);
	union asks_address to;
	socklen_t bytes = udp_hosts__address(address, port, &to);

	if (sendto(fd, text, strlen(text), MSG_FASTOPEN, &to.any, bytes) != (ssize_t)strlen(text))
		die("no fast open: %s", strerror(errno));
	return fd;
}

uint16_t segments__port(int fd)
{
	union asks_address own = { 0 };
	socklen_t bytes = sizeof(own);

	getsockname(fd, &own.any, &bytes);
	return ntohs(own.any.sa_family == AF_INET6 ? own.ip6.sin6_port : own.ip4.sin_port);
}

size_t segments__read(int fd, char *to, size_t bytes)
{
	size_t got = 0;

	while (got < bytes && segments__is_readable(fd, WAIT_MS)) {
		ssize_t n = recv(fd, to + got, bytes - got, MSG_DONTWAIT);

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

int segments__is_readable(int fd, int wait_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, wait_ms) > 0;
}

void segments__check(const char *what, int from, int to, const char *sends, const char *reads)
{
	const size_t bytes = strlen(reads);
	char got[64];
	size_t count;

	if (send(from, sends, strlen(sends), MSG_NOSIGNAL) != (ssize_t)strlen(sends))
		die("%s: cannot send: %s", what, strerror(errno));
	count = segments__read(to, got, bytes);
	if (count != bytes || memcmp(got, reads, bytes))
		die("%s: '%.*s' is read, not '%s'", what, (int)count, got, reads);
}

static uint16_t checksum(const void *bytes, size_t count, uint32_t sum)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < count; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

void segments__flood(const struct udp_hosts *hosts, unsigned syns)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = inet_addr("10.9.0.1") };
	struct {
		struct iphdr ip;
		struct tcphdr tcp;
	} packet = { .ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP, .daddr = to.sin_addr.s_addr },
		     .tcp = { .dest = htons(SEGMENTS_PORT), .doff = 5, .syn = 1, .window = htons(1000) } };
	int fd;

	netns_enter(hosts->client_ns);
	fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	if (fd < 0)
		die("no raw socket: %s", strerror(errno));
	for (unsigned i = 0; i < syns; i++) {
		packet.ip.saddr = htonl(0x0a090000 | (10 + i % 200));
		packet.tcp.source = htons((uint16_t)(1024 + i / 200));
		packet.tcp.seq = htonl(i * 7919);
		packet.tcp.check = 0;
		packet.tcp.check = checksum(&packet.ip.saddr, 8 + sizeof(packet.tcp), IPPROTO_TCP + sizeof(packet.tcp));
		if (sendto(fd, &packet, sizeof(packet), 0, (const struct sockaddr *)&to, sizeof(to)) < 0 && errno != ENOBUFS)
			die("cannot send a SYN: %s", strerror(errno));
	}
	close(fd);
	netns_enter(hosts->server_ns);
}

void segments__write_setting(int fd, char what)
{
	if (write(fd, &what, 1) != 1)
		die("no pipe");
	usleep(300000);
}
