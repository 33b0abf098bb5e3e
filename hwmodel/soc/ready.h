/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_READY_H
#define SOC_READY_H

/* The messages that have a task, and which of them has its turn: round robin over their ids. */
#include <stdint.h>

#define READY_NONE UINT32_MAX

struct ready;

struct ready *ready__new(uint32_t messages); /* a multiple of 4096; NULL: no memory */
void ready__free(struct ready *ready);

/* Seen from that cycle on, which is not before the last one's; it is none of them yet. */
void ready__add(struct ready *ready, uint32_t message, uint64_t seen);
/* It has no task any more. */
void ready__remove(struct ready *ready, uint32_t message);
int ready__has(const struct ready *ready, uint32_t message);

/*
 * Whose turn it is in this cycle, settled in the one before: among those that were seen then, if any was. READY_NONE: nobody
 * has a task. P: 4 messages of the same home, headers 2 apart: m32 x3, m36, m32, m36, m40, m44; all clusters at 20: 0, 8, 9, 10,
 * 11, 0.
 */
uint32_t ready__turn(struct ready *ready, uint64_t cycle);

#endif
