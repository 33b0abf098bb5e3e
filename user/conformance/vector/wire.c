/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the headers of a message's packet in a frame, and builds the acknowledgement that the NIC is expected to send. Called by the
 * parsers of vectors (tests as text) and by compare.c. A frame that is not UDP over IP is refused.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include "user/conformance/engine.h"
#include "user/conformance/template/template.h"
#include "user/conformance/vector/wire.h"

#define ACK_TTL 64

static unsigned get16(const uint8_t *at)
{
	return at[0] * 256u + at[1];
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void swap(uint8_t *a, uint8_t *b, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t saved = a[i];

		a[i] = b[i];
		b[i] = saved;
	}
}

int vector_headers_udp(const uint8_t *frame, uint32_t bytes, struct vector_headers *w)
{
	uint32_t at = offsetof(struct spin_eth, type);

	*w = (struct vector_headers){ 0 };
	while (at + 2 <= bytes && (get16(frame + at) == SPIN_ETH_VLAN || get16(frame + at) == SPIN_ETH_QINQ))
		at += sizeof(struct spin_vlan);
	w->ip_at = at + 2;
	if (w->ip_at < bytes) {
		w->ip_version = frame[w->ip_at] >> 4;
		w->udp_at = w->ip_at + (w->ip_version == 4 ? (frame[w->ip_at] & 15u) * 4 : sizeof(struct spin_ip6));
		w->slmp_at = w->udp_at + (uint32_t)sizeof(struct spin_udp);
	}
	if (!w->slmp_at || w->slmp_at > bytes || (w->ip_version != 4 && w->ip_version != 6) ||
	    w->udp_at < w->ip_at + (uint32_t)sizeof(struct spin_ip4))
		return engine_fail(-EINVAL, "the packet is not a datagram: it has no `udp`");
	return 0;
}

int vector_headers(const uint8_t *frame, uint32_t bytes, struct vector_headers *w)
{
	if (vector_headers_udp(frame, bytes, w) || w->slmp_at + sizeof(struct spin_slmp) > bytes)
		return engine_fail(-EINVAL, "the packet is none of a message: no `slmp` behind `udp`");
	return 0;
}

uint32_t vector_wire_id(const uint8_t *frame, const struct vector_headers *w)
{
	const uint8_t *id = frame + w->slmp_at + offsetof(struct spin_slmp, message_id);

	return get16(id) << 16 | get16(id + 2);
}

static void swap_ip_addresses(uint8_t *ip, uint32_t version)
{
	if (version == 6) {
		swap(ip + offsetof(struct spin_ip6, src), ip + offsetof(struct spin_ip6, dst), 16);
		ip[offsetof(struct spin_ip6, hop_limit)] = ACK_TTL;
		return;
	}
	swap(ip + offsetof(struct spin_ip4, src), ip + offsetof(struct spin_ip4, dst), 4);
	ip[offsetof(struct spin_ip4, ttl)] = ACK_TTL;
}

static void set_ip_length(uint8_t *ip, uint32_t version, uint32_t bytes)
{
	if (version == 6) {
		put16(ip + offsetof(struct spin_ip6, payload_length), bytes - (unsigned)sizeof(struct spin_ip6));
		return;
	}
	put16(ip + offsetof(struct spin_ip4, total_length), bytes);
	put16(ip + offsetof(struct spin_ip4, checksum), 0);
	put16(ip + offsetof(struct spin_ip4, checksum), (uint16_t)~template_sum(ip, (ip[0] & 15u) * 4, 0));
}

/* Over IPv4 a checksum of 0 (none) stays 0. Over IPv6 the checksum is always set. */
static void set_udp_checksum(uint8_t *udp, const uint8_t *ip, uint32_t version, uint32_t bytes)
{
	uint8_t *at = udp + offsetof(struct spin_udp, checksum);
	uint32_t pseudo = SPIN_IP_UDP + bytes;
	unsigned sum;

	if (version == 4 && !get16(at))
		return;
	put16(at, 0);
	pseudo = version == 4 ? template_sum(ip + offsetof(struct spin_ip4, src), 8, pseudo)
			      : template_sum(ip + offsetof(struct spin_ip6, src), 32, pseudo);
	sum = (uint16_t)~template_sum(udp, bytes, pseudo);
	put16(at, sum ? sum : 0xffff);
}

void vector_wire_finish(uint8_t *frame, const struct vector_headers *w, uint32_t end)
{
	uint8_t *udp = frame + w->udp_at;

	set_ip_length(frame + w->ip_at, w->ip_version, end - w->ip_at);
	put16(udp + offsetof(struct spin_udp, length), end - w->udp_at);
	set_udp_checksum(udp, frame + w->ip_at, w->ip_version, end - w->udp_at);
}

int vector_ack(const uint8_t *frame, uint32_t bytes, uint16_t more, uint8_t *to, uint32_t *to_bytes)
{
	struct vector_headers w;
	uint8_t *udp;
	int err = vector_headers(frame, bytes, &w);

	if (err)
		return err;
	*to_bytes = w.slmp_at + (uint32_t)sizeof(struct spin_slmp);
	memcpy(to, frame, *to_bytes);
	swap(to + offsetof(struct spin_eth, src), to + offsetof(struct spin_eth, dst), 6);
	udp = to + w.udp_at;
	swap_ip_addresses(to + w.ip_at, w.ip_version);
	swap(udp + offsetof(struct spin_udp, src_port), udp + offsetof(struct spin_udp, dst_port), 2);
	put16(to + w.slmp_at + offsetof(struct spin_slmp, flags), SPIN_SLMP_ACK | more);
	vector_wire_finish(to, &w, *to_bytes);
	return 0;
}
