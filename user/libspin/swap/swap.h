/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SWAP_SWAP_H
#define USER_LIBSPIN_SWAP_SWAP_H

/*
 * Replaces the handlers of a context while packets arrive: the functions of swap.c that migrate.c (handlers whose state has another layout)
 * and socket.c (handlers that spind has replaced: their memory is mapped again) also need. Functions return 0 or a negative errno with a
 * reason.
 */
struct spin_ctx;
struct spin_object;

/* Checks that the context's handlers can be replaced by these while packets arrive. */
int swap__check(const struct spin_ctx *ctx, const struct spin_object *obj);
/* Replaces the program that the dispatcher calls for the context by prog_fd on all interfaces. On failure it is old_fd on all of them. */
int swap__replace_entry(struct spin_ctx *ctx, int prog_fd, int old_fd);
/* Returns the program that the dispatcher normally calls for the context: its own, its guard's or its ring's. */
int swap__entry_fd(const struct spin_ctx *ctx);
/* Waits until no HPU runs what was replaced before. */
void swap__wait(const struct spin_ctx *ctx);
/* Sets whether the dispatcher, or the guard, makes room for replies that are longer than their requests. */
void swap__set_tailroom(struct spin_ctx *ctx, int needs_tailroom);

/* Exchange ctx's memory, or object, with next's. The caller then destroys next. */
void swap__exchange_memory(struct spin_ctx *ctx, struct spin_ctx *next);
void swap__exchange_object(struct spin_ctx *ctx, struct spin_ctx *next);

#endif
