/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_PUT_H
#define SPIN_TARGET_RV32_PUT_H

/*
 * Packets that handlers send (<spin/put.h>), on a PsPIN HPU (a core of the NIC). Included by <spin/target/rv32.h>. A forwarded packet is
 * sent from where it is in memory, with its headers rewritten in place and restored before they are read again. Other packets are built by
 * the NIC: the command names struct spin_put and the bytes.
 */
SPIN_INLINE uint32_t spin_ip_version_(const struct spin_packet *packet)
{
	return packet->is_ip4 ? 4 : 6;
}

SPIN_INLINE struct spin_process spin_process_at_(const struct spin_packet *packet, const void *addr, spin_be16 port)
{
	const spin_be32 *at = addr;

	if (packet->is_ip4)
		return (struct spin_process){ .addr = { at[0] }, .port = port, .ip_version = 4 };
	return (struct spin_process){ .addr = { at[0], at[1], at[2], at[3] }, .port = port, .ip_version = 6 };
}

SPIN_INLINE struct spin_process spin_source_(struct spin_packet *packet)
{
	if (packet->is_ether)
		return (struct spin_process){ .ip_version = 0 };
	spin_look_(packet);
	return spin_process_at_(packet, packet->ip_l1 + (packet->is_ip4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src)),
				packet->is_icmp ? 0 : spin_udp_(packet)->src_port);
}

SPIN_INLINE struct spin_process spin_target_(struct spin_packet *packet)
{
	if (packet->is_ether)
		return (struct spin_process){ .ip_version = 0 };
	spin_look_(packet);
	return spin_process_at_(packet, packet->ip_l1 + (packet->is_ip4 ? offsetof(struct spin_ip4, dst) : offsetof(struct spin_ip6, dst)),
				packet->is_icmp ? 0 : spin_udp_(packet)->dst_port);
}

/* Counts one more packet if it is allowed. */
SPIN_INLINE _Bool spin_may_send_(struct spin_packet *packet, const struct spin_process *to, uint32_t bytes)
{
	if (to->ip_version != spin_ip_version_(packet) || bytes > SPIN_PUT_BYTES_MAX || packet->sent >= spin_puts_)
		return 0;
	packet->sent++;
	return 1;
}

/* --- forward: the packet where it leaves from, L1 if all of it is there --- */

SPIN_INLINE uint8_t *spin_leaves_from_(const struct spin_packet *packet)
{
	return packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2;
}

SPIN_INLINE void spin_copy_words_(uint32_t *to, const uint32_t *from)
{
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
	to[3] = from[3];
}

/* Saves addresses, ports, and TTL with the protocol. */
SPIN_INLINE void spin_headers_save_(struct spin_packet *packet)
{
	struct spin_saved_ *was = &packet->was;

	spin_fence_(); /* they may have been written as other types */
	if (packet->is_ip4) {
		const struct spin_ip4 *ip = (const struct spin_ip4 *)packet->ip_l1;

		was->src[0] = ip->src;
		was->dst[0] = ip->dst;
		was->hops = *(const uint16_t *)&ip->ttl;
	} else {
		const struct spin_ip6 *ip = (const struct spin_ip6 *)packet->ip_l1;

		spin_copy_words_(was->src, ip->src);
		spin_copy_words_(was->dst, ip->dst);
		was->hops = *(const uint16_t *)&ip->next_header;
	}
	was->ports = *(const uint32_t *)spin_udp_(packet);
}

SPIN_INLINE void spin_headers_set_(const struct spin_packet *packet, const spin_be32 *src, const spin_be32 *dst, uint32_t ports,
				   uint16_t hops)
{
	uint8_t *at = spin_leaves_from_(packet);

	if (packet->is_ip4) {
		struct spin_ip4 *ip = (struct spin_ip4 *)at;

		ip->src = src[0];
		ip->dst = dst[0];
		*(uint16_t *)&ip->ttl = hops;
	} else {
		struct spin_ip6 *ip = (struct spin_ip6 *)at;

		spin_copy_words_(ip->src, src);
		spin_copy_words_(ip->dst, dst);
		*(uint16_t *)&ip->next_header = hops;
	}
	*(uint32_t *)(at + packet->ip_bytes) = ports;
}

