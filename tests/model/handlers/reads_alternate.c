/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL: four DMAs of 256 bytes to
 * the host, from handler memory and packet memory in turn. A read of another memory waits until the reads before have been answered.
 */
#include "memories.h"

SPIN_STATE(struct memories);

static enum spin_payload_rc reads_payload(struct spin_payload *p, struct memories *state)
{
	(void)p;
	(void)state;
#ifdef __riscv
	const uint32_t high = HOST_HIGH, low = HOST_LOW, handler = IN_HANDLER_MEMORY(state), packet = IN_PACKET_MEMORY;
	const uint32_t first = hpu_command_to_host(high, low, handler, 256), second = hpu_command_to_host(high, low + 1024, packet, 256);
	const uint32_t third = hpu_command_to_host(high, low + 2048, handler, 256);
	const uint32_t fourth = hpu_command_to_host(high, low + 3072, packet, 256);

	wait_for_all(first, second, third, fourth);
#endif
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(reads_alternate, .payload = reads_payload, .checksum = SPIN_CHECKSUM_HOST);
