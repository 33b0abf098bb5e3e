/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ENTRY_H
#define SPIN_TARGET_RV32_ENTRY_H

/*
 * What the NIC stores of a matching entry (memory that the host posts for messages) for its handlers: one block per entry, in the first
 * cluster's L1 after the scratchpads (handlers may use all of L2 handler memory). The block's address is in each message's scratchpad
 * (hwmodel/include/hwmodel/scratch.h). Datagrams use entry 0's. Included by <spin/target/rv32.h> and by the model (hwmodel/nic/), which
 * writes the blocks.
 */
#include <spin/message.h>

#define SPIN_ENTRY_BLOCKS 0x1007c000u /* SPIN_MES_MAX blocks, up to where an image keeps state */

/* High word of the host addresses at which a write makes a work item (<spin/work.h>). */
#define SPIN_WORK_WINDOW_HIGH 0x60u

struct spin_entry_block {
	struct spin_ct ct;
	uint32_t segments;
	struct spin_segment memory; /* the entry's memory; start: as below */
	uint32_t unused[11];
	struct spin_segment segment[SPIN_SEGMENTS_MAX]; /* start: low word of the host address */
	uint32_t unused2[16];
};
_Static_assert(sizeof(struct spin_entry_block) == 256 && SPIN_MES_MAX * 256 == 0x4000, "to where state in L1 begins");

#endif
