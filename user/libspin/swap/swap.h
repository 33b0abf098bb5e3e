/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SWAP_SWAP_H
#define USER_LIBSPIN_SWAP_SWAP_H

/*
 * What replacing handlers (swap.c), moving their memory (migrate.c) and mapping it again (socket.c) have in common. Functions return 0 or a
 * negative errno with a reason.
 */
struct spin_ctx;
struct spin_object;

/* Can the context's handlers be replaced by these while packets come? */
int swap__check(const struct spin_ctx *ctx, const struct spin_object *obj);
/* What the dispatcher calls for the context becomes prog_fd on all interfaces; on failure it is old_fd on all of them. */
int swap__replace_entry(struct spin_ctx *ctx, int prog_fd, int old_fd);
/* What the dispatcher calls for the context as a rule: its program, its guard or its ring's. */
int swap__entry_fd(const struct spin_ctx *ctx);
/* Afterwards no HPU runs what was replaced before. */
void swap__wait(const struct spin_ctx *ctx);
/* Whether the dispatcher makes room for replies that are longer than their requests. */
void swap__set_roomy(struct spin_ctx *ctx, int is_roomy);

/* What next has becomes ctx's, and next, which is to be destroyed, has what ctx had: the memory that next has of its own, and its object. */
void swap__take_memory(struct spin_ctx *ctx, struct spin_ctx *next);
void swap__take_object(struct spin_ctx *ctx, struct spin_ctx *next);

#endif
