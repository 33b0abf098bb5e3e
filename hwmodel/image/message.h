/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_MESSAGE_H
#define HWMODEL_IMAGE_MESSAGE_H

/*
 * The code around a handler that takes messages of many packets (<spin/message.h>), in a handler image: the tasks (one run of a handler
 * each) for a packet. Included by entry.c. The NIC places the Ethernet frame at a multiple of 4, without VLAN tags and struct
 * spin_slmp_put, so the payload is also at a multiple of 4. The task's host memory is the message's place: from its first byte to the end
 * of the matching entry, the memory that the host has posted for it. A task returns its handler's return code.
 */
#include "hwmodel/image/task.h"

/* For images that take more than puts. */
HPU_INLINE uint32_t hpu_message_type(void)
{
	return hpu_scratch()->flow_control >> HPU_SCRATCH_TYPE & 255;
}

/*
 * Runs the header handler. The scratchpad keeps its verdict for the message's other packets: HPU_SCRATCH_FAILED if it trapped or returned
 * an invalid code.
 */
HPU_INLINE uint32_t hpu_message_header(_Bool is_ip4, const struct hpu_args *args)
{
	struct spin_packet packet;
	struct spin_header header = { .packet = &packet };
	struct hpu_scratch *scratch = hpu_scratch();
	uint32_t rc, verdict;

	if (!spin_handlers_.header)
		return SPIN_RC_PROCESS_DATA;
	hpu_packet_open(&packet, is_ip4, HPU_UDP, args);
	packet.bytes = hpu_user_header_bytes(hpu_payload_bytes(&packet));
	header.length = scratch->length;
	header.offset = scratch->offset;
	header.match_bits = scratch->match_bits;
	header.hdr_data = scratch->hdr_data;
	header.type = spin_handlers_.takes ? hpu_message_type() : SPIN_TYPE_PUT;
	*(volatile uint32_t *)&scratch->header = HPU_SCRATCH_FAILED; /* in case it traps */
	rc = spin_handlers_.header(&header, &spin_state);
	spin_atomic_abandon_(&packet);
	hpu_note_header_sent(&packet);
	if (hpu_overran(&packet))
		return rc;
	verdict = rc & ~(uint32_t)SPIN_RC_PENDING;
	if (hpu_is_header_rc(verdict))
		scratch->header = verdict;
	else
		hpu_fail(rc);
	return rc;
}

/*
 * Atomic, since packets of one message run at the same time. The scratchpad's address is read again here: with the one from
 * hpu_packet_open(), gcc would compute it even for packets of which nothing is dropped (7 instructions).
 */
HPU_INLINE void hpu_add_dropped(uint32_t bytes)
{
	struct hpu_scratch *scratch;

	if (!HPU_COMPLETES)
		return;
	scratch = (struct hpu_scratch *)HPU_TASK_->scratchpad[HPU_TASK_->home_cluster];
	__atomic_fetch_add(&scratch->dropped_bytes, bytes, __ATOMIC_RELAXED);
}

HPU_INLINE uint32_t hpu_message_offset(const struct spin_packet *packet)
{
	const struct spin_slmp *slmp = (const struct spin_slmp *)(spin_udp_(packet) + 1);

	return spin_ntoh32(slmp->offset);
}

/* Writes the payload to its offset in the entry; bytes beyond the entry's end are cut off. */
HPU_INLINE void hpu_message_deposit(struct spin_packet *packet)
{
	uint32_t offset = hpu_message_offset(packet), bytes = packet->bytes;

	if (offset >= packet->host_bytes)
		return;
	if (bytes > packet->host_bytes - offset)
		bytes = packet->host_bytes - offset;
	if (bytes)
		hpu_command_to_host(packet->host_high, packet->host_low + offset, (uint32_t)packet->payload, bytes);
}

/*
 * The default action of a get: asks the host's library to send the bytes that the entry has, as a handler would. Returns 0 if nothing
 * is sent.
 */
