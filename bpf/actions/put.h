/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_PUT_H
#define BPF_PUT_H

/*
 * Packets that handlers send (<spin/put.h>). Called by handlers, and for answers to gets. Each is built completely in the next buffer of
 * this CPU's tx ring; out.h decides how it leaves.
 *
 * For a linear frame the builder is a global function, which the verifier checks once and not once per call. For a copied frame and in the
 * host build it is inline.
 */
#include "bpf/actions/dma_buffer.h"
#include "bpf/abi/tx_ring.h"
#include "bpf/actions/put_frame.h"

static uint32_t spin_put_id SPIN_MPQ_ATTR_; /* counts from spin_config.put_id */

/* What a packet is built from: spin_put_make_(). */
enum spin_put_kind {
	SPIN_PUT_FORWARD_,
	SPIN_PUT_PAYLOAD_,
	/* the payload of these is already in the buffer */
	SPIN_PUT_DEVICE_,
	SPIN_PUT_GET_,
	SPIN_PUT_ATOMIC_,
};

/* Returns how many packets the handlers have sent for the current packet. */
SPIN_INLINE uint32_t spin_puts_made(void)
{
	const struct spin_tx_ring *ring = spin_puts_ ? spin_tx_ring() : 0;

	return ring ? spin_verifier_forget32(ring->count) : 0;
}

SPIN_INLINE struct spin_tx_desc *spin_put_next_(void)
{
	const struct spin_tx_ring *ring = spin_tx_ring();

	return ring ? spin_tx_ring_next(ring) : 0;
}

/* Returns the offset of a put's payload in its buffer. */
SPIN_INLINE uint32_t spin_put_payload_at_(uint32_t ip_at, uint32_t is_ip4)
{
	return ip_at + (is_ip4 ? sizeof(struct spin_ip4) : sizeof(struct spin_ip6)) + sizeof(struct spin_udp) +
	       (spin_handlers_.delivery == SPIN_DELIVER_ME ? SPIN_PUT_HEAD_BYTES : 0);
}

/* Builds the packet that `out` describes, from the packet's headers and, for some kinds, the bytes at `payload` + out->from. */
SPIN_INLINE int spin_put_make_(const struct spin_packet *packet, const uint8_t *payload, struct spin_tx_ring *ring,
			       struct spin_tx_desc *out, enum spin_put_kind kind)
{
	const _Bool messages = spin_handlers_.delivery == SPIN_DELIVER_ME;
	const struct spin_process *to = &out->request.put.target;
	uint32_t head = 0, udp_at, bytes = spin_verifier_forget32(out->bytes);
	uint8_t *frame = out->request.frame;

	if (!ring || bytes > SPIN_PUT_BYTES_MAX)
		return SPIN_SEGV; /* unreachable: for the verifier */
	spin_put_copy_link(packet, frame);
	if (kind == SPIN_PUT_FORWARD_) {
		udp_at = packet->ip_at + packet->ip_bytes;
		head = messages ? sizeof(struct spin_slmp) : 0;
		spin_put_ip_again(packet, frame, to, sizeof(struct spin_udp) + head + bytes);
		if (messages)
			spin_put_slmp_again(packet, frame, udp_at);
	} else {
		head = messages ? SPIN_PUT_HEAD_BYTES : 0;
		udp_at = packet->ip_at + spin_put_ip(packet, frame, to, sizeof(struct spin_udp) + head + bytes);
		if (messages)
			spin_put_slmp(frame, udp_at, &out->request.put, bytes, spin_config.put_id + spin_fetch_add(&spin_put_id, 1));
		if (messages && kind > SPIN_PUT_DEVICE_)
			spin_put_slmp_request(frame, udp_at, kind == SPIN_PUT_GET_, out->detail);
	}
	udp_at = spin_verifier_forget32(udp_at);
	head = spin_verifier_forget32(head);
	if (kind < SPIN_PUT_DEVICE_)
		spin_payload_out(&packet->view, payload, out->from, spin_put_at(frame, udp_at + sizeof(struct spin_udp) + head), bytes,
				 SPIN_PUT_BYTES_MAX);
	spin_put_udp(packet, frame, udp_at, to->port, head + bytes);
	spin_put_checksums(packet, frame, packet->ip_at, udp_at, head + bytes);
	out->request.type = SPIN_REQUEST_PACKET;
	out->request.bytes = udp_at + sizeof(struct spin_udp) + head + bytes;
	out->request.ip_at = packet->ip_at;
	out->direct = spin_put_is_source_(packet, to);
	ring->count++;
	return 0;
}

