/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NETLINK_H
#define KERNEL_NETLINK_H

/*
 * The small part of netlink that the probes need: one request, its answers, attributes by number. Called by probe_*.c and
 * threaded.c.
 */
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

struct netlink_request {
	struct nlmsghdr head;
	char body[1024];
};

/* protocol: NETLINK_ROUTE or NETLINK_GENERIC. A descriptor in the present network namespace, or -errno. */
int netlink__open(int protocol);

/* Starts a request with its fixed header, of which `fixed` has the content. */
void netlink__begin(struct netlink_request *r, uint16_t type, uint16_t flags, const void *fixed, size_t bytes);
void netlink__put(struct netlink_request *r, uint16_t type, const void *data, size_t bytes);
void netlink__put_string(struct netlink_request *r, uint16_t type, const char *s);
/* Opens an attribute that has others inside; give the result to netlink__nest_end(). */
struct nlattr *netlink__nest(struct netlink_request *r, uint16_t type);
void netlink__nest_end(struct netlink_request *r, struct nlattr *nest);
/* Room for a fixed header inside a nest (the peer of a veth has one). */
void netlink__put_raw(struct netlink_request *r, const void *data, size_t bytes);

/* Sends it and hands each answer to fn (NULL: none wanted). 0 or -errno, as the kernel says; 5 s at most. */
int netlink__ask(int fd, struct netlink_request *r, void (*fn)(void *arg, const struct nlmsghdr *answer), void *arg);

/* Attributes behind a fixed header of an answer, by number; those above max are left out. */
void netlink__attributes(const struct nlmsghdr *answer, size_t fixed_bytes, const struct nlattr **by_type, unsigned max);
void netlink__nested(const struct nlattr *outer, const struct nlattr **by_type, unsigned max);

/* An attribute's content; 0 or "" if it is absent or too short. */
uint64_t netlink__number(const struct nlattr *a);
const char *netlink__string(const struct nlattr *a);

#endif
