/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sends netlink requests and reads the answers. Called by the probes, threaded.c and libspin (neighbours). One request at a time. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "kernel/netlink.h"

#define ANSWER_BYTES 65536

int netlink__open(int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), one = 1;
	struct timeval limit = { .tv_sec = 5 };

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	return fd;
}

void netlink__put_raw(struct netlink_request *r, const void *data, size_t bytes)
{
	char *to = (char *)r + NLMSG_ALIGN(r->head.nlmsg_len);

	if (to + NLMSG_ALIGN(bytes) > (char *)(r + 1))
		return; /* unreachable: all requests are built here, and the largest fits */
	memcpy(to, data, bytes);
	r->head.nlmsg_len = NLMSG_ALIGN(r->head.nlmsg_len) + (uint32_t)NLMSG_ALIGN(bytes);
}

void netlink__begin(struct netlink_request *r, uint16_t type, uint16_t flags, const void *fixed, size_t bytes)
{
	memset(r, 0, sizeof(*r));
	r->head.nlmsg_len = NLMSG_HDRLEN;
	r->head.nlmsg_type = type;
	r->head.nlmsg_flags = NLM_F_REQUEST | flags;
	netlink__put_raw(r, fixed, bytes);
}

void netlink__put(struct netlink_request *r, uint16_t type, const void *data, size_t bytes)
{
	struct nlattr a = { .nla_len = (uint16_t)(NLA_HDRLEN + bytes), .nla_type = type };

	netlink__put_raw(r, &a, sizeof(a));
	if (bytes)
		netlink__put_raw(r, data, bytes);
}

void netlink__put_string(struct netlink_request *r, uint16_t type, const char *s)
{
	netlink__put(r, type, s, strlen(s) + 1);
}

struct nlattr *netlink__nest(struct netlink_request *r, uint16_t type)
{
	struct nlattr *nest = (struct nlattr *)((char *)r + NLMSG_ALIGN(r->head.nlmsg_len));

	netlink__put(r, type, NULL, 0);
	return nest;
}

void netlink__nest_end(struct netlink_request *r, struct nlattr *nest)
{
	nest->nla_len = (uint16_t)((char *)r + r->head.nlmsg_len - (char *)nest);
}

/* Returns 1 if more messages follow, 0 at the end, or -errno. */
static int parse_messages(const char *buf, size_t bytes, uint32_t seq, void (*fn)(void *, const struct nlmsghdr *), void *arg)
{
	size_t left = bytes;

	for (const struct nlmsghdr *h = (const void *)buf; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_seq != seq)
			continue;
		if (h->nlmsg_type == NLMSG_DONE)
			return 0;
		if (h->nlmsg_type == NLMSG_ERROR)
			return ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
		if (fn)
			fn(arg, h);
	}
	return 1;
}

int netlink__transact(int fd, struct netlink_request *r, void (*fn)(void *arg, const struct nlmsghdr *answer), void *arg)
{
	static __thread char buf[ANSWER_BYTES] __attribute__((aligned(8)));
	static __thread uint32_t seq;
	int more = 1;

	r->head.nlmsg_seq = ++seq;
	if ((r->head.nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		r->head.nlmsg_flags |= NLM_F_ACK;
	if (send(fd, r, r->head.nlmsg_len, 0) < 0)
		return -errno;
	while (more == 1) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		more = parse_messages(buf, (size_t)n, seq, fn, arg);
	}
	return more;
}

static void parse_attributes(const char *from, size_t bytes, const struct nlattr **by_type, unsigned max)
{
	memset(by_type, 0, (max + 1) * sizeof(*by_type));
	while (bytes >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)from;
		size_t step = NLA_ALIGN(a->nla_len);
		unsigned type = a->nla_type & NLA_TYPE_MASK;

		if (a->nla_len < NLA_HDRLEN || a->nla_len > bytes)
			return;
		if (type <= max)
			by_type[type] = a;
		if (step >= bytes)
			return;
		from += step;
		bytes -= step;
	}
}

void netlink__attributes(const struct nlmsghdr *answer, size_t fixed_bytes, const struct nlattr **by_type, unsigned max)
{
	size_t skip = NLMSG_HDRLEN + NLMSG_ALIGN(fixed_bytes);

	parse_attributes((const char *)answer + skip, answer->nlmsg_len > skip ? answer->nlmsg_len - skip : 0, by_type, max);
}

void netlink__nested(const struct nlattr *outer, const struct nlattr **by_type, unsigned max)
{
	if (outer)
		parse_attributes((const char *)outer + NLA_HDRLEN, outer->nla_len - NLA_HDRLEN, by_type, max);
	else
		parse_attributes(NULL, 0, by_type, max);
}

uint64_t netlink__number(const struct nlattr *a)
{
	uint64_t value = 0;
	size_t bytes = a ? a->nla_len - NLA_HDRLEN : 0;
	const char *from = (const char *)a + NLA_HDRLEN;
	uint32_t u32;
	uint16_t u16;

	switch (bytes) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		memcpy(&u16, from, 2);
		return u16;
	case 4:
		memcpy(&u32, from, 4);
		return u32;
	case 8:
		memcpy(&value, from, 8);
	}
	return value;
}

const char *netlink__string(const struct nlattr *a)
{
	return a && a->nla_len > NLA_HDRLEN ? (const char *)a + NLA_HDRLEN : "";
}