#ifdef __bpf__
/* The same for a linear frame. `inline` in the sense of C: it is in the object only where SPIN_PUTS has declared it. */
__attribute__((noinline)) inline int spin_put_direct(struct xdp_md *ctx)
{
	const struct spin_frame frame = { ctx };
	const struct spin_view view = spin_frame_view(&frame);
	struct spin_packet packet = { .view = view };
	struct spin_tx_ring *ring = spin_tx_ring();
	struct spin_tx_desc *out = ring ? spin_tx_ring_next(ring) : 0;
	uint8_t *ip, *udp;

	if (!out)
		return SPIN_SEGV; /* unreachable: for the verifier */
	packet.ip_at = out->request.ip_at;
	packet.ip_bytes = out->ip_bytes;
	packet.is_ip4 = out->is_ip4;
	ip = (uint8_t *)spin_barrier_pointer_(view.data + (packet.ip_at & 31));
	udp = (uint8_t *)spin_barrier_pointer_(view.data + ((packet.ip_at + packet.ip_bytes) & 127));
	if (!spin_inside_(&view, ip + sizeof(struct spin_ip4)) || !spin_inside_(&view, udp + sizeof(struct spin_udp)))
		return SPIN_SEGV; /* unreachable: for the verifier */
	packet.ip = ip;
	packet.udp = (struct spin_udp *)udp;
	return spin_put_make_(&packet, view.data, ring, out, out->kind);
}
#endif

/* Fills in the next buffer's description. Returns NULL if the put is not allowed or there is no buffer. */
SPIN_INLINE struct spin_tx_desc *spin_put_begin_(const struct spin_packet *packet, const struct spin_process *to, enum spin_put_kind kind,
						 uint32_t bytes)
{
	struct spin_tx_desc *out;

	if (packet->puts >= spin_puts_ || bytes > SPIN_PUT_BYTES_MAX || to->ip_version != (packet->is_ip4 ? 4 : 6))
		return 0;
	out = spin_put_next_();
	if (!out)
		return 0;
	out->kind = kind;
	out->bytes = bytes;
	out->request.ip_at = packet->ip_at;
	out->ip_bytes = packet->ip_bytes;
	out->is_ip4 = packet->is_ip4;
	return out;
}

/* Builds the packet, with the bytes at `payload` + `off`, and counts it. */
SPIN_INLINE int spin_put_end_(struct spin_packet *packet, struct spin_tx_desc *out, const uint8_t *payload, uint32_t off,
			      enum spin_put_kind kind)
{
	int err;

	out->from = off;
#ifdef __bpf__
	if (packet->view.access == SPIN_DIRECT) {
		out->from = off + (uint32_t)(payload - packet->view.data);
		err = spin_put_direct(packet->ctx);
	} else
#endif
		err = spin_put_make_(packet, payload, spin_tx_ring(), out, kind);
	if (!err)
		packet->puts = spin_verifier_forget32(packet->puts + 1); /* a loop of calls is one state to the verifier */
	return err;
}

SPIN_INLINE int spin_forward_(struct spin_packet *packet, const struct spin_process *to)
{
	struct spin_tx_desc *out = spin_put_begin_(packet, to, SPIN_PUT_FORWARD_, packet->start_bytes);

	if (!out)
		return SPIN_SEGV;
	out->request.put.target = *to;
	return spin_put_end_(packet, out, packet->start, 0, SPIN_PUT_FORWARD_);
}

SPIN_INLINE int spin_put_payload_(struct spin_packet *packet, uint32_t off, uint32_t bytes, const struct spin_put *put)
{
	struct spin_tx_desc *out;

	if (bytes > packet->bytes || off > packet->bytes - bytes)
		return SPIN_SEGV;
	out = spin_put_begin_(packet, &put->target, SPIN_PUT_PAYLOAD_, bytes);
	if (!out)
		return SPIN_SEGV;
	out->request.put = *put;
	return spin_put_end_(packet, out, packet->payload, off, SPIN_PUT_PAYLOAD_);
}

/* Copies more than 256 bytes, as the isolated class may: at offsets unknown to the verifier. */
SPIN_INLINE void spin_put_copy_long_(uint32_t *to, const uint32_t *from, uint32_t words)
{
	uint64_t round = 0;

	for (uint32_t done = spin_verifier_forget32(0); done < words && spin_can_loop_(&round, words);
	     done = spin_verifier_forget32(done + 1)) {
		uint64_t at = spin_barrier_var64_(done);

		if (at >= words)
			return; /* unreachable: for the verifier */
		to[at] = from[at];
	}
}