HPU_INLINE _Bool hpu_message_answer(struct spin_packet *packet)
{
	const struct hpu_scratch *scratch = hpu_scratch();
	const struct spin_slmp_get *get = (const struct spin_slmp_get *)packet->payload;
	uint32_t bytes = scratch->length < packet->host_bytes ? scratch->length : packet->host_bytes;
	struct spin_put put = { .target = spin_source_(packet),
				.match_bits = spin_swap64_(get->match_bits),
				.hdr_data = spin_swap64_(get->hdr_data),
				.remote_offset = spin_swap64_(get->offset) };

	return scratch->flow_control >> HPU_SCRATCH_DETAIL && !spin_put_from_host_(packet, 0, bytes, &put);
}

/* The default action of an atomic: adds its operands. Returns 0 if nothing was done. */
HPU_INLINE _Bool hpu_message_add(struct spin_packet *packet)
{
	const uint32_t *from = (const uint32_t *)packet->payload;
	uint32_t size = (hpu_scratch()->flow_control >> HPU_SCRATCH_DETAIL) * 4; /* enum spin_atomic; 0: not permitted */

	if (!size || packet->bytes > packet->host_bytes || packet->host_low & (size - 1))
		return 0;
	for (uint32_t at = 0; at < packet->bytes; at += size, from += size / 4) {
		uint64_t wide;
		uint32_t before;

		if (size == 4)
			spin_dma_fadd32_(packet, SPIN_ME_MEM, at, *from, &before);
		else
			spin_dma_fadd64_(packet, SPIN_ME_MEM, at, from[0] | (uint64_t)from[1] << 32, &wide);
	}
	return 1;
}

/*
 * The default action of a fetching atomic: adds its operands and puts the old values where the request says. Returns 0 if nothing was
 * done.
 */
HPU_INLINE _Bool hpu_message_fetch(struct spin_packet *packet)
{
	const struct spin_slmp_get *get = (const struct spin_slmp_get *)packet->payload;
	const uint32_t *from = (const uint32_t *)(get + 1);
	const uint32_t size = (hpu_scratch()->flow_control >> HPU_SCRATCH_DETAIL & ~SPIN_ATOMIC_FETCH) * 4;
	const uint32_t bytes = packet->bytes - (uint32_t)sizeof(*get);
	struct spin_put put = { .target = spin_source_(packet),
				.match_bits = spin_swap64_(get->match_bits),
				.hdr_data = spin_swap64_(get->hdr_data),
				.remote_offset = spin_swap64_(get->offset) };
	uint32_t before[SPIN_ATOMIC_BYTES_MAX / 4] __attribute__((aligned(8)));

	if (bytes > packet->host_bytes || packet->host_low & (size - 1) || packet->sent >= spin_puts_)
		return 0;
	for (uint32_t at = 0; at < bytes; at += size, from += size / 4) {
		if (size == 4)
			spin_dma_fadd32_(packet, SPIN_ME_MEM, at, *from, &before[at / 4]);
		else
			spin_dma_fadd64_(packet, SPIN_ME_MEM, at, from[0] | (uint64_t)from[1] << 32, (uint64_t *)&before[at / 4]);
	}
	return !spin_put_from_device_(packet, before, bytes, &put);
}

/* The default action of a message that is not a put (<spin/message.h>). Returns SPIN_RC_DROP if nothing was done. */
HPU_INLINE uint32_t hpu_message_request(struct spin_packet *packet)
{
	_Bool done = 0;

	if (spin_handlers_.takes & SPIN_TAKES_GET && hpu_message_type() == SPIN_TYPE_GET)
		done = hpu_message_answer(packet);
	else if (spin_handlers_.takes & SPIN_TAKES_FETCH && hpu_scratch()->flow_control >> HPU_SCRATCH_DETAIL & SPIN_ATOMIC_FETCH)
		done = hpu_message_fetch(packet);
	else if (spin_handlers_.takes & SPIN_TAKES_ATOMIC)
		done = hpu_message_add(packet);
	hpu_note_sent(packet);
	if (done)
		return SPIN_RC_PROCEED;
	hpu_add_dropped(packet->bytes);
	return SPIN_RC_DROP;
}

/* Restores headers that leave from L2: the completion handler, which may run on this packet, must find them as they arrived. */
HPU_INLINE void hpu_message_leave(struct spin_packet *packet)
{
	hpu_note_sent(packet);
	if (HPU_COMPLETES && !packet->whole_in_l1)
		spin_unforward_(packet);
}

