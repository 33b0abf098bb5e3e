/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef CORE_ICACHE_H
#define CORE_ICACHE_H

/*
 * A cluster's instruction cache (pspin_soc.md "instruction cache", pspin_load.md 6): shared by its cores, so many ways of
 * 16-byte lines with pseudo-random replacement. A core that has one (rv32_core__set_icache()) asks it at each line that it
 * has not known to be there since `generation` last changed; code that stays in the cache costs nothing.
 */
#include <stdint.h>

struct icache;

struct icache_config {
	uint32_t bytes, ways, line_bytes, banks;
	uint32_t miss_cycles;   /* a refill, alone */
	uint32_t overlap_cycles;/* between two refills of different cores at the same time */
};

struct icache *icache__new(const struct icache_config *config); /* NULL: no memory, or no cache */
void icache__free(struct icache *icache);
/* All lines are gone. */
void icache__flush(struct icache *icache);
/* A core reaches this line at this cycle: how long it waits. Calls come in order of cycle. */
uint32_t icache__fetch(struct icache *icache, uint64_t cycle, uint32_t addr);
/* Is it there? Changes nothing. */
int icache__has(const struct icache *icache, uint32_t addr);
/* Changes whenever a line goes. */
const uint64_t *icache__generation(const struct icache *icache);
uint64_t icache__misses(const struct icache *icache);

#endif