/* Restores the headers from before the first forward. */
SPIN_INLINE void spin_unforward_(struct spin_packet *packet)
{
	if (!packet->forwarded)
		return;
	spin_wait_sent_(packet);
	spin_headers_set_(packet, packet->was.src, packet->was.dst, packet->was.ports, packet->was.hops);
	spin_fence_(); /* they may be read as other types */
	packet->forwarded = 0;
}

#define SPIN_HOPS_ 64u /* TTL and hop limit of sent packets */

SPIN_INLINE int spin_forward_(struct spin_packet *packet, const struct spin_process *to)
{
	const struct spin_udp *udp = spin_udp_(packet);
	uint32_t udp_bytes = spin_ntoh16(udp->length), payload_bytes = udp_bytes - packet->header_bytes;

	if (!spin_may_send_(packet, to, payload_bytes))
		return SPIN_SEGV;
	spin_wait_sent_(packet);
	if (!packet->forwarded)
		spin_headers_save_(packet);
	packet->forwarded = 1;
	spin_headers_set_(packet, packet->was.dst, to->addr, packet->was.ports >> 16 | (uint32_t)to->port << 16,
			  (uint16_t)(packet->is_ip4 ? SPIN_HOPS_ | SPIN_IP_UDP << 8 : SPIN_IP_UDP | SPIN_HOPS_ << 8));
	spin_fence_();
	packet->send = spin_command_id_(&packet->commands,
					spin_command_forward_((uint32_t)spin_leaves_from_(packet), packet->ip_bytes + udp_bytes));
	packet->sending = 1;
	return 0;
}

/* --- packets that the NIC makes --- */

/* The NIC reads *put when the command is issued. */
SPIN_INLINE int spin_put_payload_(struct spin_packet *packet, uint32_t off, uint32_t bytes, const struct spin_put *put)
{
	if (off > packet->bytes || bytes > packet->bytes - off || !spin_may_send_(packet, &put->target, bytes))
		return SPIN_SEGV;
	spin_fence_();
	packet->send =
		spin_command_id_(&packet->commands, spin_command_put_(spin_nic_address_(put), 0, (uint32_t)packet->payload + off, bytes));
	packet->sending = 1;
	return 0;
}

SPIN_INLINE int spin_put_from_device_(struct spin_packet *packet, const void *from, uint32_t bytes, const struct spin_put *put)
{
	if (!spin_may_send_(packet, &put->target, bytes))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_await_(
		spin_command_id_(&packet->commands, spin_command_put_(spin_nic_address_(put), 0, spin_nic_address_(from), bytes)));
	return 0;
}

SPIN_INLINE uint64_t spin_swap64_(uint64_t v)
{
	return __builtin_bswap64(v);
}

/* The NIC reads both structs when the command is issued or before it is done. */
SPIN_INLINE int spin_get_(struct spin_packet *packet, uint32_t bytes, const struct spin_get *get)
{
	struct spin_put put = { get->target, get->match_bits, get->hdr_data, get->remote_offset };
	struct spin_slmp_get ask = { spin_swap64_(get->reply_match_bits), spin_swap64_(get->reply_hdr_data),
				     spin_swap64_(get->reply_offset) };

	if (bytes == SPIN_LENGTH_UNKNOWN || !spin_may_send_(packet, &put.target, sizeof(ask)))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_await_(spin_command_id_(&packet->commands,
					     spin_command_get_(spin_nic_address_(&put), spin_nic_address_(&ask), sizeof(ask), bytes)));
	return 0;
}

