/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_TASK_H
#define HWMODEL_IMAGE_TASK_H

/*
 * Shared by the code around handlers in datagram.h, segment.h and message.h, which include it into a handler image: the registers that
 * describe a task (one run of a handler), the packet, and the report of failures to the NIC. Included after the handler file, so that its
 * registration is a compile-time constant.
 */
#include <spin/slmp.h>

#include "hwmodel/image/command.h"
#include "hwmodel/include/hwmodel/scratch.h"

#define HPU_INLINE static inline __attribute__((always_inline))

#define HPU_TASK_ ((const volatile struct hpu_task *)(HPU_DRIVER + HPU_TASK))
/* The same for loads that the compiler may drop if they are not used. */
#define HPU_TASK_IF_USED_ ((const struct hpu_task *)HPU_TASK_)

#define HPU_TAKES_MESSAGES (spin_handlers_.delivery == SPIN_DELIVER_ME)
#define HPU_TAKES_SEGMENTS (spin_handlers_.delivery == SPIN_DELIVER_SEGMENTS)

/* Contexts of ICMP and of frames that are not IP; their handlers must not need UDP (<spin/rule.h>). */
#define HPU_TAKES_OTHERS (!HPU_TAKES_MESSAGES && !HPU_TAKES_SEGMENTS && !spin_puts_)

/* The kind of packets that a context, and so an entry, takes. */
enum hpu_takes { HPU_UDP, HPU_TCP, HPU_ICMP, HPU_ETHER };

/* Is the number of dropped bytes ever read? */
#define HPU_COMPLETES (spin_handlers_.completion || spin_handlers_.message_completion)

HPU_INLINE struct hpu_scratch *hpu_scratch(void)
{
	return (struct hpu_scratch *)HPU_TASK_IF_USED_->scratchpad[HPU_TASK_IF_USED_->home_cluster];
}

/* The argument that PsPIN passes to handlers. */
struct hpu_args {
	const struct hpu_task *task;
	uint32_t hpu, cluster, hpu_in_cluster;
};

/* Bytes from the start of UDP's header to the payload. */
#define HPU_UDP_BYTES (sizeof(struct spin_udp) + (HPU_TAKES_MESSAGES ? sizeof(struct spin_slmp) : 0))

/* Returns the bytes of TCP's header, which the NIC has checked. */
HPU_INLINE uint32_t hpu_tcp_bytes(const struct spin_packet *packet)
{
	const struct spin_tcp *tcp = (const struct spin_tcp *)(packet->ip_l1 + packet->ip_bytes);

	return tcp->words >> 4 << 2;
}

/* Fills in the packet. The compiler drops the fields that the handler does not read. */
HPU_INLINE void hpu_packet_open(struct spin_packet *packet, _Bool is_ip4, enum hpu_takes takes, const struct hpu_args *args)
{
	const uint32_t link_bytes = HPU_TAKES_MESSAGES ? sizeof(struct spin_eth) : 0;
	const struct hpu_scratch *scratch = hpu_scratch();

	packet->is_ip4 = is_ip4;
	packet->is_icmp = takes == HPU_ICMP;
	packet->is_ether = takes == HPU_ETHER;
	packet->whole_in_l1 = spin_handlers_.bytes_in_l1 == SPIN_WHOLE_PACKET;
	packet->ip_l1 = (uint8_t *)HPU_TASK_IF_USED_->packet_l1 + link_bytes;
	packet->ip_l2 = (uint8_t *)HPU_TASK_IF_USED_->packet_l2 + link_bytes;
	packet->ip_bytes = takes == HPU_ETHER ? 0 : is_ip4 ? (packet->ip_l1[0] & 15u) * 4 : sizeof(struct spin_ip6);
	packet->header_bytes = takes == HPU_TCP ? hpu_tcp_bytes(packet) : takes == HPU_UDP ? HPU_UDP_BYTES : 0;
	packet->payload = (packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2) + packet->ip_bytes + packet->header_bytes;
	packet->bytes = 0;
	packet->reply_bytes = packet->deliver_made = SPIN_NO_REPLY;
	packet->deliver_cut = 0;
	packet->hpu = args->hpu;
	packet->has_place = HPU_TAKES_MESSAGES;
	packet->host_high = HPU_TAKES_MESSAGES ? HPU_TASK_IF_USED_->host_mem_high : 0;
	packet->host_low = HPU_TAKES_MESSAGES ? HPU_TASK_IF_USED_->host_mem_low : 0;
	packet->host_bytes = HPU_TAKES_MESSAGES ? HPU_TASK_IF_USED_->host_mem_bytes : 0;
	packet->scratch = (void *)(scratch + 1);
	packet->handler_high = scratch->handler_high;
	packet->handler_low = scratch->handler_low;
	packet->handler_bytes = scratch->handler_bytes;
	packet->handler_segments = scratch->handler_segments;
	packet->entry = (struct spin_entry_block *)scratch->entry;
	packet->commands = 0;
	packet->in_flight = packet->sending = packet->forwarded = 0;
	packet->sent = 0;
	packet->steps = spin_handlers_.budget ? spin_handlers_.budget : SPIN_BUDGET_STEPS;
	packet->counts_walks = spin_handlers_.budget != 0;
	packet->overran = 0;
	packet->atomic.is_active = packet->atomic.is_used = 0;
	packet->atomic.number = 0;
}

