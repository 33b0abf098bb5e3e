/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL: four DMAs of 64 bytes
 * from the host, to L1 and handler memory in turn. A write to another memory waits until the writes before have been answered.
 */
#include "memories.h"

SPIN_STATE(struct memories);

static enum spin_payload_rc writes_payload(struct spin_payload *p, struct memories *state)
{
	(void)p;
	(void)state;
#ifdef __riscv
	const uint32_t high = HOST_HIGH, low = HOST_LOW, l1 = IN_L1, handler = IN_HANDLER_MEMORY(state);
	const uint32_t first = hpu_command_from_host(high, low, l1, 64), second = hpu_command_from_host(high, low + 1024, handler, 64);
	const uint32_t third = hpu_command_from_host(high, low + 2048, l1, 64);
	const uint32_t fourth = hpu_command_from_host(high, low + 3072, handler, 64);

	wait_for_all(first, second, third, fourth);
#endif
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(writes_l1_l2, .payload = writes_payload, .checksum = SPIN_CHECKSUM_HOST);
