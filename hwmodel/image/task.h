/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef IMAGE_TASK_H
#define IMAGE_TASK_H

/*
 * What entry functions share: the task's registers, the packet they are for, and
 * how a failure is told. Included after the handler file: what its registration
 * says is known when compiling.
 */
#include <spin/slmp.h>

#include "command.h"
#include "scratch.h"

#define HPU_INLINE static inline __attribute__((always_inline))

#define HPU_TASK_ ((const volatile struct hpu_task *)(HPU_DRIVER + HPU_TASK))
/* The same where an unused load may go away. */
#define HPU_TASK_IF_USED_ ((const struct hpu_task *)HPU_TASK_)

#define HPU_TAKES_MESSAGES (spin_handlers_.delivery == SPIN_DELIVER_ME)

HPU_INLINE struct hpu_scratch *hpu_scratch(void)
{
	return (struct hpu_scratch *)HPU_TASK_IF_USED_->scratchpad[HPU_TASK_IF_USED_->home_cluster];
}

/* What a message's handlers reach beside the packet. */
HPU_INLINE void hpu_message_open(struct spin_packet *packet)
{
	packet->scratch = hpu_scratch() + 1;
	packet->host_high = HPU_TASK_IF_USED_->host_mem_high;
	packet->host_low = HPU_TASK_IF_USED_->host_mem_low;
	packet->host_bytes = HPU_TASK_IF_USED_->host_mem_bytes;
	packet->in_flight = 0;
}

/* Where things are; the compiler drops what the handler does not look at. */
HPU_INLINE void hpu_packet_open(struct spin_packet *packet, _Bool is_ip4)
{
	const uint32_t link_bytes = HPU_TAKES_MESSAGES ? sizeof(struct spin_eth) : 0;
	const uint32_t headers = sizeof(struct spin_udp) + (HPU_TAKES_MESSAGES ? sizeof(struct spin_slmp) : 0);

	packet->is_ip4 = is_ip4;
	packet->whole_in_l1 = spin_handlers_.bytes_in_l1 == SPIN_WHOLE_PACKET;
	packet->ip_l1 = (uint8_t *)HPU_TASK_IF_USED_->packet_l1 + link_bytes;
	packet->ip_l2 = (uint8_t *)HPU_TASK_IF_USED_->packet_l2 + link_bytes;
	packet->ip_bytes = is_ip4 ? (packet->ip_l1[0] & 15u) * 4 : sizeof(struct spin_ip6);
	packet->payload = (packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2) + packet->ip_bytes + headers;
	packet->reply_bytes = SPIN_NO_REPLY;
	hpu_message_open(packet);
}

/* Of UDP's payload; of a message what follows its header. */
HPU_INLINE uint32_t hpu_payload_bytes(const struct spin_packet *packet)
{
	const uint32_t headers = sizeof(struct spin_udp) + (HPU_TAKES_MESSAGES ? sizeof(struct spin_slmp) : 0);

	if (packet->is_ip4)
		return spin_ntoh16(((const struct spin_ip4 *)packet->ip_l1)->total_length) -
		       packet->ip_bytes - headers;
	return spin_ntoh16(((const struct spin_ip6 *)packet->ip_l1)->payload_length) - headers;
}

/* What the header handler sees of the first payload (sPIN 3.2.1). */
HPU_INLINE uint32_t hpu_user_header_bytes(uint32_t payload_bytes)
{
	return spin_handlers_.user_header_bytes && payload_bytes > spin_handlers_.user_header_bytes ?
		       spin_handlers_.user_header_bytes : payload_bytes;
}

/* The user header is the header handler's alone. */
HPU_INLINE void hpu_skip_user_header(struct spin_packet *packet, struct spin_payload *payload)
{
	packet->payload += spin_handlers_.user_header_bytes;
	packet->bytes = payload->length -= spin_handlers_.user_header_bytes;
	payload->offset = spin_handlers_.user_header_bytes;
}

HPU_INLINE void hpu_fail(uint32_t rc)
{
	hpu_command_error(rc == SPIN_RC_FAIL   ? HPU_ERROR_FAIL
			  : rc == SPIN_RC_SEGV ? HPU_ERROR_SEGV
					       : HPU_ERROR_BAD_RETURN);
}

HPU_INLINE uint32_t hpu_run_completion(uint32_t dropped_bytes, _Bool flow_control, uint32_t length)
{
	struct spin_packet packet = {0};
	struct spin_completion completion = {.dropped_bytes = dropped_bytes,
					     .flow_control_triggered = flow_control,
					     .length = length,
					     .packet = &packet};
	uint32_t rc;

	hpu_message_open(&packet);
	rc = spin_handlers_.message_completion ? spin_handlers_.message_completion(&completion, &spin_state) :
						 spin_handlers_.completion(dropped_bytes, flow_control, &spin_state);
	if ((rc & ~(uint32_t)SPIN_RC_PENDING) != SPIN_RC_SUCCESS)
		hpu_fail(rc);
	return rc;
}

/* Whether anyone asks for the bytes that were dropped. */
#define HPU_COMPLETES (spin_handlers_.completion || spin_handlers_.message_completion)

#endif
