/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The outbound engine of the modelled NIC: makes the frames that leave it, with headers and checksums. Called by command.c for sends of
 * handlers, by slmp.c for acknowledgements, and by datagram.c and segment.c for a packet's final frame.
 */
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include "hwmodel/nic/checksum.h"
#include "hwmodel/nic/outbound.h"

#define UDP_CHECKSUM  offsetof(struct spin_udp, checksum)
#define TCP_CHECKSUM  offsetof(struct spin_tcp, checksum)
#define ICMP_CHECKSUM offsetof(struct spin_icmp, checksum)

static uint16_t get16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void put16(uint8_t *at, uint16_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* RFC 1624, equation 3, over all bytes after the IP header, excluding the checksum field itself, which is at `field`. */
static uint16_t update_sum(uint16_t checksum, size_t field, const uint8_t *before, const uint8_t *after, uint32_t bytes)
{
	uint16_t old_sum = checksum__fold(checksum__sum(before, bytes) + (uint16_t)~get16(before + field));
	uint16_t new_sum = checksum__fold(checksum__sum(after, bytes) + (uint16_t)~get16(after + field));

	return (uint16_t)~checksum__fold((uint64_t)(uint16_t)~checksum + (uint16_t)~old_sum + new_sum);
}

/* The same with 0xffff in place of 0, which is no checksum in UDP. */
static uint16_t update_checksum(uint16_t checksum, size_t field, const uint8_t *before, const uint8_t *after, uint32_t bytes)
{
	const uint16_t result = update_sum(checksum, field, before, after, bytes);

	return result ? result : 0xffff;
}

/*
 * Values that handlers stored in the field itself are not kept. If the sum has not changed, the field stays as it arrived. But 0 is
 * wrong for an ICMP message that is now all zeros. ICMPv6 has a pseudo-header, which is never all zeros.
 */
static void update_icmp(uint8_t *to, const uint8_t *icmp, uint32_t bytes, int is_ip4)
{
	uint16_t old = get16(icmp + ICMP_CHECKSUM), new = update_checksum(old, ICMP_CHECKSUM, icmp, to, bytes);

	put16(to + ICMP_CHECKSUM, 0);
	if (new != 0xffff || old || (is_ip4 && !checksum__sum(to, bytes)))
		put16(to + ICMP_CHECKSUM, new);
}

/* No checksum stays no checksum, also over IPv6, and the one of an offload stays as it is: it does not cover what handlers can change. */
static void update_udp(uint8_t *to, const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes)
{
	const uint8_t *udp = ip + ip_bytes;
	const uint16_t old = get16(udp + UDP_CHECKSUM);

	if (!old || checksum__udp_state(ip, ip_bytes, bytes) == CHECKSUM_OFFLOAD)
		put16(to + UDP_CHECKSUM, old);
	else
		put16(to + UDP_CHECKSUM, update_checksum(old, UDP_CHECKSUM, udp, to, bytes));
}

/* The same for TCP, where 0 is a checksum like any other. */
static void update_tcp(uint8_t *to, const uint8_t *ip, uint32_t ip_bytes, uint32_t bytes)
{
	const uint8_t *tcp = ip + ip_bytes;
	const uint16_t old = get16(tcp + TCP_CHECKSUM);

	if (checksum__tcp_state(ip, ip_bytes, bytes) == CHECKSUM_OFFLOAD)
		put16(to + TCP_CHECKSUM, old);
	else
		put16(to + TCP_CHECKSUM, update_sum(old, TCP_CHECKSUM, tcp, to, bytes));
}

/* Returns 1 if the packet is the UDP datagram that arrived with another length, by its headers. */
static int is_resized(const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes)
{
	const uint32_t least = in->ip_bytes + sizeof(struct spin_udp);
	uint16_t udp_bytes;

	if (in->is_ether || in->is_icmp || in->is_tcp || packet_bytes == in->packet_bytes || packet_bytes < least ||
	    packet_bytes > SPIN_IP_BYTES_MAX)
		return 0;
	udp_bytes = get16(packet + in->ip_bytes + offsetof(struct spin_udp, length));
	return udp_bytes == spin_hton16((uint16_t)(packet_bytes - in->ip_bytes));
}

/* Sets the checksums of a datagram whose length has changed. `arrived` is it with its old length. */
static void set_checksums(uint8_t *ip, const uint8_t *arrived, const struct inbound *in, uint32_t udp_bytes)
{
	uint8_t *udp = ip + in->ip_bytes;
	uint16_t checksum = 0;

	if (in->is_ip4) {
		put16(ip + offsetof(struct spin_ip4, checksum), 0);
		put16(ip + offsetof(struct spin_ip4, checksum), (uint16_t)~checksum__fold(checksum__sum(ip, in->ip_bytes)));
	}
	if (get16(arrived + in->ip_bytes + UDP_CHECKSUM)) {
		const enum checksum_state state = checksum__udp_state(arrived, in->ip_bytes, in->packet_bytes - in->ip_bytes);

		if (state == CHECKSUM_OFFLOAD)
			checksum = checksum__fold(checksum__pseudo(ip, SPIN_IP_UDP, udp_bytes));
		else
			checksum = checksum__udp(ip, in->ip_bytes, udp_bytes);
		if (state == CHECKSUM_WRONG) /* stays wrong; 0xffff and 0 are one number in such a sum */
			checksum = checksum == 0xffff ? 1 : (uint16_t)(checksum + 1);
	}
	put16(udp + UDP_CHECKSUM, checksum);
}

size_t outbound__to_host(uint8_t *to, const uint8_t *frame, size_t frame_bytes, const struct inbound *in, const uint8_t *packet,
			 uint32_t packet_bytes)
{
	const uint8_t *ip = frame + in->ip_off, *udp = ip + in->ip_bytes;
	uint32_t udp_bytes = in->packet_bytes - in->ip_bytes;
	uint8_t *to_udp = to + in->ip_off + in->ip_bytes;

	if (is_resized(in, packet, packet_bytes)) {
		memcpy(to, frame, in->ip_off);
		memcpy(to + in->ip_off, packet, packet_bytes);
		set_checksums(to + in->ip_off, ip, in, packet_bytes - in->ip_bytes);
		return in->ip_off + packet_bytes;
	}
	memcpy(to, frame, frame_bytes);
	if (packet_bytes > in->packet_bytes)
		packet_bytes = in->packet_bytes;
	memcpy(to + in->ip_off, packet, packet_bytes);
	if (in->is_ether || !memcmp(to_udp, udp, udp_bytes))
		return frame_bytes;
	if (in->is_icmp)
		update_icmp(to_udp, udp, udp_bytes, in->is_ip4);
	else if (in->is_tcp)
		update_tcp(to_udp, ip, in->ip_bytes, udp_bytes);
	else
		update_udp(to_udp, ip, in->ip_bytes, udp_bytes);
	return frame_bytes;
}

/* Sets the checksums of an outgoing packet. A packet that is neither UDP nor ICMP over IP is not changed. */
static void make_checksums(uint8_t *ip, uint32_t bytes, int udp_wanted)
{
	uint32_t ip_bytes = sizeof(struct spin_ip6);
	uint8_t protocol, icmp = SPIN_IP_ICMP6;

	if (bytes < sizeof(struct spin_ip4))
		return;
	if (ip[0] >> 4 == 4) {
		ip_bytes = (ip[0] & 15u) * 4;
		protocol = ip[offsetof(struct spin_ip4, protocol)];
		icmp = SPIN_IP_ICMP;
		if (ip_bytes < sizeof(struct spin_ip4) || ip_bytes > bytes)
			return;
		put16(ip + offsetof(struct spin_ip4, checksum), 0);
		put16(ip + offsetof(struct spin_ip4, checksum), (uint16_t)~checksum__fold(checksum__sum(ip, ip_bytes)));
	} else {
		protocol = bytes >= ip_bytes ? ip[offsetof(struct spin_ip6, next_header)] : 0;
	}
	if (protocol == icmp && bytes >= ip_bytes + sizeof(struct spin_icmp))
		put16(ip + ip_bytes + ICMP_CHECKSUM, checksum__icmp(ip, ip_bytes, bytes - ip_bytes));
	if (protocol != SPIN_IP_UDP || bytes < ip_bytes + sizeof(struct spin_udp))
		return;
	put16(ip + ip_bytes + UDP_CHECKSUM, udp_wanted ? checksum__udp(ip, ip_bytes, bytes - ip_bytes) : 0);
}

/* Writes the Ethernet header of the frame's reply, with its VLAN tags. */
static void put_ethernet(uint8_t *to, const uint8_t *frame, const struct inbound *in)
{
	memcpy(to, frame + offsetof(struct spin_eth, src), 6);
	memcpy(to + 6, frame + offsetof(struct spin_eth, dst), 6);
	memcpy(to + 12, frame + 12, in->ip_off - 12);
}

static size_t finish_frame(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes,
			   int udp_wanted)
{
	put_ethernet(to, frame, in);
	memcpy(to + in->ip_off, packet, packet_bytes);
	if (!in->is_ether)
		make_checksums(to + in->ip_off, packet_bytes, udp_wanted);
	return in->ip_off + packet_bytes;
}

size_t outbound__send(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes)
{
	const uint8_t *udp = frame + in->ip_off + in->ip_bytes;

	return finish_frame(to, frame, in, packet, packet_bytes, !in->is_ip4 || in->is_icmp || get16(udp + UDP_CHECKSUM));
}

size_t outbound__forward(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes)
{
	return finish_frame(to, frame, in, packet, packet_bytes, 1);
}

void outbound__destination(const uint8_t *frame, const struct inbound *in, struct spin_process *out)
{
	const uint8_t *ip = frame + in->ip_off, *udp = ip + in->ip_bytes;

	memset(out, 0, sizeof(*out));
	out->ip_version = in->is_ip4 ? 4 : 6;
	if (in->is_ip4)
		memcpy(out->addr, ip + offsetof(struct spin_ip4, dst), 4);
	else
		memcpy(out->addr, ip + offsetof(struct spin_ip6, dst), 16);
	out->port = get16(udp + offsetof(struct spin_udp, dst_port));
}

#define PUT_HOPS          64u
#define PUT_DONT_FRAGMENT 0x4000u

static uint32_t put_ip(uint8_t *to, const struct spin_process *from, const struct spin_process *target, uint32_t bytes)
{
	struct spin_ip4 ip4 = { .version_ihl = 0x45,
				.total_length = spin_hton16((uint16_t)(sizeof(ip4) + bytes)),
				.fragment = spin_hton16(PUT_DONT_FRAGMENT),
				.ttl = PUT_HOPS,
				.protocol = SPIN_IP_UDP,
				.src = from->addr[0],
				.dst = target->addr[0] };
	struct spin_ip6 ip6 = { .version_class_flow = spin_hton32(6u << 28),
				.payload_length = spin_hton16((uint16_t)bytes),
				.next_header = SPIN_IP_UDP,
				.hop_limit = PUT_HOPS };

	if (target->ip_version == 4) {
		memcpy(to, &ip4, sizeof(ip4));
		return sizeof(ip4);
	}
	memcpy(ip6.src, from->addr, sizeof(ip6.src));
	memcpy(ip6.dst, target->addr, sizeof(ip6.dst));
	memcpy(to, &ip6, sizeof(ip6));
	return sizeof(ip6);
}

static uint64_t swap64(uint64_t v)
{
	return (uint64_t)spin_swap32((uint32_t)v) << 32 | spin_swap32((uint32_t)(v >> 32));
}

/* Writes the SLMP headers of a message of one packet. */
static uint32_t put_slmp(uint8_t *to, const struct spin_put *put, const struct outbound_request *request, uint32_t id, uint32_t bytes)
{
	const struct spin_slmp slmp = { .flags = spin_hton16(SPIN_SLMP_SYN | SPIN_SLMP_EOM | SPIN_SLMP_PUT),
					.message_id = spin_hton32(id) };
	const int is_get = request->type == SPIN_TYPE_GET, is_atomic = request->type == SPIN_TYPE_ATOMIC;
	const struct spin_slmp_put extension = { .op = (uint8_t)request->type,
						 .version = SPIN_SLMP_VERSION,
						 .atomic = is_atomic ? spin_hton16((uint16_t)request->detail) : 0,
						 .length = spin_hton32(is_get ? request->detail : bytes),
						 .match_bits = swap64(put->match_bits),
						 .hdr_data = swap64(put->hdr_data),
						 .offset = swap64(put->remote_offset) };

	memcpy(to, &slmp, sizeof(slmp));
	memcpy(to + sizeof(slmp), &extension, sizeof(extension));
	return sizeof(slmp) + sizeof(extension);
}

uint32_t outbound__put(uint8_t *to, const uint8_t *frame, const struct inbound *in, const struct spin_put *put,
		       const struct outbound_request *request, const uint32_t *id, const uint8_t *payload, uint32_t bytes)
{
	uint32_t slmp_bytes = id ? sizeof(struct spin_slmp) + sizeof(struct spin_slmp_put) : 0;
	uint32_t udp_bytes = (uint32_t)sizeof(struct spin_udp) + slmp_bytes + bytes;
	struct spin_udp udp = { .dst_port = put->target.port, .length = spin_hton16((uint16_t)udp_bytes) };
	struct spin_process here;
	uint8_t *ip = to + in->ip_off, *at;

	outbound__destination(frame, in, &here);
	udp.src_port = here.port;
	put_ethernet(to, frame, in);
	at = ip + put_ip(ip, &here, &put->target, udp_bytes);
	memcpy(at, &udp, sizeof(udp));
	at += sizeof(udp);
	if (id)
		at += put_slmp(at, put, request, *id, bytes);
	memcpy(at, payload, bytes);
	at += bytes;
	make_checksums(ip, (uint32_t)(at - ip), 1);
	return (uint32_t)(at - to);
}