SPIN_INLINE int spin_atomic_(struct spin_packet *packet, enum spin_atomic op, const void *from, uint32_t bytes, const struct spin_put *put)
{
	if (!bytes || op - 1u > 1 || bytes & (4 * (uint32_t)op - 1) || !spin_may_send_(packet, &put->target, bytes))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_await_(
		spin_command_id_(&packet->commands, spin_command_atomic_(spin_nic_address_(put), spin_nic_address_(from), bytes, op)));
	return 0;
}

/* The operands follow the fields for the answer. */
SPIN_INLINE int spin_fetch_atomic_(struct spin_packet *packet, enum spin_atomic op, const void *from, uint32_t bytes,
				   const struct spin_get *get)
{
	struct spin_put put = { get->target, get->match_bits, get->hdr_data, get->remote_offset };
	struct {
		struct spin_slmp_get reply;
		uint32_t operands[SPIN_ATOMIC_BYTES_MAX / 4];
	} ask = { .reply = { spin_swap64_(get->reply_match_bits), spin_swap64_(get->reply_hdr_data), spin_swap64_(get->reply_offset) } };

	if (!bytes || op - 1u > 1 || bytes & (4 * (uint32_t)op - 1) || !spin_may_send_(packet, &put.target, sizeof(ask.reply) + bytes))
		return SPIN_SEGV;
	__builtin_memcpy(ask.operands, from, bytes);
	spin_fence_();
	spin_command_await_(spin_command_id_(&packet->commands, spin_command_atomic_(spin_nic_address_(&put), spin_nic_address_(&ask),
										     sizeof(ask.reply) + bytes, op | SPIN_ATOMIC_FETCH)));
	return 0;
}

SPIN_INLINE int spin_put_from_host_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_put *put)
{
	if (!spin_in_space_(packet, SPIN_ME_MEM, at, bytes) || !spin_may_send_(packet, &put->target, 0))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_put_(spin_nic_address_(put), packet->host_high, packet->host_low + at, bytes);
	packet->commands++;
	return 0;
}

/* --- the same of struct spin_put_acked --- */

SPIN_INLINE _Bool spin_can_be_acked_(const struct spin_packet *packet, const struct spin_put_acked *put)
{
	return packet->has_place && !(put->options & ~(uint32_t)SPIN_PUT_OPTIONS);
}

SPIN_INLINE int spin_put_payload_acked_(struct spin_packet *packet, uint32_t off, uint32_t bytes, const struct spin_put_acked *put)
{
	if (!spin_can_be_acked_(packet, put) || off > packet->bytes || bytes > packet->bytes - off ||
	    !spin_may_send_(packet, &put->put.target, bytes))
		return SPIN_SEGV;
	spin_fence_();
	packet->send =
		spin_command_id_(&packet->commands, spin_command_acked_(spin_nic_address_(put), 0, (uint32_t)packet->payload + off, bytes));
	packet->sending = 1;
	return 0;
}

SPIN_INLINE int spin_put_from_device_acked_(struct spin_packet *packet, const void *from, uint32_t bytes, const struct spin_put_acked *put)
{
	if (!spin_can_be_acked_(packet, put) || !spin_may_send_(packet, &put->put.target, bytes))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_await_(
		spin_command_id_(&packet->commands, spin_command_acked_(spin_nic_address_(put), 0, spin_nic_address_(from), bytes)));
	return 0;
}

SPIN_INLINE int spin_put_from_host_acked_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_put_acked *put)
{
	if (!spin_can_be_acked_(packet, put) || !spin_in_space_(packet, SPIN_ME_MEM, at, bytes) ||
	    !spin_may_send_(packet, &put->put.target, 0))
		return SPIN_SEGV;
	spin_fence_();
	spin_command_acked_(spin_nic_address_(put), packet->host_high, packet->host_low + at, bytes);
	packet->commands++;
	return 0;
}

#endif
