/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_RING_RING_H
#define USER_LIBSPIN_RING_RING_H

/*
 * What the library's other files need of rings (<spin/libspin_ring.h>): attach.c gives the dispatcher the ring's program instead of the
 * context's, swap.c and set_rule.c replace the program that it runs. NULL: the context has none. Functions return 0 or a negative
 * errno with a reason.
 */
struct spin_ring;
struct spin_ctx;

void ring__free(struct spin_ring *ring);

/* The program that the dispatcher is to call for the context. */
int ring__program_fd(const struct spin_ring *ring);
/* The context's program becomes another one: each packet has the old one or the new one. */
int ring__replace(struct spin_ring *ring, int prog_fd);

/*
 * While a context's rule changes it has two programs. ring__add() gives the second one, for prog_fd; when the first has no
 * packets any more ring__take_added() makes it the context's, and ring__drop_added() removes it if the change fails.
 */
int ring__add(struct spin_ring *ring, int prog_fd, int *added_fd);
void ring__take_added(struct spin_ring *ring);
void ring__drop_added(struct spin_ring *ring);

#endif
