/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_SEGMENT_H
#define HWMODEL_IMAGE_SEGMENT_H

/*
 * The code around a handler that takes TCP segments (<spin/segment.h>), in a handler image: the tasks (one run of a handler each) for a
 * segment, which is a message of one packet. Included by entry.c; the header task is in datagram.h. The NIC keeps the connections. It
 * writes to the segment's scratchpad what the tasks must know of the connection, and runs the header entry only for the segment that begins
 * one, and the completion entry only for one that may end one. The header's verdict is in the scratchpad of every segment: left there by
 * the header task, or by the NIC.
 */
#include "hwmodel/image/datagram.h"

/*
 * Payload and proceed entries. The handler is NULL if none runs. The NIC learns from the transfer to the host that the segment was not
 * dropped, and counts the dropped bytes.
 */
HPU_INLINE void hpu_segment_data(_Bool is_ip4, enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *),
				 const struct hpu_args *args)
{
	struct spin_packet packet;
	struct spin_payload payload = { .packet = &packet };
	uint32_t rc;

	hpu_packet_open(&packet, is_ip4, HPU_TCP, args);
	packet.bytes = payload.length = hpu_payload_bytes(&packet);
	if (spin_handlers_.header) {
		const uint32_t verdict = *(volatile uint32_t *)&hpu_scratch()->header;

		if ((verdict & ~(uint32_t)SPIN_RC_COMPLETE) == SPIN_RC_PROCEED)
			handler = 0;
		else if (verdict != SPIN_RC_PROCESS_DATA)
			return;
	}
	if (!handler) {
		hpu_deposit(&packet, packet.bytes);
		return;
	}
	payload.offset = hpu_scratch()->offset;
	rc = handler(&payload, &spin_state);
	spin_atomic_abandon_(&packet);
	if (hpu_overran(&packet))
		return;
	if (rc == SPIN_RC_SUCCESS)
		hpu_deposit(&packet, payload.length);
	else if (rc != SPIN_RC_DROP)
		hpu_fail(rc); /* also REPLIED: TCP has no replies */
}

/* Returns at once if the NIC wrote a verdict that does not let it run: the segment was dropped after all, and ends nothing. */
HPU_INLINE void hpu_segment_completion(const struct hpu_args *args)
{
	const struct hpu_scratch *scratch = hpu_scratch();

	if (!HPU_COMPLETES || !hpu_header_lets_complete(*(const volatile uint32_t *)&scratch->header))
		return;
	hpu_run_completion(scratch->dropped_bytes, scratch->flow_control, scratch->length, HPU_TCP, args);
}

#endif
