/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a socket's address, port, peer, device and namespace from its descriptor (facts.h). Called by client.c and front.c of spind. Any
 * user may pass descriptors, of any type, so nothing is taken from the request.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/nsfs.h>
#include <linux/sockios.h>

#include "user/spind/facts.h"

union address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

static int refuse(int err, char *text, size_t text_bytes, const char *format, ...) __attribute__((format(printf, 4, 5)));
static int refuse(int err, char *text, size_t text_bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(text, text_bytes, format, args);
	va_end(args);
	return err;
}

static int get_int_option(int fd, int level, int name, int *value)
{
	socklen_t bytes = sizeof(*value);

	*value = 0;
	return getsockopt(fd, level, name, value, &bytes) ? -errno : 0;
}

/*
 * Writes IP version, address, mask and port; an IPv4-mapped IPv6 address counts as IPv4. Version 0: the wildcard address of both versions.
 */
static void parse_endpoint(const union address *from, int v6only, unsigned *version, uint32_t addr[4], uint32_t mask[4], uint16_t *port)
{
	const struct in6_addr *ip6 = &from->ip6.sin6_addr;

	memset(addr, 0, 16);
	memset(mask, 0, 16);
	if (from->any.sa_family == AF_INET) {
		*version = 4;
		*port = ntohs(from->ip4.sin_port);
		addr[0] = from->ip4.sin_addr.s_addr;
		mask[0] = addr[0] ? UINT32_MAX : 0;
		return;
	}
	*port = ntohs(from->ip6.sin6_port);
	if (IN6_IS_ADDR_V4MAPPED(ip6)) {
		*version = 4;
		memcpy(addr, (const char *)ip6 + 12, 4);
		mask[0] = addr[0] ? UINT32_MAX : 0;
		return;
	}
	*version = IN6_IS_ADDR_UNSPECIFIED(ip6) && !v6only ? 0 : 6;
	if (IN6_IS_ADDR_UNSPECIFIED(ip6))
		return;
	memcpy(addr, ip6, 16);
	memset(mask, 0xff, 16);
}

/* Returns 1 if only lo receives packets to this address. */
static int is_loopback(const struct spin_rule *rule)
{
	if (rule->ip_version == 4)
		return ntohl(rule->dst_addr[0]) >> 24 == 127;
	return rule->ip_version == 6 && IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)rule->dst_addr);
}

static int check_socket_type(int fd, int *protocol, char *text, size_t text_bytes)
{
	int domain = 0, type = 0;

	*protocol = 0;
	if (get_int_option(fd, SOL_SOCKET, SO_DOMAIN, &domain))
		return refuse(-ENOTSOCK, text, text_bytes, "the descriptor is not a socket's: pass that of a socket of UDP or TCP");
	if (get_int_option(fd, SOL_SOCKET, SO_TYPE, &type) || get_int_option(fd, SOL_SOCKET, SO_PROTOCOL, protocol) ||
	    (domain != AF_INET && domain != AF_INET6) ||
	    !((type == SOCK_DGRAM && *protocol == IPPROTO_UDP) || (type == SOCK_STREAM && *protocol == IPPROTO_TCP)))
		return refuse(
			-EPROTONOSUPPORT, text, text_bytes,
			"the socket (domain %d, type %d, protocol %d) is not one of UDP or TCP: handlers run on those, over IPv4 or IPv6",
			domain, type, *protocol);
	return 0;
}

/* A TCP socket must already listen or be connected, because handlers see all that arrives from now on. */
static int read_tcp_state(int fd, struct facts *out, char *text, size_t text_bytes)
{
	struct tcp_info info = { 0 };
	socklen_t bytes = sizeof(info);

	out->is_tcp = 1;
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes))
		return refuse(-errno, text, text_bytes, "the socket's state cannot be read: %s", strerror(errno));
	out->is_listening = info.tcpi_state == TCP_LISTEN;
	if (out->is_listening || info.tcpi_state == TCP_ESTABLISHED)
		return 0;
	return refuse(-ENOTCONN, text, text_bytes,
		      "the socket of TCP neither listens nor is connected: listen() or connect() before handlers are attached");
}

int facts__read(int fd, struct facts *out, char *text, size_t text_bytes)
{
	union address own = { 0 }, peer = { 0 };
	socklen_t own_bytes = sizeof(own), peer_bytes = sizeof(peer);
	struct spin_rule *rule = &out->rule;
	int v6only = 0, protocol = 0, err;
	unsigned version, peer_version;

	memset(out, 0, sizeof(*out));
	err = check_socket_type(fd, &protocol, text, text_bytes);
	if (!err && protocol == IPPROTO_TCP)
		err = read_tcp_state(fd, out, text, text_bytes);
	if (err)
		return err;
	if (getsockname(fd, &own.any, &own_bytes))
		return refuse(-errno, text, text_bytes, "the socket's address cannot be read: %s", strerror(errno));
	if (own.any.sa_family == AF_INET6)
		get_int_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only);
	get_int_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &out->ifindex);
	parse_endpoint(&own, v6only, &version, rule->dst_addr, rule->dst_mask, &rule->dst_port);
	if (!rule->dst_port)
		return refuse(-EDESTADDRREQ, text, text_bytes,
			      "the socket has no port: bind() it, or connect() it, before handlers are attached");
	if (!getpeername(fd, &peer.any, &peer_bytes)) {
		parse_endpoint(&peer, v6only, &peer_version, rule->src_addr, rule->src_mask, &rule->src_port);
		version = peer_version;
	}
	rule->ip_version = (uint8_t)version;
	rule->protocol = IPPROTO_UDP;
	if (is_loopback(rule))
		out->ifindex = (int)if_nametoindex("lo");
	if (!version) {
		memset(rule->dst_mask, 0, sizeof(rule->dst_mask));
		memset(rule->dst_addr, 0, sizeof(rule->dst_addr));
	}
	return 0;
}

int facts__namespace(int fd, uint64_t *inode, char *text, size_t text_bytes)
{
	struct stat st;
	int ns, protocol, err = check_socket_type(fd, &protocol, text, text_bytes);

	if (err)
		return err;
	ns = ioctl(fd, SIOCGSKNS);
	if (ns < 0 || fstat(ns, &st)) {
		int err = -errno;

		if (ns >= 0)
			close(ns);
		return refuse(err, text, text_bytes, "the socket's network namespace cannot be found: %s", strerror(-err));
	}
	*inode = st.st_ino;
	return ns;
}

int facts__open_namespace(int ns_fd, uint64_t *inode, char *text, size_t text_bytes)
{
	struct stat st;
	int ns;

	if (ioctl(ns_fd, NS_GET_NSTYPE) != CLONE_NEWNET || fstat(ns_fd, &st))
		return refuse(-EINVAL, text, text_bytes, "the descriptor is not a network namespace's");
	ns = fcntl(ns_fd, F_DUPFD_CLOEXEC, 0);
	if (ns < 0)
		return refuse(-errno, text, text_bytes, "the network namespace cannot be opened: %s", strerror(errno));
	*inode = st.st_ino;
	return ns;
}
