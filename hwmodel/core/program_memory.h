/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef CORE_PROGRAM_MEMORY_H
#define CORE_PROGRAM_MEMORY_H

/*
 * The memory that instruction caches refill from: as in PsPIN's RTL one, with one port, for the caches of all clusters. They ask
 * in order of time, though one may ask for a later cycle than the next one does: each gets what is free there.
 */
#include <stdint.h>

#define PROGRAM_MEMORY_READS 2048u

/* All zero: nobody has read yet. */
struct program_memory {
	struct { uint64_t from, to; } reads[PROGRAM_MEMORY_READS]; /* by their cycles; of all HPUs there are 704 at most under way */
	unsigned count;
};

/* A read that takes so many cycles and may start at this one: when it starts. */
uint64_t program_memory__read(struct program_memory *memory, uint64_t cycle, uint32_t cycles);

#endif
