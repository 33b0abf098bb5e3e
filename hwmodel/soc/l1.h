/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_L1_H
#define SOC_L1_H

/*
 * The banks of one cluster's L1 as a calendar (pspin_load.md 4, 5; pspin_soc.md "contention"): each serves one access per
 * cycle, an AMO keeps its bank one cycle more; a beat of the cluster's DMA takes the banks of its line for its cycle, before
 * any core. Calls come in order of cycle.
 */
#include <hwmodel/rv32.h>

#include "../target/parameters.h"

struct l1;

struct l1 *l1__new(const struct pspin_target *target);
void l1__free(struct l1 *l1);

/* The cycle, not before `cycle`, in which the bank of this offset serves this HPU; it is taken from then on. */
uint64_t l1__access(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind, unsigned hpu);

/* One beat at `offset` in that cycle; up to L1_AHEAD cycles ahead of the latest access. */
#define L1_AHEAD 65536u
void l1__beat(struct l1 *l1, uint64_t cycle, uint32_t offset);
/* 1 while beats are entered for this cycle or later ones: accesses have to ask. */
int l1__has_beats(const struct l1 *l1, uint64_t cycle);

/*
 * The incoming port of accesses from other clusters, which is one more who wants the bank, after the HPUs: when it passes
 * this one on. Then, in that cycle, when the bank serves it; the next one waits in the port for that.
 */
uint64_t l1__incoming(struct l1 *l1, uint64_t cycle, enum rv32_access kind);
/* The cycle from which on the one that was passed on last no longer stands before the next. */
uint64_t l1__head(const struct l1 *l1);
uint64_t l1__remote(struct l1 *l1, uint64_t cycle, uint32_t offset, enum rv32_access kind);

/* Cycles that accesses waited for their banks. */
uint64_t l1__conflicts(const struct l1 *l1);

#endif
