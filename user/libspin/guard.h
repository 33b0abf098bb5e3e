/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_GUARD_H
#define USER_LIBSPIN_GUARD_H

/*
 * The guard of a context that is on a socket (bpf/guard.bpf.c): its handlers get that socket's datagrams alone, and what they make of
 * them goes on to the socket or back to its sender. spind gives one to each context of its clients. Functions return 0 or a negative
 * errno with a reason.
 */
#include <stdint.h>

struct spin_ctx;

/* A map of the host's addresses, for all guards of a network namespace: keys of 16 bytes, in network byte order, IPv4 as ::ffff:a.b.c.d. */
int spin_guard__new_addresses(int *map_fd);

/*
 * Puts a guard before a context that is not attached yet. The socket stays the caller's; the kernel takes it out of the guard when its
 * last descriptor is closed. local_fd: the host's addresses; it may be closed afterwards. -EOPNOTSUPP: the kernel has no sockmap
 * of such sockets.
 */
int spin_guard__install(struct spin_ctx *ctx, int socket_fd, int local_fd);

/* 1 while the socket is open. */
int spin_guard__has_socket(const struct spin_ctx *ctx);

/* Packets of all CPUs: passed on untouched as they were not the socket's, and dropped as they would have gone to others. */
void spin_guard__counts(const struct spin_ctx *ctx, uint64_t *left, uint64_t *refused);

/* The kernel's number of the guard's program, by which others name the context. 0: none. */
uint32_t spin_guard__id(const struct spin_ctx *ctx);

#endif
