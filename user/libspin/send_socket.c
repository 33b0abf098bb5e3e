/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/libspin/send.h"

#define BUFFER_BYTES (4 << 20) /* for a whole window, and its acknowledgements; the system has its own limit */
#define UDP_BYTES    8

static int resolve(const char *what, const char *host, const char *port, int family, struct addrinfo **out)
{
	const struct addrinfo hints = { .ai_family = family,
					.ai_socktype = SOCK_DGRAM,
					.ai_protocol = IPPROTO_UDP,
					.ai_flags = AI_NUMERICSERV | (family ? AI_NUMERICHOST : 0) };
	int err = getaddrinfo(host, port, &hints, out);

	if (!err)
		return 0;
	if (err == EAI_SERVICE)
		return spin_fail(-EINVAL, "%s: '%s' is no port; give a number from 1 to 65535", what, port);
	if (err == EAI_MEMORY)
		return spin_fail(-ENOMEM, "no memory");
	if (family)
		return spin_fail(-EINVAL, "%s: '%s' is no IPv%d address; the receiver's is one", what, host, family == AF_INET ? 4 : 6);
	if (err == EAI_AGAIN)
		return spin_fail(-ENOENT, "%s: the name service does not answer; give an address, or look at /etc/resolv.conf", host);
	if (err == EAI_NONAME)
		return spin_fail(-ENOENT, "no such host: %s; give another name, or an address", host);
	return spin_fail(-ENOENT, "%s: %s; give an address, or look at the name service", host, gai_strerror(err));
}

static int is_port(const char *port)
{
	size_t digits = strspn(port, "0123456789");
	unsigned number = 0;

	if (!digits || port[digits] || digits > 5)
		return 0;
	for (; *port; port++)
		number = number * 10 + (unsigned)(*port - '0');
	return number >= 1 && number <= 65535;
}

/* ADDR, ADDR:PORT, [ADDR]:PORT; a bare IPv6 address has more than one colon. */
static int bind_source(int fd, const char *source, int family)
{
	char host[64];
	const char *port = "0", *colon = strrchr(source, ':');
	struct addrinfo *at;
	int err;

	if (snprintf(host, sizeof(host), "%s", source) >= (int)sizeof(host))
		return spin_fail(-EINVAL, "source: '%s' is no address", source);
	if (colon && (source[0] == '[' ? colon[-1] == ']' : colon == strchr(source, ':'))) {
		host[colon - source] = '\0';
		port = colon + 1;
		if (!is_port(port))
			return spin_fail(-EINVAL, "source: '%s' is no port; give a number from 1 to 65535", port);
	}
	if (host[0] == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		memmove(host, host + 1, strlen(host));
	}
	err = resolve("source", host, port, family, &at);
	if (err)
		return err;
	if (bind(fd, at->ai_addr, at->ai_addrlen))
		err = spin_fail(-errno, "source %s: %s; it is an address of this machine, with a port that is free", source,
				strerror(errno));
	freeaddrinfo(at);
	return err;
}

/* Fragments never reach handlers: what is too long for the way is to fail here. */
static int set_up(int fd, int family)
{
	int discover = family == AF_INET ? IP_PMTUDISC_DO : IPV6_PMTUDISC_DO, bytes = BUFFER_BYTES;

	if (setsockopt(fd, family == AF_INET ? (int)IPPROTO_IP : (int)IPPROTO_IPV6, family == AF_INET ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER,
		       &discover, sizeof(discover)))
		return spin_fail(-errno, "cannot ask for packets in one piece: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, IPPROTO_UDP, UDP_GRO, &(int){ 1 }, sizeof(int)); /* or acknowledgements come one by one */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	return 0;
}

static int connect_to(const struct addrinfo *to, const char *source, const char *peer)
{
	int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP), err;

	if (fd < 0)
		return spin_fail(-errno, "cannot open a UDP socket: %s", strerror(errno));
	err = set_up(fd, to->ai_family);
	if (!err && source)
		err = bind_source(fd, source, to->ai_family);
	if (!err && connect(fd, to->ai_addr, to->ai_addrlen))
		err = spin_fail(-errno, "%s: %s; there is no way there from this machine", peer, strerror(errno));
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void name_peer(const struct addrinfo *to, char *peer, size_t bytes)
{
	char host[64] = "?", port[8] = "?";

	getnameinfo(to->ai_addr, to->ai_addrlen, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(peer, bytes, "%s port %s", host, port);
}

int send_socket__open(const char *host, const char *port, const char *source, int *fd, char *peer, size_t bytes)
{
	struct addrinfo *all;
	char number[8];
	int err;

	if (!host || !*host)
		return spin_fail(-EINVAL, "sender: there is no host; give a name or an address");
	snprintf(number, sizeof(number), "%u", SPIN_SLMP_PORT);
	if (!port)
		port = number;
	if (!is_port(port))
		return spin_fail(-EINVAL, "sender: '%s' is no port; give a number from 1 to 65535", port);
	err = resolve("sender", host, port, AF_UNSPEC, &all);
	if (err)
		return err;
	*fd = -1;
	for (const struct addrinfo *to = all; to && *fd < 0; to = to->ai_next) {
		name_peer(to, peer, bytes);
		*fd = connect_to(to, source, peer);
	}
	freeaddrinfo(all);
	return *fd < 0 ? *fd : 0;
}

int send_socket__room(int fd)
{
	struct sockaddr_storage name;
	socklen_t name_bytes = sizeof(name), bytes = sizeof(int);
	int mtu, ip6;

	if (getsockname(fd, (struct sockaddr *)&name, &name_bytes))
		return -errno;
	ip6 = name.ss_family == AF_INET6;
	if (getsockopt(fd, ip6 ? (int)IPPROTO_IPV6 : (int)IPPROTO_IP, ip6 ? IPV6_MTU : IP_MTU, &mtu, &bytes))
		return -errno;
	return mtu - (ip6 ? 40 : 20) - UDP_BYTES;
}

void send_socket__clear(int fd)
{
	socklen_t bytes = sizeof(int);
	char rest;
	int err;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
	for (unsigned i = 0; i < BUFFER_BYTES / 256 && recv(fd, &rest, sizeof(rest), MSG_DONTWAIT) >= 0; i++)
		;
}
