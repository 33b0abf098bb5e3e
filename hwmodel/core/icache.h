/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_ICACHE_H
#define HWMODEL_CORE_ICACHE_H

/*
 * A cluster's instruction cache, shared by its cores (hwmodel/README.md, "Instruction cache"). As in PsPIN's RTL
 * each core has a port of its own with a controller: it looks up, and on a miss chooses the way - a free one, else by its
 * own 8-bit LFSR - and asks a central controller for the line. Refills of several ports overlap; two ports that miss one line
 * share its refill, and both their LFSRs step. A line is there when its refill is done; until then the one that it replaces
 * is, or the way is free: others that miss in that set until then choose the same one.
 */
#include <stdint.h>

struct icache;
struct reservations;

struct icache_config {
	uint32_t bytes, ways, line_bytes; /* all powers of two */
	uint32_t ports;                   /* cores */
	uint32_t miss_cycles;             /* what a fetch that misses takes longer than one that hits, alone */
	uint32_t refill_cycles;      /* from the start of a refill to where the next may start: its beats; 0: no port waits for another */
	struct reservations *memory; /* the port that refills come from, in PsPIN's RTL one for all; NULL: nobody else's */
};

/* NULL with errno ENOMEM, or EINVAL: no such cache. */
struct icache *icache__new(const struct icache_config *config);
void icache__free(struct icache *icache);
/* All lines are gone. */
void icache__flush(struct icache *icache);
/* A port asks for the line of addr at this cycle: how much longer it takes than a hit. Calls come in order of cycle, nearly. */
uint64_t icache__fetch(struct icache *icache, unsigned port, uint64_t cycle, uint32_t addr);
/* Before this cycle the port takes no lookup: it waits for a line that it asked for, wanted or not. */
uint64_t icache__next_lookup(const struct icache *icache, unsigned port);
/* Is it there at this cycle? A core that is ahead may ask: others, at earlier cycles, do not find what comes in between. */
int icache__has(struct icache *icache, uint64_t cycle, uint32_t addr);
/* Refills are under way: what icache__has() says of a cycle is of that cycle alone. */
int icache__is_filling(const struct icache *icache);
/* Changes whenever a line comes or goes. */
const uint64_t *icache__generation(const struct icache *icache);
/* When the last refill so far is done; 0: there was none. */
uint64_t icache__last_refill(const struct icache *icache);
/* Refills so far. */
uint64_t icache__misses(const struct icache *icache);

#endif
