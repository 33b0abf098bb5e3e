/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_MEMORY_H
#define HWMODEL_NIC_MEMORY_H

/*
 * Host memory, and what handlers reach through a matching entry, which the host posts for messages: the entry's memory, the handlers' own
 * segments of host memory, and a counter. Handlers find all three in the NIC's block of the entry. A context of datagrams has only entry 0,
 * which has no memory. Called by the files of nic/.
 */
#include "hwmodel/nic/nic.h"

/* Checks the segments against the host memory. Returns 0 or -EINVAL. */
int entry_memory__check(const struct pspin *nic, const struct spin_segment *segment, unsigned segments);
/* Posts an entry at this index, with its counter zero. The segments must have been checked. */
void entry_memory__post(struct pspin *nic, unsigned me, const struct spin_segment *segment, unsigned segments);
/* Sets the entry's own memory; called after entry_memory__post(). */
void entry_memory__place(struct pspin *nic, unsigned me, uint32_t start, uint32_t length);
/* Resets all entries. Only the first has handler memory: the context's, by default for datagrams all host memory. */
void entry_memory__reset(struct pspin *nic);
/* Writes the words about the entry that tasks of its messages read. */
void entry_memory__describe(const struct pspin *nic, unsigned me, struct hpu_scratch *scratch);
/* Are all of the bytes inside the entry's memory, or inside one of its segments? */
int entry_memory__holds(const struct pspin *nic, unsigned me, uint64_t offset, uint32_t bytes);

/* Allocates `bytes` of host memory (0: SPIN_HOST_BYTES), all zero, with the first entry's segments. Returns 0, -EINVAL or -ENOMEM. */
int nic_host__open(struct pspin *nic, uint32_t bytes, const struct spin_segment *segment, unsigned segments);
/* Clears host memory and resets the entries. */
void nic_host__clear(struct pspin *nic);

#endif
