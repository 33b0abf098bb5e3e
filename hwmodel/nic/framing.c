/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/nic/framing.h"

int pspin_framing__find(const char *name)
{
	static const char *const names[] = {
		[PSPIN_FRAMING_RAW] = "raw",
		[PSPIN_FRAMING_PSPIN] = "pspin",
		[PSPIN_FRAMING_IP] = "ip",
		[PSPIN_FRAMING_ETHERNET] = "ethernet",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return (int)i;
	return -ENOENT;
}

static uint32_t be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/* The IP packet that the frame carries, by its own length; whatever is in it. */
static enum spin_reason find_ip(const uint8_t *frame, size_t bytes, struct inbound *in)
{
	uint32_t type;
	enum spin_reason reason = inbound__ethernet(frame, bytes, &in->ip_off, &type);
	const uint8_t *ip = frame + in->ip_off;

	if (reason != SPIN_REASON_COUNT)
		return reason;
	bytes -= in->ip_off;
	in->is_ip4 = type == SPIN_ETH_IP4;
	if (bytes < (in->is_ip4 ? sizeof(struct spin_ip4) : sizeof(struct spin_ip6)))
		return SPIN_REASON_TRUNCATED;
	in->ip_bytes = in->is_ip4 ? (ip[0] & 15u) * 4 : (uint32_t)sizeof(struct spin_ip6);
	in->packet_bytes = in->is_ip4 ? be16(ip + offsetof(struct spin_ip4, total_length))
				      : in->ip_bytes + be16(ip + offsetof(struct spin_ip6, payload_length));
	if (ip[0] >> 4 != (in->is_ip4 ? 4 : 6) || in->ip_bytes < sizeof(struct spin_ip4))
		return SPIN_REASON_IP_MALFORMED;
	return in->packet_bytes < in->ip_bytes || in->packet_bytes > bytes ? SPIN_REASON_IP_LENGTH : SPIN_REASON_COUNT;
}

enum spin_reason framing__find(enum pspin_framing framing, const uint8_t *frame, size_t bytes, struct inbound *in)
{
	enum spin_reason reason;

	*in = (struct inbound){ .packet_bytes = (uint32_t)bytes };
	if (framing == PSPIN_FRAMING_RAW || framing == PSPIN_FRAMING_ETHERNET)
		return SPIN_REASON_COUNT;
	reason = find_ip(frame, bytes, in);
	if (reason == SPIN_REASON_COUNT && framing == PSPIN_FRAMING_PSPIN && !in->is_ip4)
		return SPIN_REASON_NOT_IP; /* PsPIN's header is IPv4's */
	return reason;
}

/* To the host byte order of an HPU. */
static void swap16(uint8_t *at)
{
	uint8_t high = at[0];

	at[0] = at[1];
	at[1] = high;
}

/* PsPIN's examples declare version and IHL the other way round, and lengths as the HPU's own. */
static void make_pspins(uint8_t *ip, const struct inbound *in)
{
	uint8_t *udp = ip + in->ip_bytes;

	ip[0] = (uint8_t)(ip[0] << 4 | ip[0] >> 4);
	swap16(ip + offsetof(struct spin_ip4, total_length));
	if (ip[offsetof(struct spin_ip4, protocol)] == SPIN_IP_UDP && in->packet_bytes >= in->ip_bytes + sizeof(struct spin_udp))
		swap16(udp + offsetof(struct spin_udp, length));
}

void framing__place(enum pspin_framing framing, const uint8_t *frame, const struct inbound *in, uint8_t *to)
{
	memcpy(to, frame + in->ip_off, in->packet_bytes);
	if (framing == PSPIN_FRAMING_PSPIN)
		make_pspins(to, in);
}
