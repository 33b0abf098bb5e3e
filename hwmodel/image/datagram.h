/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_DATAGRAM_H
#define HWMODEL_IMAGE_DATAGRAM_H

/*
 * The code around a handler that takes datagrams, in a handler image: the tasks (one run of a handler each) for a datagram, which is a
 * message of one packet; also for an ICMP message and for a frame that is not IP. Included by entry.c. The NIC places the IP packet at a
 * multiple of 4. The header handler's verdict is kept in the message's scratchpad, its own memory. Later tasks always run, and return at
 * once if the verdict says so.
 */
#include "hwmodel/image/task.h"

HPU_INLINE uint32_t hpu_packet_source(const struct spin_packet *packet)
{
	return (uint32_t)(packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2);
}

/*
 * The default action, and the effect of SUCCESS: sends the packet, as it is now, to the host. The task has the number of bytes copied
 * to L1, not the packet's length; payload_bytes is from the IP header before the handlers ran.
 */
HPU_INLINE void hpu_deposit(struct spin_packet *packet, uint32_t payload_bytes)
{
	spin_unforward_(packet);
	hpu_command_to_host(HPU_TASK_->host_mem_high, HPU_TASK_->host_mem_low, hpu_packet_source(packet),
			    packet->ip_bytes + packet->header_bytes + payload_bytes);
}

HPU_INLINE void hpu_swap_word(struct spin_packet *packet, uint32_t a, uint32_t b)
{
	uint32_t at_a = *(uint32_t *)(packet->ip_l1 + a), at_b = *(uint32_t *)(packet->ip_l1 + b);

	spin_header_store32_(packet, a, at_b);
	spin_header_store32_(packet, b, at_a);
}

/* Sends the packet back to its sender with the first reply_bytes bytes of payload. The NIC sets the checksums. */
HPU_INLINE void hpu_reply(struct spin_packet *packet, uint32_t length)
{
	uint32_t bytes = packet->header_bytes + packet->reply_bytes, protocol = spin_protocol_(packet), ports;

	spin_unforward_(packet);
	spin_wait_sent_(packet);
	if (packet->is_ether) {
		hpu_command_send(0, HPU_SEND_REPLY, 0, hpu_packet_source(packet), bytes);
		return;
	}
	ports = packet->is_icmp ? 0 : *(uint32_t *)(packet->ip_l1 + packet->ip_bytes);
	if (packet->is_ip4) {
		hpu_swap_word(packet, offsetof(struct spin_ip4, src), offsetof(struct spin_ip4, dst));
		spin_header_store16_(packet, offsetof(struct spin_ip4, ttl), protocol << 8 | 64);
	} else {
		for (uint32_t i = 0; i < 16; i += 4)
			hpu_swap_word(packet, offsetof(struct spin_ip6, src) + i, offsetof(struct spin_ip6, dst) + i);
		spin_header_store16_(packet, offsetof(struct spin_ip6, next_header), 64 << 8 | protocol);
	}
	if (!packet->is_icmp)
		spin_header_store32_(packet, packet->ip_bytes, ports << 16 | ports >> 16);
	if (packet->reply_bytes != length)
		spin_set_length_(packet, bytes);
	hpu_command_send(0, HPU_SEND_REPLY, 0, hpu_packet_source(packet), packet->ip_bytes + bytes);
}

/* Copies the headers of the packet in front of the buffer that the handler has filled. Returns their start. */
HPU_INLINE uint8_t *hpu_make_headers(struct spin_packet *packet)
{
	const uint32_t headers = packet->ip_bytes + sizeof(struct spin_udp);
	uint8_t *ip = (uint8_t *)spin_reply_at_(packet->hpu) - headers;

	spin_unforward_(packet);
	spin_fence_();
	for (uint32_t i = 0; i < headers; i += 4)
		*(uint32_t *)(ip + i) = *(const uint32_t *)(packet->ip_l1 + i);
	spin_fence_();
	return ip;
}

/* Sends a reply that the handler has made in its buffer (<spin/reply.h>). */
HPU_INLINE void hpu_reply_made(struct spin_packet *packet, uint32_t payload_bytes)
{
	const uint32_t headers = packet->ip_bytes + sizeof(struct spin_udp), udp_bytes = payload_bytes + sizeof(struct spin_udp);
	uint8_t *ip = hpu_make_headers(packet);
	struct spin_udp *udp = (struct spin_udp *)(ip + packet->ip_bytes);
	uint32_t ports;

	ports = *(const uint32_t *)udp;
	*(uint32_t *)udp = ports << 16 | ports >> 16;
	udp->length = spin_hton16(udp_bytes);
	if (packet->is_ip4) {
		struct spin_ip4 *to = (struct spin_ip4 *)ip;
		spin_be32 src = to->src;

		to->src = to->dst;
		to->dst = src;
		to->ttl = 64;
		to->total_length = spin_hton16(packet->ip_bytes + udp_bytes);
	} else {
		struct spin_ip6 *to = (struct spin_ip6 *)ip;

		for (uint32_t i = 0; i < 4; i++) {
			spin_be32 src = to->src[i];

			to->src[i] = to->dst[i];
			to->dst[i] = src;
		}
		to->hop_limit = 64;
		to->payload_length = spin_hton16(udp_bytes);
	}
	spin_fence_();
	/* the buffer must be sent before the next handler on this HPU gets it */
	spin_command_await_(spin_command_id_(&packet->commands,
					     hpu_command_send(0, HPU_SEND_REPLY, 0, spin_stack_address_(ip), headers + payload_bytes)));
}