/*
 * Returns the bytes of UDP's or TCP's payload or of the ICMP message. For a message of many packets: those after the SLMP header. For a
 * frame the NIC gives the length.
 */
HPU_INLINE uint32_t hpu_payload_bytes(const struct spin_packet *packet)
{
	if (packet->is_ether)
		return hpu_scratch()->length;
	if (packet->is_ip4)
		return spin_ntoh16(((const struct spin_ip4 *)packet->ip_l1)->total_length) - packet->ip_bytes - packet->header_bytes;
	return spin_ntoh16(((const struct spin_ip6 *)packet->ip_l1)->payload_length) - packet->header_bytes;
}

/* Returns how much of the first payload the header handler sees (sPIN 3.2.1). */
HPU_INLINE uint32_t hpu_user_header_bytes(uint32_t payload_bytes)
{
	return spin_handlers_.user_header_bytes && payload_bytes > spin_handlers_.user_header_bytes ? spin_handlers_.user_header_bytes
												    : payload_bytes;
}

/* The payload handler does not see the user header. */
HPU_INLINE void hpu_skip_user_header(struct spin_packet *packet, struct spin_payload *payload)
{
	packet->payload += spin_handlers_.user_header_bytes;
	packet->bytes = payload->length -= spin_handlers_.user_header_bytes;
	payload->offset = spin_handlers_.user_header_bytes;
}

/* Number of requests sent for this packet before its data task; and, below, the number that a completion handler finds. */
HPU_INLINE uint32_t hpu_sent_before(_Bool is_first)
{
	return spin_puts_ && spin_handlers_.header && is_first ? hpu_scratch()->header_sent : 0;
}

HPU_INLINE void hpu_note_sent(const struct spin_packet *packet)
{
	if (spin_puts_ && HPU_COMPLETES)
		*(volatile uint32_t *)&hpu_scratch()->sent = packet->sent;
}

HPU_INLINE void hpu_note_header_sent(const struct spin_packet *packet)
{
	if (spin_puts_)
		*(volatile uint32_t *)&hpu_scratch()->header_sent = packet->sent;
}

/* Is it a header handler's return code, without PENDING? */
HPU_INLINE _Bool hpu_is_header_rc(uint32_t rc)
{
	return rc == SPIN_RC_PROCESS_DATA || rc == SPIN_RC_PROCEED || rc == SPIN_RC_DROP || rc == (SPIN_RC_PROCEED | SPIN_RC_COMPLETE);
}

/* rc: what the header handler left in the scratchpad. May the completion handler run? */
HPU_INLINE _Bool hpu_header_lets_complete(uint32_t rc)
{
	return rc == SPIN_RC_PROCESS_DATA || rc == SPIN_RC_DROP || rc == (SPIN_RC_PROCEED | SPIN_RC_COMPLETE);
}

HPU_INLINE void hpu_fail(uint32_t rc)
{
	hpu_command_error(rc == SPIN_RC_FAIL ? HPU_ERROR_FAIL : rc == SPIN_RC_SEGV ? HPU_ERROR_SEGV : HPU_ERROR_BAD_RETURN);
}

/* Reports OVERRUN and returns 1 if the budget is used up, whatever the handler returned. */
HPU_INLINE _Bool hpu_overran(const struct spin_packet *packet)
{
	if (__builtin_expect(!packet->overran, 1))
		return 0;
	__asm__(".reloc ., R_RISCV_NONE, spin_steps_"); /* keeps spin_steps_ in the image, without an instruction */
	hpu_command_error(HPU_ERROR_OVERRUN);
	return 1;
}

/* The IP version is read from the packet, since both versions share one completion entry. */
HPU_INLINE void hpu_packet_open_any(struct spin_packet *packet, enum hpu_takes takes, const struct hpu_args *args)
{
	const uint8_t *ip = (const uint8_t *)HPU_TASK_IF_USED_->packet_l1 + (HPU_TAKES_MESSAGES ? sizeof(struct spin_eth) : 0);

	hpu_packet_open(packet, takes != HPU_ETHER && *ip >> 4 == 4, takes, args);
}

HPU_INLINE uint32_t hpu_run_completion(uint32_t dropped_bytes, _Bool flow_control, uint32_t length, enum hpu_takes takes,
				       const struct hpu_args *args)
{
	struct spin_packet packet;
	struct spin_completion completion = {
		.dropped_bytes = dropped_bytes, .flow_control_triggered = flow_control, .length = length, .packet = &packet
	};
	uint32_t rc;

	hpu_packet_open_any(&packet, takes, args);
	packet.sent = hpu_scratch()->sent;
	rc = spin_handlers_.message_completion ? spin_handlers_.message_completion(&completion, &spin_state)
					       : spin_handlers_.completion(dropped_bytes, flow_control, &spin_state);
	spin_atomic_abandon_(&packet);
	if (!hpu_overran(&packet) && (rc & ~(uint32_t)SPIN_RC_PENDING) != SPIN_RC_SUCCESS)
		hpu_fail(rc);
	return rc;
}

#endif
