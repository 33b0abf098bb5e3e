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

/* What the guards of a network namespace share. */
struct spin_guards {
	/* a map of the host's addresses: keys of 16 bytes, in network byte order, IPv4 as ::ffff:a.b.c.d; the caller fills it */
	int addresses_fd;
	int changes_fd;   /* how often addresses were removed: spin_guards__changed() */
	int cpus_fd;      /* what handlers have had of each CPU's time */
	unsigned percent; /* of a CPU, for the handlers of all together; 0: no limit */
	unsigned events;  /* a second, of a context; 0: no limit */
};
/* Makes the maps. */
int spin_guards__open(struct spin_guards *guards, unsigned percent, unsigned events);
void spin_guards__close(struct spin_guards *guards);
/* To be called after an address was removed from the map, with a number that it was not called with before: guards forget it. */
void spin_guards__changed(const struct spin_guards *guards, uint64_t changes);

/*
 * Puts a guard before a context that is not attached yet. The socket stays the caller's; the kernel takes it out of the guard when its
 * last descriptor is closed. -EOPNOTSUPP: the kernel has no sockmap of such sockets.
 */
int spin_guard__install(struct spin_ctx *ctx, int socket_fd, const struct spin_guards *guards);

/* 1 while the socket is open and has the port of the context's rule. */
int spin_guard__has_socket(const struct spin_ctx *ctx);

/* Of all CPUs together. */
struct spin_guard_sum {
	uint64_t left;    /* packets passed on untouched, as they were not the socket's */
	uint64_t refused; /* packets dropped, as they would have gone to others */
	uint64_t over;    /* packets dropped, as its handlers had had their part of the CPU, or left as many events as they may */
	uint64_t busy_ns; /* time of its handlers; 0 without a limit */
};
void spin_guard__counts(const struct spin_ctx *ctx, struct spin_guard_sum *sum);

/* The kernel's number of the guard's program, by which others name the context. 0: none. */
uint32_t spin_guard__id(const struct spin_ctx *ctx);

#endif
