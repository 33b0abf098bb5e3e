/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_RING_RING_H
#define USER_LIBSPIN_RING_RING_H

/*
 * Rings (<spin/libspin_ring.h>: AF_XDP, packets go to the application past the kernel's stack) as used by the library's other files:
 * attach.c gives the dispatcher the ring's program instead of the context's; swap.c and set_rule.c replace the program that the ring's
 * program runs. Functions return 0 or a negative errno with a reason.
 */
struct spin_ring;
struct spin_ctx;

void ring__free(struct spin_ring *ring);

/* Returns the program that the dispatcher must call for the context. */
int ring__program_fd(const struct spin_ring *ring);
/* Replaces the context's program: each packet is handled by the old or the new one. */
int ring__replace(struct spin_ring *ring, int prog_fd);

/*
 * While a context's rule changes, it has two programs. ring__add() returns the second, which runs prog_fd. When the first has no
 * more packets, ring__take_added() makes the second the context's; if the change fails, ring__drop_added() removes it.
 */
int ring__add(struct spin_ring *ring, int prog_fd, int *added_fd);
void ring__take_added(struct spin_ring *ring);
void ring__drop_added(struct spin_ring *ring);

#endif