/* Delivers a payload that the handler has made in SPIN_REPLY's buffer (<spin/deliver.h>). The NIC sets the checksums. */
HPU_INLINE void hpu_deposit_made(struct spin_packet *packet, uint32_t payload_bytes)
{
	const uint32_t headers = packet->ip_bytes + sizeof(struct spin_udp), udp_bytes = payload_bytes + sizeof(struct spin_udp);
	uint8_t *ip = hpu_make_headers(packet);

	((struct spin_udp *)(ip + packet->ip_bytes))->length = spin_hton16(udp_bytes);
	if (packet->is_ip4)
		((struct spin_ip4 *)ip)->total_length = spin_hton16(packet->ip_bytes + udp_bytes);
	else
		((struct spin_ip6 *)ip)->payload_length = spin_hton16(udp_bytes);
	spin_fence_();
	/* as in hpu_reply_made() */
	spin_command_await_(spin_command_id_(&packet->commands, hpu_command_to_host(HPU_TASK_->host_mem_high, HPU_TASK_->host_mem_low,
										    spin_stack_address_(ip), headers + payload_bytes)));
}

/* Also for the segment that begins a TCP connection (segment.h). */
HPU_INLINE void hpu_datagram_header(_Bool is_ip4, enum hpu_takes takes, const struct hpu_args *args)
{
	struct spin_packet packet;
	struct spin_header header = { .type = SPIN_TYPE_PUT, .packet = &packet };
	struct hpu_scratch *scratch = hpu_scratch();
	uint32_t rc, verdict;

	if (!spin_handlers_.header)
		return;
	hpu_packet_open(&packet, is_ip4, takes, args);
	header.length = hpu_payload_bytes(&packet);
	packet.bytes = hpu_user_header_bytes(header.length);
	if (takes == HPU_TCP)
		header.length = SPIN_LENGTH_UNKNOWN;                 /* the message is a connection */
	*(volatile uint32_t *)&scratch->header = HPU_SCRATCH_FAILED; /* in case it traps */
	rc = spin_handlers_.header(&header, &spin_state);
	spin_atomic_abandon_(&packet);
	hpu_note_header_sent(&packet);
	if (hpu_overran(&packet))
		return;
	verdict = rc & ~(uint32_t)SPIN_RC_PENDING;
	if (hpu_is_header_rc(verdict))
		scratch->header = verdict;
	else
		hpu_fail(rc);
}

/* Notes the dropped bytes for the completion handler, if there is one. */
HPU_INLINE void hpu_note_dropped(uint32_t bytes)
{
	if (HPU_COMPLETES)
		*(volatile uint32_t *)&hpu_scratch()->dropped_bytes = bytes;
}

/* Payload and proceed entries. The handler is NULL if none runs. */
HPU_INLINE void hpu_datagram_data(_Bool is_ip4, enum hpu_takes takes,
				  enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *), const struct hpu_args *args)
{
	struct spin_packet packet;
	struct spin_payload payload = { .packet = &packet };
	uint32_t rc, all;

	hpu_packet_open(&packet, is_ip4, takes, args);
	packet.sent = hpu_sent_before(1);
	hpu_note_sent(&packet);
	all = packet.bytes = payload.length = hpu_payload_bytes(&packet);
	if (spin_handlers_.header) {
		uint32_t verdict = *(volatile uint32_t *)&hpu_scratch()->header;

		if ((verdict & ~(uint32_t)SPIN_RC_COMPLETE) == SPIN_RC_PROCEED)
			handler = 0;
		else if (verdict != SPIN_RC_PROCESS_DATA) {
			hpu_note_dropped(all);
			return;
		}
	}
	if (!handler) {
		hpu_note_dropped(0);
		hpu_deposit(&packet, all);
		return;
	}
	hpu_skip_user_header(&packet, &payload);
	hpu_note_dropped(all); /* in case it fails or traps */
	rc = handler(&payload, &spin_state);
	spin_atomic_abandon_(&packet);
	hpu_note_sent(&packet);
	if (hpu_overran(&packet))
		return;
	switch (rc) {
	case SPIN_RC_SUCCESS:
		hpu_note_dropped(0);
		if (spin_reply_size_ && __builtin_expect_with_probability(packet.deliver_made != SPIN_NO_REPLY, 0, 1.0))
			hpu_deposit_made(&packet, packet.deliver_made);
		else
			hpu_deposit(&packet, all - packet.deliver_cut);
		break;
	case SPIN_RC_DROP:
		break;
	case SPIN_RC_REPLIED:
		if (packet.reply_bytes == SPIN_NO_REPLY) { /* REPLIED returned without a call of spin_reply() */
			hpu_fail(rc);
			break;
		}
		hpu_note_dropped(0);
		if (spin_reply_size_ && packet.reply_bytes & SPIN_REPLY_MADE_)
			hpu_reply_made(&packet, packet.reply_bytes & (SPIN_REPLY_MADE_ - 1));
		else
			hpu_reply(&packet, all - packet.deliver_cut);
		break;
	default:
		hpu_fail(rc);
	}
}

/* Does not run after PROCEED alone ("no further handlers", sPIN B.3), nor if the header handler failed. */
HPU_INLINE void hpu_datagram_completion(enum hpu_takes takes, const struct hpu_args *args)
{
	const struct hpu_scratch *scratch = hpu_scratch();

	if (!HPU_COMPLETES)
		return;
	if (spin_handlers_.header && !hpu_header_lets_complete(scratch->header))
		return;
	hpu_run_completion(spin_handlers_.header || spin_handlers_.payload ? scratch->dropped_bytes : 0, 0, scratch->length, takes, args);
}

#endif
