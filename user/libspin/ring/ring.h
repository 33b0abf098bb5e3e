/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_RING_RING_H
#define USER_LIBSPIN_RING_RING_H

/*
 * Rings as the library's other files see them. A ring (<spin/libspin_ring.h>) delivers a context's packets to the application by AF_XDP
 * instead of the host's stack. attach.c makes the dispatcher call the ring's program, which runs the context's program; swap.c and
 * set_rule.c replace the latter. Functions return 0 or a negative errno with a reason.
 */
struct spin_ring;
struct spin_ctx;

void ring__free(struct spin_ring *ring);

/* Returns the program that the dispatcher must call for the context. */
int ring__program_fd(const struct spin_ring *ring);
/* Replaces the context's program: each packet is handled by the old or the new one. */
int ring__replace(struct spin_ring *ring, int prog_fd);

/*
 * While a context's rule changes, its old and new program both run, each called by its own ring program. ring__add() sets *added_fd to
 * the second ring program, which runs prog_fd. When no packet reaches the first one any more, ring__take_added() keeps only the second. If
 * the change fails, ring__drop_added() keeps only the first.
 */
int ring__add(struct spin_ring *ring, int prog_fd, int *added_fd);
void ring__take_added(struct spin_ring *ring);
void ring__drop_added(struct spin_ring *ring);

#endif
