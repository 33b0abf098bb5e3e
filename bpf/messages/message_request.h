/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MESSAGE_REQUEST_H
#define BPF_MESSAGE_REQUEST_H

/*
 * Default action (what happens to a packet without a payload handler) of gets and atomics, the messages that are not puts (step 11 of
 * <spin/message.h>): a get is answered from the memory of its matching entry, which the host has posted for messages; an atomic
 * operation changes that memory. Each is a single packet. Called by message.h; compiled only if the handlers take gets or atomics.
 */
#include "bpf/messages/message_begin.h"

/* Answers a get. libspin sends the answer, like a put from host memory. */
SPIN_INLINE enum spin_reason spin_message_answer_(const struct spin_message *m, struct spin_packet *packet, const struct spin_mpq *q)
{
	const struct spin_slmp_get *get = spin_payload_at_(packet, packet->bytes, 0, sizeof(*get));
	uint32_t room = q->place_bytes, bytes = m->slmp.length < room ? m->slmp.length : room;
	struct spin_process source = spin_source_(packet);
	struct spin_tx_desc *out;

	if (!get || !(spin_read_once(&spin_me_at(q->me)->options) & SPIN_ME_OP_GET))
		return SPIN_REASON_DROPPED;
	out = spin_put_host_(packet, 0, spin_verifier_forget32(bytes), &source);
	if (!out)
		return SPIN_REASON_DROPPED;
	out->request.options = SPIN_REQUEST_ANSWER;
	out->request.me = spin_read_once(&q->me);
	out->request.me_serial = spin_read_once(&spin_me_at(out->request.me)->serial);
	/* directly from the packet: stack is scarce on kernels before 6.9 */
	out->request.put.target = source;
	out->request.put.match_bits = spin_swap64(get->match_bits);
	out->request.put.hdr_data = spin_swap64(get->hdr_data);
	out->request.put.remote_offset = spin_swap64(get->offset);
	return SPIN_REASON_PROCEEDED;
}

/* Adds operand `i` if the packet has it. `place` is the offset of the first one, which is naturally aligned. */
#define SPIN_ADD_OPERAND_(type, i)                                                                                                    \
	do {                                                                                                                          \
		const type *spin_from_ = spin_payload_at_(packet, packet->bytes, (i) * sizeof(type), sizeof(type));                   \
		type *spin_to_ =                                                                                                      \
			(type *)spin_host_at(spin_barrier_var_(place + (i) * (uint32_t)sizeof(type)) & ~(uint32_t)(sizeof(type) - 1), \
					     sizeof(type));                                                                           \
                                                                                                                                      \
		if (spin_from_ && spin_to_)                                                                                           \
			(void)spin_fetch_add(spin_to_, *spin_from_);                                                                  \
	} while (0)

SPIN_INLINE enum spin_reason spin_message_add_(const struct spin_message *m, const struct spin_packet *packet, struct spin_mpq *q)
{
	uint32_t place = q->place, is_wide = m->slmp.atomic == SPIN_ATOMIC_ADD64;

	if (packet->bytes > q->place_bytes || place & (is_wide ? 7 : 3))
		return SPIN_REASON_DROPPED;
	if (is_wide) {
		SPIN_UNROLL_
		for (uint32_t i = 0; i < SPIN_ATOMIC_BYTES_MAX / 8; i++)
			SPIN_ADD_OPERAND_(uint64_t, i);
	} else {
		SPIN_UNROLL_
		for (uint32_t i = 0; i < SPIN_ATOMIC_BYTES_MAX / 4; i++)
			SPIN_ADD_OPERAND_(uint32_t, i);
	}
	spin_fetch_add(&q->deposited_bytes, packet->bytes);
	spin_fetch_add(&spin_me_at(q->me)->bytes, (uint64_t)packet->bytes);
	return SPIN_REASON_PROCEEDED;
}

/*
 * Adds operand `i`, which follows the reply's fields, and copies the old value to the answer. Returns 0 if the packet has no more operands.
 * The pointers and numbers used here are used nowhere else, so that all exits are one state for the verifier.
 */
