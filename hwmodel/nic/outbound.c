/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include <spin/wire.h>

#include "checksum.h"
#include "outbound.h"

#define UDP_CHECKSUM offsetof(struct spin_udp, checksum)

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

/* RFC 1624, equation 3, over the whole datagram: the checksum field itself is not part of it. */
static uint16_t updated(uint16_t checksum, const uint8_t *before, const uint8_t *after,
			uint32_t udp_bytes)
{
	uint16_t was = checksum__fold(checksum__sum(before, udp_bytes) +
				      (uint16_t)~get16(before + UDP_CHECKSUM));
	uint16_t is = checksum__fold(checksum__sum(after, udp_bytes) +
				     (uint16_t)~get16(after + UDP_CHECKSUM));
	uint16_t result =
		(uint16_t)~checksum__fold((uint64_t)(uint16_t)~checksum + (uint16_t)~was + is);

	return result ? result : 0xffff;
}

size_t outbound__to_host(uint8_t *to, const uint8_t *frame, size_t frame_bytes,
			 const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes)
{
	const uint8_t *ip = frame + in->ip_off, *udp = ip + in->ip_bytes;
	uint32_t udp_bytes = in->packet_bytes - in->ip_bytes;
	uint8_t *to_udp = to + in->ip_off + in->ip_bytes;
	enum checksum_state state;

	memcpy(to, frame, frame_bytes);
	if (packet_bytes > in->packet_bytes)
		packet_bytes = in->packet_bytes;
	memcpy(to + in->ip_off, packet, packet_bytes);
	if (!memcmp(to_udp, udp, udp_bytes))
		return frame_bytes;
	state = checksum__udp_state(ip, in->ip_bytes, udp_bytes);
	if (!get16(udp + UDP_CHECKSUM) || state == CHECKSUM_OFFLOAD) /* none stays none, over IPv6, too */
		put16(to_udp + UDP_CHECKSUM, get16(udp + UDP_CHECKSUM));
	else
		put16(to_udp + UDP_CHECKSUM,
		      updated(get16(udp + UDP_CHECKSUM), udp, to_udp, udp_bytes));
	return frame_bytes;
}

/* Checksums of an outgoing packet; one that is no UDP over IP is left as it is. */
static void make_checksums(uint8_t *ip, uint32_t bytes, int udp_wanted)
{
	uint32_t ip_bytes = sizeof(struct spin_ip6);
	uint8_t protocol;

	if (bytes < sizeof(struct spin_ip4))
		return;
	if (ip[0] >> 4 == 4) {
		ip_bytes = (ip[0] & 15u) * 4;
		protocol = ip[offsetof(struct spin_ip4, protocol)];
		if (ip_bytes < sizeof(struct spin_ip4) || ip_bytes > bytes)
			return;
		put16(ip + offsetof(struct spin_ip4, checksum), 0);
		put16(ip + offsetof(struct spin_ip4, checksum),
		      (uint16_t)~checksum__fold(checksum__sum(ip, ip_bytes)));
	} else {
		protocol = bytes >= ip_bytes ? ip[offsetof(struct spin_ip6, next_header)] : 0;
	}
	if (protocol != SPIN_IP_UDP || bytes < ip_bytes + sizeof(struct spin_udp))
		return;
	put16(ip + ip_bytes + UDP_CHECKSUM,
	      udp_wanted ? checksum__udp(ip, ip_bytes, bytes - ip_bytes) : 0);
}

size_t outbound__send(uint8_t *to, const uint8_t *frame, const struct inbound *in,
		      const uint8_t *packet, uint32_t packet_bytes)
{
	const uint8_t *udp = frame + in->ip_off + in->ip_bytes;

	memcpy(to, frame + offsetof(struct spin_eth, src), 6);
	memcpy(to + 6, frame + offsetof(struct spin_eth, dst), 6);
	memcpy(to + 12, frame + 12, in->ip_off - 12);
	memcpy(to + in->ip_off, packet, packet_bytes);
	make_checksums(to + in->ip_off, packet_bytes, !in->is_ip4 || get16(udp + UDP_CHECKSUM));
	return in->ip_off + packet_bytes;
}
