/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_WORK_H
#define SPIN_TARGET_RV32_WORK_H

/*
 * Work items, which handlers leave to the program on the host (<spin/work.h>), on a PsPIN HPU (a core of the NIC). Included by
 * <spin/target/rv32.h>. An item is written by DMA to a window of host addresses, and the host turns each such write into an event. Its kind
 * is not sent: the NIC knows which task writes. The host counts the items that it has taken in the context's memory.
 */
static struct spin_work_counts_ spin_work_counts __attribute__((unused));

SPIN_INLINE int spin_work_push_(struct spin_packet *packet, uint32_t kind, const void *from, uint32_t bytes)
{
	(void)kind;
	if (spin_fadd32_(&spin_work_counts.pushed, 1) - spin_load32(&spin_work_counts.taken) >= spin_work_items_) {
		spin_add32(&spin_work_counts.pushed, (uint32_t)-1);
		spin_add32((uint32_t *)&spin_work_counts.lost, 1);
		return SPIN_WORK_FULL;
	}
	spin_settle_(packet);
	spin_fence_();
	spin_command_await_(
		spin_command_id_(&packet->commands, spin_command_to_host_(SPIN_WORK_WINDOW_HIGH, 0, spin_nic_address_(from), bytes)));
	return 0;
}

#endif