/* Payload and proceed entries. The handler is NULL if none runs. */
HPU_INLINE uint32_t hpu_message_data(_Bool is_ip4, enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *),
				     const struct hpu_args *args)
{
	struct spin_packet packet;
	struct spin_payload payload = { .packet = &packet };
	uint32_t rc, all, rest;
	_Bool has_proceeded = 0;

	hpu_packet_open(&packet, is_ip4, HPU_UDP, args);
	packet.sent = hpu_sent_before(!hpu_message_offset(&packet));
	hpu_note_sent(&packet);
	all = packet.bytes = payload.length = hpu_payload_bytes(&packet);
	if (spin_handlers_.header) {
		uint32_t verdict = *(volatile uint32_t *)&hpu_scratch()->header;

		if (__builtin_expect(verdict != SPIN_RC_PROCESS_DATA, 0)) {
			if ((verdict & ~(uint32_t)SPIN_RC_COMPLETE) != SPIN_RC_PROCEED) {
				hpu_add_dropped(all);
				return SPIN_RC_DROP;
			}
			handler = 0;
			has_proceeded = 1;
		}
	}
	rest = spin_handlers_.payload && spin_handlers_.fragmentation_bytes > 1 ? all & (spin_handlers_.fragmentation_bytes - 1u) : 0;
	if (spin_handlers_.takes && !handler && hpu_message_type() != SPIN_TYPE_PUT &&
	    (has_proceeded || !rest || hpu_message_type() == SPIN_TYPE_GET))
		return hpu_message_request(&packet);
	if (!handler) {
		if (rest && !has_proceeded) { /* less than one piece */
			hpu_add_dropped(all);
			return SPIN_RC_DROP;
		}
		hpu_message_deposit(&packet);
		return SPIN_RC_PROCEED;
	}
	packet.bytes = payload.length = all - rest;
	payload.offset = hpu_message_offset(&packet);
	if (spin_handlers_.user_header_bytes && !payload.offset)
		hpu_skip_user_header(&packet, &payload);
	if (!payload.length) /* then the NIC selects the proceed entry */
		__builtin_unreachable();
	rc = handler(&payload, &spin_state);
	spin_atomic_abandon_(&packet);
	hpu_message_leave(&packet);
	if (hpu_overran(&packet)) {
		hpu_add_dropped(all);
		return rc;
	}
	if (__builtin_expect(rc == SPIN_RC_SUCCESS, 1)) {
		if (spin_handlers_.fragmentation_bytes > 1 && __builtin_expect(rest, 0))
			hpu_add_dropped(rest);
		return rc;
	}
	hpu_add_dropped(all);
	if (rc != SPIN_RC_DROP)
		hpu_fail(rc);
	return rc;
}

/*
 * After a trap. The packet of a payload handler that trapped counts as dropped. If another handler trapped, no later task of the
 * message reads the sum.
 */
HPU_INLINE void hpu_message_trapped(const struct hpu_args *args)
{
	struct spin_packet packet;

	if (!HPU_COMPLETES || !spin_handlers_.payload)
		return;
	hpu_packet_open(&packet, *((const uint8_t *)HPU_TASK_->packet_l1 + sizeof(struct spin_eth)) >> 4 == 4, HPU_UDP, args);
	hpu_add_dropped(hpu_payload_bytes(&packet));
}

/* Does not run after PROCEED alone ("no further handlers", sPIN B.3), nor if the header handler failed. */
HPU_INLINE uint32_t hpu_message_completion(const struct hpu_args *args)
{
	const struct hpu_scratch *scratch = hpu_scratch();

	if (!HPU_COMPLETES)
		return SPIN_RC_SUCCESS;
	if (spin_handlers_.header && !hpu_header_lets_complete(scratch->header))
		return SPIN_RC_SUCCESS;
	return hpu_run_completion(scratch->dropped_bytes,
				  spin_handlers_.takes ? scratch->flow_control & HPU_SCRATCH_FLOW_CONTROL : scratch->flow_control,
				  scratch->length, HPU_UDP, args);
}

#endif
