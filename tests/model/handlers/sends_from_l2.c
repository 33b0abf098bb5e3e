/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL: four sends of 256 bytes of
 * handler memory, while the host DMA reads packets from L1. Sends and DMAs share a path only if they read the same memory.
 */
#include "memories.h"

SPIN_STATE(struct memories);

static enum spin_payload_rc sends_payload(struct spin_payload *p, struct memories *state)
{
	(void)p;
	(void)state;
#ifdef __riscv
	const uint32_t from = IN_HANDLER_MEMORY(state), first = hpu_command_send(0, HPU_SEND_REPLY, 0, from, 256);
	const uint32_t second = hpu_command_send(0, HPU_SEND_REPLY, 0, from, 256),
		       third = hpu_command_send(0, HPU_SEND_REPLY, 0, from, 256);
	const uint32_t fourth = hpu_command_send(0, HPU_SEND_REPLY, 0, from, 256);

	wait_for_all(first, second, third, fourth);
#endif
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(sends_from_l2, .payload = sends_payload, .checksum = SPIN_CHECKSUM_HOST);
