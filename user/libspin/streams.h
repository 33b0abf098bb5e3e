/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_STREAMS_H
#define USER_LIBSPIN_STREAMS_H

/*
 * Contexts of TCP sockets (bpf/stream.h, bpf/streams.bpf.c), for spind. Functions return 0 or a negative errno with a reason.
 */
#include <stdint.h>

#include <spin/libspin.h>

/* Whether the object's handlers can have streams. -EOPNOTSUPP: they take messages, send packets, or want a user header. */
int spin_streams__fit(const struct spin_object *obj);

/*
 * A context for streams alone: no interface is needed. rule: whose port spin_guard__has_socket() compares; it matches nothing. share: NULL, or
 * another context whose state, tables, events and host memory this one has, too: of the same layout, and locked against destruction by
 * the caller. opts as of spin_ctx__create_opts().
 */
int spin_streams__create(const struct spin_object *obj, const struct spin_rule *rule, const struct spin_ctx_opts *opts,
			 struct spin_ctx *share, struct spin_ctx **out);

/*
 * The socket is to be the context's: it listens, and its connections will have the handlers, or it is connected, and has them from now on.
 * Called behind spin_guard__install(), before spin_ctx__attach(). The first one in a process attaches a program to the
 * root of the control groups, as long as the process lives.
 */
int spin_streams__install(struct spin_ctx *ctx, int socket_fd, int is_listening);

/* Connections that have the context's handlers now. */
unsigned spin_streams__count(const struct spin_ctx *ctx);

#endif
