/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The HPU side of the runtime: one translation unit with the handler, so that
 * what a handler does not use leaves no code. Built by spincc, from the root:
 *
 *   riscv64-unknown-elf-gcc @hwmodel/image/cflags -Wl,--gc-sections -Wl,--build-id=none \
 *	-Ihandlers/include -I. -DSPIN_HANDLER_FILE='"handlers/x.c"' -T hwmodel/image/pspin.ld \
 *	hwmodel/image/boot.S hwmodel/image/entry.c -lgcc -o x.elf
 *	[-Wl,--defsym=SPIN_STATE_IN_L1=1]
 *
 * (-fno-ipa-* in cflags: else gcc clones the handler before it would inline it.)
 *
 * A UDP datagram is a message of one packet. The NIC runs these tasks for it,
 * as PsPIN's MPQ engine does, and picks the IP version's entry:
 *
 *   hpu_header_*     if a header handler is registered
 *   hpu_payload_*    if a payload handler is registered and there is payload,
 *   hpu_proceed_*    else: the default action
 *   hpu_completion   if a completion handler is registered
 *
 * The header's verdict travels in the message's scratchpad, so later tasks run
 * whatever it was, and do nothing where it says so.
 */
#include SPIN_HANDLER_FILE

#include "command.h"
#include "scratch.h"

#define HPU_INLINE static inline __attribute__((always_inline))
#define HPU_ENTRY __attribute__((used, flatten, noinline, section(".text.hpu")))

#define HPU_TASK_ ((const volatile struct hpu_task *)(HPU_DRIVER + HPU_TASK))

HPU_INLINE struct hpu_scratch *hpu_scratch(void)
{
	return (struct hpu_scratch *)HPU_TASK_->scratchpad[HPU_TASK_->home_cluster];
}

/* Where things are; the compiler drops what the handler does not look at. */
HPU_INLINE void hpu_packet_open(struct spin_packet *packet, _Bool is_ip4)
{
	packet->is_ip4 = is_ip4;
	packet->whole_in_l1 = spin_handlers_.bytes_in_l1 == SPIN_WHOLE_PACKET;
	packet->ip_l1 = (uint8_t *)((const struct hpu_task *)HPU_TASK_)->packet_l1;
	packet->ip_l2 = (uint8_t *)((const struct hpu_task *)HPU_TASK_)->packet_l2;
	packet->ip_bytes = is_ip4 ? (packet->ip_l1[0] & 15u) * 4 : sizeof(struct spin_ip6);
	packet->payload = (packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2) + packet->ip_bytes +
			  sizeof(struct spin_udp);
	packet->reply_bytes = SPIN_NO_REPLY;
}

HPU_INLINE uint32_t hpu_payload_bytes(const struct spin_packet *packet)
{
	if (packet->is_ip4)
		return spin_ntoh16(((const struct spin_ip4 *)packet->ip_l1)->total_length) -
		       packet->ip_bytes - sizeof(struct spin_udp);
	return spin_ntoh16(((const struct spin_ip6 *)packet->ip_l1)->payload_length) -
	       sizeof(struct spin_udp);
}

HPU_INLINE uint32_t hpu_packet_source(const struct spin_packet *packet)
{
	return (uint32_t)(packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2);
}

/* The default action, and what SUCCESS means: the packet as it stands goes to the host. */
HPU_INLINE void hpu_deposit(const struct spin_packet *packet)
{
	hpu_command_to_host(HPU_TASK_->host_mem_high, HPU_TASK_->host_mem_low,
			    hpu_packet_source(packet), HPU_TASK_->packet_bytes);
}

HPU_INLINE void hpu_swap_word(struct spin_packet *packet, uint32_t a, uint32_t b)
{
	uint32_t at_a = *(uint32_t *)(packet->ip_l1 + a), at_b = *(uint32_t *)(packet->ip_l1 + b);

	spin_header_store32_(packet, a, at_b);
	spin_header_store32_(packet, b, at_a);
}

/* Back to the sender with the first reply_bytes bytes of payload; the NIC sets the checksums. */
HPU_INLINE void hpu_reply(struct spin_packet *packet, uint32_t length)
{
	uint32_t udp_bytes = sizeof(struct spin_udp) + packet->reply_bytes;
	const uint32_t ports = *(uint32_t *)(packet->ip_l1 + packet->ip_bytes);

	if (packet->is_ip4) {
		hpu_swap_word(packet, offsetof(struct spin_ip4, src),
			      offsetof(struct spin_ip4, dst));
		spin_header_store16_(packet, offsetof(struct spin_ip4, ttl), SPIN_IP_UDP << 8 | 64);
	} else {
		for (uint32_t i = 0; i < 16; i += 4)
			hpu_swap_word(packet, offsetof(struct spin_ip6, src) + i,
				      offsetof(struct spin_ip6, dst) + i);
		spin_header_store16_(packet, offsetof(struct spin_ip6, next_header),
				     64 << 8 | SPIN_IP_UDP);
	}
	spin_header_store32_(packet, packet->ip_bytes, ports << 16 | ports >> 16);
	if (packet->reply_bytes != length) {
		if (packet->is_ip4)
			spin_header_store16_(packet, offsetof(struct spin_ip4, total_length),
					     spin_hton16(packet->ip_bytes + udp_bytes));
		else
			spin_header_store16_(packet, offsetof(struct spin_ip6, payload_length),
					     spin_hton16(udp_bytes));
		spin_header_store16_(packet, packet->ip_bytes + offsetof(struct spin_udp, length),
				     spin_hton16(udp_bytes));
	}
	hpu_command_send(hpu_packet_source(packet), packet->ip_bytes + udp_bytes);
}

