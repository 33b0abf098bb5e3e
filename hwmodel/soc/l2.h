/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_L2_H
#define SOC_L2_H

/*
 * The read port of packet memory, which copies to L1 and HPUs' loads share (hwmodel/README.md, "L2"). A calendar; loads
 * come in order of cycle.
 */
#include <stdint.h>

struct l2;

struct l2 *l2__new(void);
void l2__free(struct l2 *l2);

/*
 * The cycle in which a load that is there at `cycle` is read. If a burst has that cycle, its beats from there on come a cycle
 * later, and those behind it: who has bursts is told by l2__tell()'s function.
 */
uint64_t l2__load(struct l2 *l2, uint64_t cycle);
void l2__tell(struct l2 *l2, void (*delayed)(void *arg, uint64_t cycle), void *arg);

/*
 * A burst of `beats` for a copy to L1, which is there at `cycle` (it may be known before): returns the cycle of its first beat;
 * the others follow one per cycle. It takes the first time that is free for all of them.
 */
uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats);

/* Cycles in which it was taken. */
uint64_t l2__read_busy(const struct l2 *l2);

#endif
