/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_STREAMS_STREAMS_H
#define USER_LIBSPIN_STREAMS_STREAMS_H

/*
 * Contexts of TCP sockets (bpf/stream.h, bpf/streams.bpf.c): their handlers get the bytes of connections in order, after TCP. Called by
 * spind and ctx.c. Functions return 0 or a negative errno with a reason.
 */
#include <stdint.h>

#include <spin/libspin.h>

struct spin_guards;

/* Checks that the object's handlers can take streams. -EOPNOTSUPP: they take messages, send packets, or want a user header. */
int spin_streams__fit(const struct spin_object *obj);

/*
 * Creates a context only for streams; it needs no interface. rule: has the port that spin_guard__has_socket() compares; it matches nothing.
 * share: NULL, or another context whose state, tables, events and host memory this one shares: both must have the same layout, and the
 * caller must keep it from being destroyed. opts as for spin_ctx__create_opts().
 */
int spin_streams__create(const struct spin_object *obj, const struct spin_rule *rule, const struct spin_ctx_opts *opts,
			 struct spin_ctx *share, struct spin_ctx **out);

/*
 * Assigns the socket to the context. A listening socket's connections will have the handlers; a connected socket has them from now on.
 * Must be called after spin_guard__install() and before spin_ctx__attach(). The first call in a process attaches a program to the
 * root of the control groups until the process ends, with the limits of `guards`: segments of contexts that have used up their CPU time or
 * their events are dropped before TCP has them, and are sent again.
 */
int spin_streams__install(struct spin_ctx *ctx, int socket_fd, int is_listening, const struct spin_guards *guards);

/* Returns the number of connections that have the context's handlers now. */
unsigned spin_streams__count(const struct spin_ctx *ctx);

#endif
