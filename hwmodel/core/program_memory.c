/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "program_memory.h"

#include <string.h>

uint64_t program_memory__read(struct program_memory *memory, uint64_t cycle, uint32_t cycles)
{
	unsigned at;

	if (memory->count == PROGRAM_MEMORY_READS) { /* the first half is long gone */
		memory->count /= 2;
		memmove(memory->reads, memory->reads + memory->count, memory->count * sizeof(memory->reads[0]));
	}
	for (at = memory->count; at > 0 && memory->reads[at - 1].to > cycle; at--)
		;
	for (; at < memory->count && memory->reads[at].from < cycle + cycles; at++)
		cycle = memory->reads[at].to;
	memmove(memory->reads + at + 1, memory->reads + at, (memory->count - at) * sizeof(memory->reads[0]));
	memory->reads[at].from = cycle;
	memory->reads[at].to = cycle + cycles;
	memory->count++;
	return cycle;
}
