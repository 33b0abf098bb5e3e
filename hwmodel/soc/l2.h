/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_L2_H
#define SOC_L2_H

#include "hwmodel/soc/state.h"

/*
 * The read port of packet memory, which copies to L1 and HPUs' loads share (hwmodel/README.md, "L2"). A calendar; loads
 * come in order of cycle.
 */

struct l2;
struct l2_port;

struct l2 *l2__new(void);
void l2__free(struct l2 *l2);

/*
 * The cycle in which a load that is there at `cycle` is read. If a burst has that cycle, its beats from there on come a cycle
 * later, and those behind it: who has bursts is told by l2__on_delay()'s function.
 */
uint64_t l2__load(struct l2 *l2, uint64_t cycle);
void l2__on_delay(struct l2 *l2, void (*delayed)(void *arg, uint64_t cycle), void *arg);

/*
 * A burst of `beats` for a copy to L1, which is there at `cycle` (it may be known before): returns the cycle of its first beat;
 * the others follow one per cycle. It takes the first time that is free for all of them.
 */
uint64_t l2__burst(struct l2 *l2, uint64_t cycle, unsigned beats);

/* Cycles in which it was taken. */
uint64_t l2__read_busy(const struct l2 *l2);

/*
 * The one port of all HPUs to L2 (hwmodel/README.md, "L2"), by events. Loads come in one channel and stores in another, of
 * each cluster in order and the clusters in turn. In a cycle one of each is let through; while one that was cannot go on,
 * nobody else is. AMOs need both channels, and take turns with loads. Loads go on in the order in which they were let
 * through: to packet memory (l2.h), or into the queue of those that are in handler memory, where in a cycle either one
 * enters or one leaves.
 */

struct l2_port *l2_port__new(struct soc *soc); /* NULL: no memory */
void l2_port__free(struct l2_port *port);

/* The HPU's access sets out at this cycle; it is away until it is granted. Calls come in order of cycle. */
void l2_port__request(struct l2_port *port, struct hpu *hpu, uint64_t cycle, enum memory_region region, enum rv32_access kind);

/* Cycles in which it was taken. */
uint64_t l2_port__busy(const struct l2_port *port);

#endif
