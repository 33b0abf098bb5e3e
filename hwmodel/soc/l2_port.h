/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_L2_PORT_H
#define SOC_L2_PORT_H

/*
 * The one port of all HPUs to L2 (hwmodel/README.md, "L2"), by events. Loads come in one channel and stores in another, of
 * each cluster in order and the clusters in turn. In a cycle one of each is let through; while one that was cannot go on,
 * nobody else is. AMOs need both channels, and take turns with loads. Loads go on in the order in which they were let
 * through: to packet memory (l2.h), or into the queue of those that are in handler memory, where in a cycle either one
 * enters or one leaves.
 */
#include "hwmodel/soc/soc.h"

struct l2_port;

struct l2_port *l2_port__new(struct soc *soc); /* NULL: no memory */
void l2_port__free(struct l2_port *port);

/* The HPU's access sets out at this cycle; it is away until it is granted. Calls come in order of cycle. */
void l2_port__ask(struct l2_port *port, struct hpu *hpu, uint64_t cycle, enum memory_region region, enum rv32_access kind);

/* Cycles in which it was taken. */
uint64_t l2_port__busy(const struct l2_port *port);

#endif
