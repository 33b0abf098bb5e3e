/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which message a frame is of, by what its key has (<spin/message.h>): source address and port, message_id; or a flow's, destination port. */
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include "user/spinctl/run_cost.h"

static uint32_t mix(uint32_t hash, const uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 16777619; /* FNV-1a */
	return hash;
}

static unsigned half(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

int run_cost_key(const uint8_t *frame, uint32_t bytes, int is_flow, uint32_t *key)
{
	unsigned at = offsetof(struct spin_eth, type), type, source, source_bytes;
	uint32_t hash = 2166136261;

	while (at + 2 <= bytes && (half(frame + at) == SPIN_ETH_VLAN || half(frame + at) == SPIN_ETH_QINQ))
		at += sizeof(struct spin_vlan);
	if (at + 2 + sizeof(struct spin_ip4) > bytes)
		return -1;
	type = half(frame + at);
	at += 2;
	source = at + (type == SPIN_ETH_IP4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src));
	source_bytes = type == SPIN_ETH_IP4 ? 4 : 16;
	at += type == SPIN_ETH_IP4 ? (frame[at] & 15u) * 4 : sizeof(struct spin_ip6);
	if (at + sizeof(struct spin_udp) + (is_flow ? 0 : sizeof(struct spin_slmp)) > bytes)
		return -1;
	hash = mix(hash, frame + source, source_bytes);
	hash = mix(hash, frame + at + offsetof(struct spin_udp, src_port), 2);
	if (is_flow)
		hash = mix(hash, frame + at + offsetof(struct spin_udp, dst_port), 2);
	else
		hash = mix(hash, frame + at + sizeof(struct spin_udp) + offsetof(struct spin_slmp, message_id), 4);
	*key = hash ^ hash >> 16; /* the lowest bits are the worst */
	return 0;
}