HPU_INLINE void hpu_fail(uint32_t rc)
{
	hpu_command_error(rc == SPIN_RC_FAIL   ? HPU_ERROR_FAIL
			  : rc == SPIN_RC_SEGV ? HPU_ERROR_SEGV
					       : HPU_ERROR_BAD_RETURN);
}

HPU_INLINE void hpu_header(_Bool is_ip4)
{
	struct spin_packet packet;
	struct spin_header header = {.packet = &packet};
	struct hpu_scratch *scratch = hpu_scratch();
	uint32_t rc, verdict;

	if (!spin_handlers_.header)
		return;
	hpu_packet_open(&packet, is_ip4);
	header.length = hpu_payload_bytes(&packet);
	packet.bytes = header.length;
	if (spin_handlers_.user_header_bytes && header.length > spin_handlers_.user_header_bytes)
		packet.bytes = spin_handlers_.user_header_bytes;
	*(volatile uint32_t *)&scratch->header = HPU_SCRATCH_FAILED; /* should it trap */
	rc = spin_handlers_.header(&header, &spin_state);
	verdict = rc & ~(uint32_t)SPIN_RC_PENDING;
	if (verdict == SPIN_RC_PROCESS_DATA || verdict == SPIN_RC_PROCEED ||
	    verdict == SPIN_RC_DROP)
		scratch->header = verdict;
	else
		hpu_fail(rc);
}

/* What a completion handler will be told, if there is one. */
HPU_INLINE void hpu_note_dropped(uint32_t bytes)
{
	if (spin_handlers_.completion)
		*(volatile uint32_t *)&hpu_scratch()->dropped_bytes = bytes;
}

/* Payload and proceed entries. The handler is null where there is nothing to run. */
HPU_INLINE void hpu_data(_Bool is_ip4,
			 enum spin_payload_rc (*handler)(struct spin_payload *, spin_state_type *))
{
	struct spin_packet packet;
	struct spin_payload payload = {.packet = &packet};
	uint32_t rc;

	hpu_packet_open(&packet, is_ip4);
	packet.bytes = payload.length = hpu_payload_bytes(&packet);
	if (spin_handlers_.header) {
		uint32_t verdict = hpu_scratch()->header;

		if (verdict == SPIN_RC_PROCEED)
			handler = 0;
		else if (verdict != SPIN_RC_PROCESS_DATA) {
			hpu_note_dropped(payload.length);
			return;
		}
	}
	if (!handler) {
		hpu_note_dropped(0);
		hpu_deposit(&packet);
		return;
	}
	hpu_note_dropped(HPU_SCRATCH_FAILED);
	rc = handler(&payload, &spin_state);
	switch (rc) {
	case SPIN_RC_SUCCESS:
		hpu_note_dropped(0);
		hpu_deposit(&packet);
		break;
	case SPIN_RC_DROP:
		hpu_note_dropped(payload.length);
		break;
	case SPIN_RC_REPLIED:
		if (packet.reply_bytes == SPIN_NO_REPLY) { /* said without spin_reply() */
			hpu_fail(rc);
			break;
		}
		hpu_note_dropped(0);
		hpu_reply(&packet, payload.length);
		break;
	default:
		hpu_fail(rc);
	}
}

HPU_ENTRY void hpu_header_ip4(void)
{
	hpu_header(1);
}
HPU_ENTRY void hpu_header_ip6(void)
{
	hpu_header(0);
}
HPU_ENTRY void hpu_payload_ip4(void)
{
	hpu_data(1, spin_handlers_.payload);
}
HPU_ENTRY void hpu_payload_ip6(void)
{
	hpu_data(0, spin_handlers_.payload);
}
HPU_ENTRY void hpu_proceed_ip4(void)
{
	hpu_data(1, 0);
}
HPU_ENTRY void hpu_proceed_ip6(void)
{
	hpu_data(0, 0);
}

/* Not after PROCEED ("no further handlers", sPIN B.3), nor when a handler failed. */
HPU_ENTRY void hpu_completion(void)
{
	const struct hpu_scratch *scratch = hpu_scratch();
	uint32_t dropped_bytes, rc;

	if (!spin_handlers_.completion)
		return;
	if (spin_handlers_.header && scratch->header != SPIN_RC_PROCESS_DATA &&
	    scratch->header != SPIN_RC_DROP)
		return;
	dropped_bytes =
		spin_handlers_.header || spin_handlers_.payload ? scratch->dropped_bytes : 0;
	if (dropped_bytes == HPU_SCRATCH_FAILED)
		return;
	rc = spin_handlers_.completion(dropped_bytes, 0, &spin_state);
	if ((rc & ~(uint32_t)SPIN_RC_PENDING) != SPIN_RC_SUCCESS)
		hpu_fail(rc);
}
