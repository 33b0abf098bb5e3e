/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NETLINK_H
#define KERNEL_NETLINK_H

/*
 * The small part of netlink that is needed here: one request, its answers, attributes by number. Called by probe_*.c, threaded.c and
 * libspin (user/libspin/requests/neigh.c).
 */
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/* A request while attributes are added to it. */
struct netlink_request {
	struct nlmsghdr head;
	char body[1024];
};

/* Opens a socket in the current network namespace. protocol: NETLINK_ROUTE or NETLINK_GENERIC. Returns the descriptor or -errno. */
int netlink__open(int protocol);

/* Starts a request. `fixed` is the content of its fixed header. */
void netlink__begin(struct netlink_request *r, uint16_t type, uint16_t flags, const void *fixed, size_t bytes);
void netlink__put(struct netlink_request *r, uint16_t type, const void *data, size_t bytes);
void netlink__put_string(struct netlink_request *r, uint16_t type, const char *s);
/* Opens a nested attribute. Pass the result to netlink__nest_end(). */
struct nlattr *netlink__nest(struct netlink_request *r, uint16_t type);
void netlink__nest_end(struct netlink_request *r, struct nlattr *nest);
/* Adds raw bytes, for a fixed header inside a nest (the peer of a veth has one). */
void netlink__put_raw(struct netlink_request *r, const void *data, size_t bytes);

/* Sends the request and passes each answer to fn (NULL: ignore them). Returns 0 or the kernel's -errno; waits at most 5 s. */
int netlink__transact(int fd, struct netlink_request *r, void (*fn)(void *arg, const struct nlmsghdr *answer), void *arg);

/* Finds the attributes after an answer's fixed header, by number; ignores those above max. */
void netlink__attributes(const struct nlmsghdr *answer, size_t fixed_bytes, const struct nlattr **by_type, unsigned max);
void netlink__nested(const struct nlattr *outer, const struct nlattr **by_type, unsigned max);

/* An attribute's value; 0 or "" if it is absent or too short. */
uint64_t netlink__number(const struct nlattr *a);
const char *netlink__string(const struct nlattr *a);

#endif
