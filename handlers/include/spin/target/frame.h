/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_FRAME_H
#define SPIN_TARGET_FRAME_H

/*
 * The packet as a frame in memory: BPF at XDP, and the host build that mirrors
 * it. Every access is checked against the frame's end, in the shape that the
 * verifier follows.
 */
#include <spin/wire.h>

#define SPIN_FRAME_BYTES_MAX 16384u /* more than any linear XDP frame; bounds variable offsets */

struct spin_packet {
	uint8_t         *end;        /* one past the frame */
	void            *ip;         /* struct spin_ip4 or struct spin_ip6 */
	struct spin_udp *udp;        /* whole header is inside the frame */
	uint8_t         *payload;
	uint32_t         is_ip4;
	uint64_t         sum_change; /* to the UDP checksum's sum, from stores; folded by the runtime */
	uint32_t         stored;     /* 1 after any store */
	uint32_t         reply_bytes;
};

SPIN_INLINE const void *spin_payload_at_(const struct spin_packet *packet, uint32_t length,
					 uint32_t off, uint32_t size)
{
	const uint8_t *at;

	if (size > length || off > length - size)
		return 0;
	if (!__builtin_constant_p(off)) {
		off = spin_opaque_(off);
		off &= SPIN_FRAME_BYTES_MAX - 1;
	}
	at = packet->payload + off;
	if (at + size > packet->end)
		return 0;
	return at;
}

#define SPIN_FOR_EACH_(v, TYPE, it) \
	for (uint32_t spin_off_ = 0, spin_once_ = 1; spin_once_; spin_once_ = 0) \
		for (const TYPE *it; \
		     spin_off_ < SPIN_FRAME_BYTES_MAX && \
		     (it = spin_payload_at_((v)->packet, (v)->length, spin_off_, sizeof(TYPE))); \
		     spin_off_ += sizeof(TYPE))

SPIN_INLINE void spin_store16_(struct spin_packet *packet, const void *at, uint16_t value)
{
	uint16_t *to = (uint16_t *)at;

	packet->sum_change += (uint16_t)~*to;
	packet->sum_change += value;
	packet->stored = 1;
	*to = value;
}

SPIN_INLINE void spin_store32_(struct spin_packet *packet, const void *at, uint32_t value)
{
	uint32_t *to = (uint32_t *)at;

	packet->sum_change += (uint32_t)~*to;
	packet->sum_change += value;
	packet->stored = 1;
	*to = value;
}

SPIN_INLINE _Bool spin_is_ip4_(const struct spin_packet *packet)
{
	return packet->is_ip4;
}

SPIN_INLINE spin_be32 spin_src_addr4_(const struct spin_packet *packet)
{
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip)->src : 0;
}

SPIN_INLINE spin_be32 spin_dst_addr4_(const struct spin_packet *packet)
{
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip)->dst : 0;
}

SPIN_INLINE spin_be16 spin_src_port_(const struct spin_packet *packet)
{
	return packet->udp->src_port;
}

SPIN_INLINE spin_be16 spin_dst_port_(const struct spin_packet *packet)
{
	return packet->udp->dst_port;
}

SPIN_INLINE void spin_set_dst_port_(struct spin_packet *packet, spin_be16 port)
{
	spin_store16_(packet, &packet->udp->dst_port, port);
}

SPIN_INLINE enum spin_payload_rc spin_reply_(struct spin_packet *packet, uint32_t length, uint32_t bytes)
{
	if (bytes > length)
		return SPIN_SEGV;
	packet->reply_bytes = bytes;
	return SPIN_REPLIED;
}

#endif