SPIN_INLINE int spin_put_from_device_(struct spin_packet *packet, const void *from, uint32_t bytes, const struct spin_put *put)
{
	struct spin_tx_desc *out = spin_put_begin_(packet, &put->target, SPIN_PUT_DEVICE_, bytes);
	uint32_t *to;

	if (!out)
		return SPIN_SEGV;
	out->request.put = *put;
	to = (uint32_t *)spin_put_at(out->request.frame, spin_put_payload_at_(packet->ip_at, packet->is_ip4));
	if (bytes > 256) {
		spin_put_copy_long_(to, from, bytes / 4);
	} else {
		SPIN_UNROLL_
		for (uint32_t i = 0; i < 64; i++)
			if (i < bytes / 4)
				to[i] = ((const uint32_t *)from)[i];
	}
	return spin_put_end_(packet, out, packet->payload, 0, SPIN_PUT_DEVICE_);
}

SPIN_INLINE int spin_put_from_buffer_(struct spin_packet *packet, const void *buffer, uint32_t size, uint32_t off, uint32_t bytes,
				      const struct spin_put *put)
{
	struct spin_tx_desc *out;

	off = spin_verifier_forget32(off);
	bytes = spin_verifier_forget32(bytes);
	if (bytes > size || off > size - bytes)
		return SPIN_SEGV;
	out = spin_put_begin_(packet, &put->target, SPIN_PUT_DEVICE_, bytes);
	if (!out)
		return SPIN_SEGV;
	out->request.put = *put;
	spin_buffer_out_(spin_put_at(out->request.frame, spin_put_payload_at_(packet->ip_at, packet->is_ip4)), buffer, size, off, bytes);
	return spin_put_end_(packet, out, packet->payload, 0, SPIN_PUT_DEVICE_);
}

SPIN_INLINE int spin_get_(struct spin_packet *packet, uint32_t bytes, const struct spin_get *get)
{
	struct spin_tx_desc *out = spin_put_begin_(packet, &get->target, SPIN_PUT_GET_, sizeof(struct spin_slmp_get));
	struct spin_slmp_get *ask;

	if (!out || bytes == SPIN_LENGTH_UNKNOWN)
		return SPIN_SEGV;
	out->request.put.target = get->target;
	out->request.put.match_bits = get->match_bits;
	out->request.put.hdr_data = get->hdr_data;
	out->request.put.remote_offset = get->remote_offset;
	out->detail = bytes;
	ask = (struct spin_slmp_get *)spin_put_at(out->request.frame, spin_put_payload_at_(packet->ip_at, packet->is_ip4));
	ask->match_bits = spin_swap64(get->reply_match_bits);
	ask->hdr_data = spin_swap64(get->reply_hdr_data);
	ask->offset = spin_swap64(get->reply_offset);
	return spin_put_end_(packet, out, packet->payload, 0, SPIN_PUT_GET_);
}

SPIN_INLINE int spin_atomic_(struct spin_packet *packet, enum spin_atomic op, const void *from, uint32_t bytes, const struct spin_put *put)
{
	struct spin_tx_desc *out = spin_put_begin_(packet, &put->target, SPIN_PUT_ATOMIC_, bytes);
	uint32_t *to;

	if (!out || !bytes || op - 1u > 1 || bytes & (4 * (uint32_t)op - 1))
		return SPIN_SEGV;
	out->request.put = *put;
	out->detail = op;
	to = (uint32_t *)spin_put_at(out->request.frame, spin_put_payload_at_(packet->ip_at, packet->is_ip4));
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_ATOMIC_BYTES_MAX / 4; i++)
		if (i < bytes / 4)
			to[i] = ((const uint32_t *)from)[i];
	return spin_put_end_(packet, out, packet->payload, 0, SPIN_PUT_ATOMIC_);
}

