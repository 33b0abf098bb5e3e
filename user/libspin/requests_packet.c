/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets of handlers by raw sockets: the kernel finds the way and the neighbour. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "user/libspin/requests_private.h"

#define BUFFER_BYTES (1 << 20)

/* What is sent has its IP header; nothing is received. */
static int open_raw(int family)
{
	const struct timeval wait = { .tv_usec = 100000 }; /* a full interface holds up the others no longer */
	int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW), bytes = BUFFER_BYTES;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	return fd;
}

int requests_packet__open(struct requests *r)
{
	r->raw4 = open_raw(AF_INET);
	if (r->raw4 < 0)
		return spin_fail(r->raw4, "cannot open a raw socket for packets of handlers: %s; it needs CAP_NET_RAW", strerror(-r->raw4));
	r->raw6 = open_raw(AF_INET6); /* a kernel without IPv6 is none that packets of it come to */
	return 0;
}

void requests_packet__close(struct requests *r)
{
	if (r->raw4 >= 0)
		close(r->raw4);
	if (r->raw6 >= 0)
		close(r->raw6);
	r->raw4 = r->raw6 = -1;
}

/* An address of one link alone is looked for on the context's interface. */
static uint32_t scope_of(const struct spin_ctx *ctx, const struct in6_addr *to)
{
	return IN6_IS_ADDR_LINKLOCAL(to) && ctx->nic ? (uint32_t)ctx->nic->ifindex : 0;
}

void requests_packet__send(struct spin_ctx *ctx, const struct spin_request *q)
{
	const struct spin_process *target = &q->put.target;
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_addr.s_addr = target->addr[0] };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	struct requests *r = ctx->requests;
	const void *packet = q->frame + q->ip_at;
	ssize_t sent = -1;

	if (q->ip_at < q->bytes && target->ip_version == 4) {
		sent = sendto(r->raw4, packet, q->bytes - q->ip_at, MSG_NOSIGNAL, (struct sockaddr *)&to4, sizeof(to4));
	} else if (q->ip_at < q->bytes && r->raw6 >= 0) {
		memcpy(&to6.sin6_addr, target->addr, sizeof(to6.sin6_addr));
		to6.sin6_scope_id = scope_of(ctx, &to6.sin6_addr);
		sent = sendto(r->raw6, packet, q->bytes - q->ip_at, MSG_NOSIGNAL, (struct sockaddr *)&to6, sizeof(to6));
	}
	__atomic_fetch_add(sent < 0 ? &r->unsent : &r->sent, 1, __ATOMIC_RELAXED);
	if (sent >= 0)
		requests_hop__learn(ctx, target);
}