#define SPIN_FETCH_OPERAND_(type, i)                                                                                        \
	({                                                                                                                  \
		const type *spin_from_ = spin_payload_at_(&asked, spin_verifier_forget32(packet->bytes),                    \
							  sizeof(struct spin_slmp_get) + (i) * sizeof(type), sizeof(type)); \
                                                                                                                            \
		if (spin_from_) {                                                                                           \
			type spin_was_ = spin_fetch_add((type *)host + (i), *spin_from_);                                   \
                                                                                                                            \
			__builtin_memcpy(to + (i) * sizeof(type), &spin_was_, sizeof(type));                                \
		}                                                                                                           \
		spin_from_ != 0;                                                                                            \
	})

/* Answers a fetching atomic. This HPU sends the answer, like a put from HPU memory. */
SPIN_INLINE enum spin_reason spin_message_fetch_(const struct spin_message *m, struct spin_packet *packet, struct spin_mpq *q)
{
	const struct spin_slmp_get *get = spin_payload_at_(packet, packet->bytes, 0, sizeof(*get));
	uint32_t place = q->place, is_wide = m->slmp.atomic == (SPIN_ATOMIC_ADD64 | SPIN_ATOMIC_FETCH);
	uint32_t bytes = packet->bytes - (uint32_t)sizeof(*get);
	struct spin_process source = spin_source_(packet);
	const struct spin_packet asked = {
		.view = packet->view,
		.payload = packet->view.access == SPIN_COPIED ? packet->payload
							      : (uint8_t *)spin_verifier_forget_ptr_(packet->payload, packet->is_ip4),
	};
	struct spin_tx_desc *out;
	uint8_t *to, *host;

	if (!get || bytes > q->place_bytes || place & (is_wide ? 7 : 3) || !(spin_read_once(&spin_me_at(q->me)->options) & SPIN_ME_OP_GET))
		return SPIN_REASON_DROPPED;
	out = spin_put_begin_(packet, &source, SPIN_PUT_DEVICE_, spin_verifier_forget32(bytes));
	if (!out)
		return SPIN_REASON_DROPPED;
	out->request.put.target = source;
	out->request.put.match_bits = spin_swap64(get->match_bits);
	out->request.put.hdr_data = spin_swap64(get->hdr_data);
	out->request.put.remote_offset = spin_swap64(get->offset);
	to = spin_put_at(out->request.frame, spin_put_payload_at_(packet->ip_at, packet->is_ip4));
	/* only the mask proves the alignment to the verifier; the slack of the memory covers the values after the first */
	if (is_wide) {
		host = spin_host_at(spin_barrier_var_(place) & ~7u, sizeof(uint64_t));
		if (!host)
			return SPIN_REASON_DROPPED; /* unreachable */
		SPIN_UNROLL_
		for (uint32_t i = 0; i < SPIN_ATOMIC_BYTES_MAX / 8; i++)
			if (!SPIN_FETCH_OPERAND_(uint64_t, i))
				break;
	} else {
		host = spin_host_at(spin_barrier_var_(place) & ~3u, sizeof(uint32_t));
		if (!host)
			return SPIN_REASON_DROPPED; /* unreachable */
		SPIN_UNROLL_
		for (uint32_t i = 0; i < SPIN_ATOMIC_BYTES_MAX / 4; i++)
			if (!SPIN_FETCH_OPERAND_(uint32_t, i))
				break;
	}
	spin_fetch_add(&q->deposited_bytes, bytes);
	spin_fetch_add(&spin_me_at(q->me)->bytes, (uint64_t)bytes);
	return spin_put_end_(packet, out, packet->payload, 0, SPIN_PUT_DEVICE_) ? SPIN_REASON_DROPPED : SPIN_REASON_PROCEEDED;
}

SPIN_INLINE enum spin_reason spin_message_request(const struct spin_message *m, struct spin_packet *packet, struct spin_mpq *q)
{
	if (spin_handlers_.takes & SPIN_TAKES_GET && m->slmp.type == SPIN_TYPE_GET)
		return spin_message_answer_(m, packet, q);
	if (spin_handlers_.takes & SPIN_TAKES_FETCH && m->slmp.atomic & SPIN_ATOMIC_FETCH)
		return spin_message_fetch_(m, packet, q);
	if (spin_handlers_.takes & SPIN_TAKES_ATOMIC)
		return spin_message_add_(m, packet, q);
	return SPIN_REASON_DROPPED; /* unreachable */
}

#endif
