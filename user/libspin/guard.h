/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_GUARD_H
#define USER_LIBSPIN_GUARD_H

/*
 * The guard of a context on a socket (bpf/guard.h): a BPF program in front of the handlers. They get only that socket's datagrams or TCP
 * segments, and their results may only go to the socket; those of datagrams also back to the sender. spind gives each context of its
 * clients a guard. Functions return 0 or a negative errno with a reason.
 */
#include <stdint.h>

struct spin_ctx;
struct spin_object;

/* What the guards of a network namespace share. */
struct spin_guards {
	/* map of the host's addresses, filled by the caller; keys of 16 bytes in network byte order, IPv4 as ::ffff:a.b.c.d */
	int addresses_fd;
	int changes_fd;   /* generation of the address map: spin_guards__changed() */
	int cpus_fd;      /* CPU time that handlers have used, per CPU */
	unsigned percent; /* of each CPU's time, for all handlers together; 0: no limit */
	unsigned events;  /* per second and context; 0: no limit */
};
/* Creates the maps. */
int spin_guards__open(struct spin_guards *guards, unsigned percent, unsigned events);
void spin_guards__close(struct spin_guards *guards);
/* Must be called after an address was removed from the map, with a number not used before: guards then drop what they have cached. */
void spin_guards__changed(const struct spin_guards *guards, uint64_t changes);

/*
 * Adds a guard to a context that is not attached yet. The caller keeps the socket. The kernel removes it from the guard when its
 * last descriptor is closed. The connections that a listening socket accepts from now on are the context's. -EOPNOTSUPP: the kernel does
 * not take such sockets into a sockmap. -ENOSYS: the kernel is too old for TCP segments of a socket.
 */
int spin_guard__install(struct spin_ctx *ctx, int socket_fd, const struct spin_guards *guards);

/* Returns the bytes of the maps that the guard of such a context has for itself; small ones do not count. */
uint64_t spin_guard__map_bytes(const struct spin_object *obj);

/* Returns 1 while the socket is open and has the port of the context's rule. */
int spin_guard__has_socket(const struct spin_ctx *ctx);

/* Sums over all CPUs. */
struct spin_guard_sum {
	uint64_t left;    /* packets passed on untouched because they were not the socket's */
	uint64_t refused; /* packets dropped because they would have gone to others */
	uint64_t over;    /* packets dropped because the handlers had used their share of the CPU or of events */
	uint64_t busy_ns; /* ns in its handlers; 0 without a limit */
};
/* Of contexts of streams, `over` counts segments, which are sent again. */
void spin_guard__counts(const struct spin_ctx *ctx, struct spin_guard_sum *sum);

/* Returns the kernel's ID of the guard's program, which serves as the context's number; 0: no guard. */
uint32_t spin_guard__id(const struct spin_ctx *ctx);

#endif
