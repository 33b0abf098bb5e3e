/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_PUT_FRAME_H
#define BPF_PUT_FRAME_H

/*
 * Writes the headers of a packet that a handler sends into a buffer. Called by put.h. The buffer has slack after the packet, so the
 * verifier accepts the stores without knowing the exact length.
 */
#include <spin/slmp.h>

#include "bpf/actions/act.h"
#include "bpf/actions/dma_payload.h"
#include "bpf/messages/slmp.h"

#define SPIN_PUT_HEAD_BYTES (sizeof(struct spin_slmp) + sizeof(struct spin_slmp_put))

/* Returns `frame` + `off`. `off` is below 128; the mask proves it to the verifier. */
SPIN_INLINE uint8_t *spin_put_at(uint8_t *frame, uint32_t off)
{
	return (uint8_t *)spin_barrier_pointer_(frame + (spin_barrier_var_(off) & 127));
}

SPIN_INLINE _Bool spin_put_is_source_(const struct spin_packet *packet, const struct spin_process *to)
{
	const struct spin_process source = spin_source_(packet);

	return source.addr[0] == to->addr[0] &&
	       (packet->is_ip4 || (source.addr[1] == to->addr[1] && source.addr[2] == to->addr[2] && source.addr[3] == to->addr[3]));
}

/* Copies the Ethernet header and VLAN tags, with the addresses swapped. */
SPIN_INLINE void spin_put_copy_link(const struct spin_packet *packet, uint8_t *frame)
{
	const uint64_t *from = (const void *)spin_barrier_pointer_(packet->view.data);

	if (!spin_inside_(&packet->view, from + 3))
		return; /* unreachable: an IP header follows */
	SPIN_UNROLL_
	for (uint32_t i = 0; i < 3; i++)
		((uint64_t *)frame)[i] = from[i];
	spin_swap_eth((struct spin_eth *)frame);
}

/* Writes a new IP header without its checksum. Returns its length. */
SPIN_INLINE uint32_t spin_put_ip(const struct spin_packet *packet, uint8_t *frame, const struct spin_process *to, uint32_t ip_payload_bytes)
{
	const struct spin_process source = spin_target_(packet);

	if (packet->is_ip4) {
		struct spin_ip4 *ip = (void *)spin_put_at(frame, packet->ip_at);

		ip->version_ihl = 0x45;
		ip->tos = 0;
		ip->total_length = spin_hton16(sizeof(*ip) + ip_payload_bytes);
		ip->id = 0;
		ip->fragment = spin_hton16(0x4000);
		ip->ttl = 64;
		ip->protocol = SPIN_IP_UDP;
		ip->src = source.addr[0];
		ip->dst = to->addr[0];
		return spin_verifier_forget32(sizeof(*ip));
	} else {
		struct spin_ip6 *ip = (void *)spin_put_at(frame, packet->ip_at);

		ip->version_class_flow = spin_hton32(0x60000000);
		ip->payload_length = spin_hton16(ip_payload_bytes);
		ip->next_header = SPIN_IP_UDP;
		ip->hop_limit = 64;
		for (uint32_t i = 0; i < 4; i++) {
			ip->src[i] = source.addr[i];
			ip->dst[i] = to->addr[i];
		}
		return spin_verifier_forget32(sizeof(*ip));
	}
}

/* Copies word `i` of the packet's IP header. The pointer is separate, so that the bounds check applies to it alone. */
SPIN_INLINE void spin_put_ip_word_(const struct spin_packet *packet, uint8_t *ip, uint32_t i)
{
	const uint8_t *at = (const uint8_t *)packet->ip + 4 * i;
	const uint32_t *from = (const void *)(packet->view.access == SPIN_COPIED ? at : spin_verifier_forget_ptr_(at, packet->ip_bytes));

	if (spin_inside_(&packet->view, from + 1))
		((uint32_t *)ip)[i] = *from;
}

/*
 * Copies the packet's IP header with new addresses, without its checksum. For a copied frame it copies the longest possible header, and the
 * next header overwrites the surplus: one path for the verifier instead of eleven.
 */
SPIN_INLINE void spin_put_ip_again(const struct spin_packet *packet, uint8_t *frame, const struct spin_process *to,
				   uint32_t ip_payload_bytes)
{
	uint8_t *at = spin_put_at(frame, packet->ip_at);
	struct spin_process source;

	if (packet->view.access == SPIN_COPIED) {
		SPIN_UNROLL_
		for (uint32_t i = 0; i < 15; i++)
			spin_put_ip_word_(packet, at, i);
	} else {
		for (uint32_t i = 0; i < 15; i++)
			if (i < 5 || 4 * i < packet->ip_bytes)
				spin_put_ip_word_(packet, at, i);
	}
	source = spin_target_(packet); /* not earlier: it would take stack while words are copied */
	if (packet->is_ip4) {
		struct spin_ip4 *ip = (void *)at;

		ip->total_length = spin_hton16(packet->ip_bytes + ip_payload_bytes);
		ip->ttl = 64;
		ip->src = source.addr[0];
		ip->dst = to->addr[0];
		spin_barrier_var_(0); /* keeps two stores: the isolated class rejects one store at a variable offset */
	} else {
		struct spin_ip6 *ip = (void *)at;

		ip->payload_length = spin_hton16(ip_payload_bytes);
		ip->hop_limit = 64;
		for (uint32_t i = 0; i < 4; i++) {
			ip->src[i] = source.addr[i];
			ip->dst[i] = to->addr[i];
		}
	}
}

