/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_MEMORY_H
#define HWMODEL_NIC_MEMORY_H

/*
 * Host memory, and what handlers reach through a matching entry: its memory, segments of host memory of their own, and a counter.
 * Handlers find all three in the NIC's block of the entry. A context of datagrams has only entry 0, which has no memory.
 */
#include "hwmodel/nic/nic.h"

/* 0, or -EINVAL: no such segments of the host memory. */
int entry_memory__check(const struct pspin *nic, const struct spin_segment *segment, unsigned segments);
/* Posts an entry in this place, with its counter zero. The segments must have been checked. */
void entry_memory__post(struct pspin *nic, unsigned me, const struct spin_segment *segment, unsigned segments);
/* Then sets its own memory. */
void entry_memory__place(struct pspin *nic, unsigned me, uint32_t start, uint32_t length);
/* Only the first entry has handler memory: what the context was given; for datagrams by default all host memory. */
void entry_memory__reset(struct pspin *nic);
/* Writes what tasks of a message in this entry read of it. */
void entry_memory__describe(const struct pspin *nic, unsigned me, struct hpu_scratch *scratch);
/* Are all of the bytes in the entry's memory, or in one of its segments? */
int entry_memory__holds(const struct pspin *nic, unsigned me, uint64_t offset, uint32_t bytes);

/* Host memory of so many bytes (0: SPIN_HOST_BYTES), all zero, with the first entry's segments. 0, -EINVAL or -ENOMEM. */
int nic_host__open(struct pspin *nic, uint32_t bytes, const struct spin_segment *segment, unsigned segments);
/* All zero again, and entries as at the start. */
void nic_host__clear(struct pspin *nic);

#endif