/* The operands follow the fields for the answer. */
SPIN_INLINE int spin_fetch_atomic_(struct spin_packet *packet, enum spin_atomic op, const void *from, uint32_t bytes,
				   const struct spin_get *get)
{
	struct spin_tx_desc *out = spin_put_begin_(packet, &get->target, SPIN_PUT_ATOMIC_, sizeof(struct spin_slmp_get) + bytes);
	struct spin_slmp_get *ask;
	uint32_t *to;

	if (!out || !bytes || op - 1u > 1 || bytes & (4 * (uint32_t)op - 1))
		return SPIN_SEGV;
	out->request.put.target = get->target;
	out->request.put.match_bits = get->match_bits;
	out->request.put.hdr_data = get->hdr_data;
	out->request.put.remote_offset = get->remote_offset;
	out->detail = op | SPIN_ATOMIC_FETCH;
	ask = (struct spin_slmp_get *)spin_put_at(out->request.frame, spin_put_payload_at_(packet->ip_at, packet->is_ip4));
	ask->match_bits = spin_swap64(get->reply_match_bits);
	ask->hdr_data = spin_swap64(get->reply_hdr_data);
	ask->offset = spin_swap64(get->reply_offset);
	to = (uint32_t *)(ask + 1);
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_ATOMIC_BYTES_MAX / 4; i++)
		if (i < bytes / 4)
			to[i] = ((const uint32_t *)from)[i];
	return spin_put_end_(packet, out, packet->payload, 0, SPIN_PUT_ATOMIC_);
}

/* Marks the put in the buffer as one to be acknowledged; libspin sends it. */
SPIN_INLINE void spin_put_acked_(const struct spin_packet *packet, struct spin_tx_desc *out, const struct spin_put_acked *put)
{
	uint32_t me = spin_read_once(&spin_mpq_at(packet->mpq)->me);

	out->request.acked = 1;
	out->request.options = put->options;
	out->request.me = me;
	out->request.me_serial = spin_read_once(&spin_me_at(me)->serial);
	out->request.user_ptr = put->user_ptr;
	out->request.source = spin_target_(packet);
}

SPIN_INLINE _Bool spin_put_can_be_acked_(const struct spin_put_acked *put)
{
	return spin_handlers_.delivery == SPIN_DELIVER_ME && !(put->options & ~(uint32_t)SPIN_PUT_OPTIONS);
}

SPIN_INLINE int spin_put_payload_acked_(struct spin_packet *packet, uint32_t off, uint32_t bytes, const struct spin_put_acked *put)
{
	struct spin_tx_desc *out = spin_put_next_();

	if (!out || !spin_put_can_be_acked_(put) || spin_put_payload_(packet, off, bytes, &put->put))
		return SPIN_SEGV;
	out->request.type = SPIN_REQUEST_PUT_BYTES;
	spin_put_acked_(packet, out, put);
	return 0;
}

SPIN_INLINE int spin_put_from_device_acked_(struct spin_packet *packet, const void *from, uint32_t bytes, const struct spin_put_acked *put)
{
	struct spin_tx_desc *out = spin_put_next_();

	if (!out || !spin_put_can_be_acked_(put) || spin_put_from_device_(packet, from, bytes, &put->put))
		return SPIN_SEGV;
	out->request.type = SPIN_REQUEST_PUT_BYTES;
	spin_put_acked_(packet, out, put);
	return 0;
}

/* Queues a put from host memory, complete except for request.put. Returns NULL if it is not allowed. */
SPIN_INLINE struct spin_tx_desc *spin_put_host_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_process *to)
{
	struct spin_tx_ring *ring = spin_tx_ring();
	struct spin_tx_desc *out = spin_put_begin_(packet, to, SPIN_PUT_DEVICE_, 0);
	uint32_t room;

	if (!out || !ring || !spin_space_has(packet, SPIN_ME_MEM, at, bytes))
		return 0;
	out->request.type = SPIN_REQUEST_PUT;
	out->request.acked = 0;
	out->request.options = 0;
	out->request.bytes = bytes;
	out->request.start = spin_space_at(packet, SPIN_ME_MEM, at, &room);
	out->request.source = spin_target_(packet);
	ring->count++;
	packet->puts = spin_verifier_forget32(packet->puts + 1);
	return out;
}

SPIN_INLINE int spin_put_from_host_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_put *put)
{
	struct spin_tx_desc *out = spin_put_host_(packet, at, bytes, &put->target);

	if (!out)
		return SPIN_SEGV;
	out->request.put = *put;
	return 0;
}

SPIN_INLINE int spin_put_from_host_acked_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_put_acked *put)
{
	struct spin_tx_desc *out = spin_put_next_();

	if (!out || !spin_put_can_be_acked_(put) || spin_put_from_host_(packet, at, bytes, &put->put))
		return SPIN_SEGV;
	spin_put_acked_(packet, out, put);
	return 0;
}

#endif
