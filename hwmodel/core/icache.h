/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_ICACHE_H
#define HWMODEL_CORE_ICACHE_H

/*
 * Timing of a cluster's instruction cache, shared by its cores (hwmodel/README.md, "Instruction cache"). Called by lines.c for the fetches
 * of the simulated cores, and by the SoC model. As in PsPIN's RTL each core has its own port with a controller. The port looks up the line.
 * On a miss it chooses the way, a free one or else by its own 8-bit LFSR, and requests the line from a central controller. Refills of
 * several ports overlap. Two ports that miss one line share its refill, and both their LFSRs step. A line is valid when its refill is done.
 * Until then the old line stays valid, or the way stays free, so other ports that miss in that set may choose the same way.
 */
#include <stdint.h>

struct icache;
struct reservations;

/* Size and timing of a cache. */
struct icache_config {
	uint32_t bytes, ways, line_bytes; /* all powers of two */
	uint32_t ports;                   /* cores */
	uint32_t miss_cycles;             /* extra cycles of a fetch that misses over one that hits, on an idle machine */
	uint32_t refill_cycles;      /* cycles from one refill's start to the next one's: its beats; 0: ports do not wait for each other */
	struct reservations *memory; /* the port that refills read from, in PsPIN's RTL shared by all clusters; NULL: not shared */
};

/* Returns NULL with errno ENOMEM, or EINVAL for an impossible configuration. */
struct icache *icache__new(const struct icache_config *config);
void icache__free(struct icache *icache);
/* Invalidates all lines. */
void icache__flush(struct icache *icache);
/* Requests the line of addr at this cycle. Returns the cycles beyond those of a hit. Calls must be nearly in order of cycle. */
uint64_t icache__fetch(struct icache *icache, unsigned port, uint64_t cycle, uint32_t addr);
/*
 * Returns the first cycle at which the port can look up again. Until then it waits for a line that it requested, even if the core no
 * longer needs it.
 */
uint64_t icache__next_lookup(const struct icache *icache, unsigned port);
/*
 * Is the line valid at this cycle? A core may ask ahead of others: refills up to that cycle are not made visible to cores at earlier
 * cycles.
 */
int icache__has(struct icache *icache, uint64_t cycle, uint32_t addr);
/* Is any refill in flight? Then an answer of icache__has() is valid for its cycle only. */
int icache__is_filling(const struct icache *icache);
/* Points at a counter that changes whenever a line is filled or invalidated. */
const uint64_t *icache__generation(const struct icache *icache);
/* Returns when the last refill so far is done; 0 if there was none. */
uint64_t icache__last_refill(const struct icache *icache);
/* Returns the number of refills so far. */
uint64_t icache__misses(const struct icache *icache);

#endif