/* Writes the SLMP headers of a message of one packet. */
SPIN_INLINE void spin_put_slmp(uint8_t *frame, uint32_t udp_at, const struct spin_put *put, uint32_t bytes, uint32_t message_id)
{
	uint8_t *at = spin_put_at(frame, udp_at + sizeof(struct spin_udp));
	struct spin_slmp *slmp = (void *)at;
	struct spin_slmp_put *more = (void *)(at + sizeof(*slmp));

	slmp->flags = spin_hton16(SPIN_SLMP_SYN | SPIN_SLMP_EOM | SPIN_SLMP_PUT);
	slmp->message_id = spin_hton32(message_id);
	slmp->offset = 0;
	more->op = SPIN_SLMP_OP_PUT;
	more->version = SPIN_SLMP_VERSION;
	more->atomic = 0;
	more->length = spin_hton32(bytes);
	more->match_bits = spin_swap64(put->match_bits);
	more->hdr_data = spin_swap64(put->hdr_data);
	more->offset = spin_swap64(put->remote_offset);
}

/* After spin_put_slmp(): makes it a get of `detail` bytes, or an atomic operation `detail`. */
SPIN_INLINE void spin_put_slmp_request(uint8_t *frame, uint32_t udp_at, _Bool is_get, uint32_t detail)
{
	struct spin_slmp_put *more = (void *)spin_put_at(frame, udp_at + sizeof(struct spin_udp) + sizeof(struct spin_slmp));

	more->op = is_get ? SPIN_SLMP_OP_GET : SPIN_SLMP_OP_ATOMIC;
	if (is_get)
		more->length = spin_hton32(detail);
	else
		more->atomic = spin_hton16((uint16_t)detail);
}

/* Copies the packet's SLMP header without the put extension. */
SPIN_INLINE void spin_put_slmp_again(const struct spin_packet *packet, uint8_t *frame, uint32_t udp_at)
{
	const uint8_t *from = spin_barrier_pointer_((const uint8_t *)(packet->udp + 1));
	uint16_t *to = (uint16_t *)spin_put_at(frame, udp_at + sizeof(struct spin_udp));

	if (!spin_inside_(&packet->view, from + sizeof(struct spin_slmp)))
		return; /* unreachable: for the verifier */
	for (uint32_t i = 0; i < sizeof(struct spin_slmp) / 2; i++)
		to[i] = ((const uint16_t *)from)[i];
	to[0] &= (uint16_t)~spin_hton16(SPIN_SLMP_PUT);
}

SPIN_INLINE void spin_put_udp(const struct spin_packet *packet, uint8_t *frame, uint32_t udp_at, spin_be16 port, uint32_t bytes)
{
	struct spin_udp *udp = (void *)spin_put_at(frame, udp_at);

	udp->src_port = packet->udp->dst_port;
	udp->dst_port = port;
	udp->length = spin_hton16(sizeof(*udp) + bytes);
	udp->checksum = 0;
}

/* Returns the sum of the IP addresses, the UDP header and its payload. Clears the bytes after the payload. */
SPIN_INLINE uint64_t spin_put_sum_(uint8_t *udp, uint32_t udp_bytes, const uint8_t *addresses, uint32_t words)
{
	uint64_t sum = (uint64_t)spin_hton16(SPIN_IP_UDP) + spin_hton16(udp_bytes), at = spin_barrier_var64_(udp_bytes), round = 0;
	uint32_t *behind;

	if (at > SPIN_PUT_BYTES_MAX + 64)
		return 0; /* unreachable: for the verifier */
	behind = (uint32_t *)(udp + at);
	SPIN_UNROLL_
	for (uint32_t i = 0; i < 8; i++)
		behind[i] = 0;
	for (uint32_t done = spin_verifier_forget32(0); done < udp_bytes && spin_can_loop_(&round, (SPIN_PUT_BYTES_MAX + 64) / 32 + 1);
	     done = spin_verifier_forget32(done + 32)) {
		/* hides the offset: in the isolated class it must have the same bounds in each iteration, whatever is known of udp_bytes */
		at = spin_barrier_var64_(spin_verifier_forget32(done));
		if (at > SPIN_PUT_BYTES_MAX + 64)
			break; /* unreachable: for the verifier */
		sum += spin_sum_words_(udp + at, 8);
	}
	return sum + spin_sum_words_(addresses, words);
}

/* Fills in the checksums of IP and UDP. `bytes`: of UDP's payload. */
SPIN_INLINE void spin_put_checksums(const struct spin_packet *packet, uint8_t *frame, uint32_t ip_at, uint32_t udp_at, uint32_t bytes)
{
	struct spin_udp *udp = (void *)spin_put_at(frame, udp_at);
	uint8_t *ip = spin_put_at(frame, ip_at);
	uint32_t udp_bytes = sizeof(*udp) + bytes;
	uint64_t sum;
	uint16_t folded;

	if (packet->is_ip4) {
		uint32_t words = (((struct spin_ip4 *)ip)->version_ihl & 15) - 5;

		((struct spin_ip4 *)ip)->checksum = 0;
		sum = spin_sum_words_(ip, 5);
		SPIN_UNROLL_
		for (uint32_t i = 0; i < 10; i++) /* IP options */
			sum += i < words ? ((uint32_t *)ip)[5 + i] : 0;
		((struct spin_ip4 *)ip)->checksum = ~spin_fold(sum);
		sum = spin_put_sum_((uint8_t *)udp, udp_bytes, spin_barrier_pointer_(ip + offsetof(struct spin_ip4, src)), 2);
	} else {
		sum = spin_put_sum_((uint8_t *)udp, udp_bytes, spin_barrier_pointer_(ip + offsetof(struct spin_ip6, src)), 8);
	}
	folded = ~spin_fold(sum);
	udp->checksum = folded ? folded : 0xffff;
}

#endif
