/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_H
#define SPIN_TARGET_RV32_H

/*
 * The handler API on a PsPIN HPU (a RISC-V core of the NIC), selected by <spin/spin.h> when spincc compiles handlers for rv32. The NIC
 * places the packet at a multiple of 4 in L2 and, as much as registered, in L1: from its IP header on; for messages from the Ethernet
 * header on; for other frames from the byte after the type. Everything here is inlined into the image's entry functions; code that a
 * handler does not use costs nothing.
 */
#include <spin/target/rv32_entry.h>
#include <spin/wire.h>

#define SPIN_STATE_ATTR_ __attribute__((section(".spin_state"), aligned(8)))
#define SPIN_TABLE_ATTR_ __attribute__((section(".spin_tables"), aligned(64)))
/* Every cluster has the whole table at one address of its own L1, and its HPUs use their own entries; the others stay 0. */
#define SPIN_PER_HPU_ATTR_ __attribute__((section(".spin_hpus"), aligned(64)))
#define SPIN_KEY_ATTR_
#define SPIN_PUTS_OF_TARGET_

#define spin_index_(i)          ((uint32_t)(i))
#define spin_index_below_(i, n) ((uint32_t)(i))
#define SPIN_LIKELY_(x)         __builtin_expect((x), 1) /* a taken jump costs three cycles, or an instruction cache miss */

/* The headers that a forward rewrites, before the rewrite. */
struct spin_saved_ {
	spin_be32 src[4], dst[4];
	uint32_t ports;
	uint16_t hops;
};

/* An atomic operation on host memory in flight (rv32_atomic_nb.h). */
struct spin_pending_ {
	_Bool is_used; /* the handler has started one; known at compile time if it has none */
	_Bool is_active, is_cas;
	uint32_t number;           /* operations that the handler has started */
	uint32_t high, low, bytes; /* address and size of the word */
	uint32_t command;          /* of the read */
	uint32_t lock;             /* the lock's value before the read */
	uint64_t operand, compare;
	void *result;
};

struct spin_packet {
	uint8_t *ip_l1;        /* IP header in L1 */
	uint8_t *ip_l2;        /* the same in L2 packet memory */
	uint8_t *payload;      /* in L1 if the whole packet is there, else in L2 */
	uint32_t bytes;        /* payload bytes for the handler */
	uint32_t ip_bytes;     /* of the IP header */
	uint32_t header_bytes; /* from the UDP or TCP header to the payload; 0 for ICMP, whose message is the payload */
	_Bool is_ip4;          /* known at compile time except in completion handlers: each IP version has its own entry functions */
	_Bool is_icmp;         /* likewise; ICMP or ICMPv6 by the IP version */
	_Bool is_ether;        /* known at compile time: not IP, ip_l1 and ip_l2 point to the payload */
	_Bool whole_in_l1;     /* known at compile time */
	uint32_t reply_bytes;
	uint32_t deliver_made; /* bytes of SPIN_REPLY's buffer that spin_deliver_from_buffer() delivers; SPIN_NO_REPLY: it does not */
	uint32_t deliver_cut;  /* bytes at the payload's end that spin_deliver() leaves out; the headers say so already */
	uint32_t hpu;
	_Bool has_place;              /* messages; known at compile time. If 0, the next three are 0 */
	uint32_t host_high, host_low; /* host address of the message's range */
	uint32_t host_bytes;          /* from there to the end of the matching entry */
	void *scratch;                /* the handlers' part of the scratchpad */
	/* the handlers' own host memory; the start is valid only for one segment */
	uint32_t handler_high, handler_low, handler_bytes, handler_segments;
	struct spin_entry_block *entry;
	uint32_t commands; /* issued by this task */
	_Bool in_flight;   /* a transfer of packet bytes may still be in flight: */
	uint32_t command;  /* this command, and those before it */
	_Bool sending;     /* the same for a send */
	uint32_t send;
	_Bool forwarded; /* the headers were rewritten; the originals are: */
	struct spin_saved_ was;
	uint32_t sent;      /* puts sent for this packet, of SPIN_PUTS */
	uint32_t steps;     /* left of the budget */
	_Bool counts_walks; /* known at compile time */
	_Bool overran;
	struct spin_pending_ atomic;
};

#include <spin/target/rv32_command.h>

SPIN_INLINE void spin_unforward_(struct spin_packet *packet);

/*
 * Does the context take segments? Known at compile time: the image defines it after the registration. Not a field of the packet: another
 * field would change the code of all handlers.
 */
SPIN_INLINE _Bool spin_is_segment_(void);

/* Waits until the last packet that was sent from packet memory has been read. */
SPIN_INLINE void spin_wait_sent_(struct spin_packet *packet)
{
	if (packet->sending)
		spin_command_await_(packet->send);
	packet->sending = 0;
}

/* Called before packet bytes change: waits for commands in flight that read them. */
SPIN_INLINE void spin_settle_(struct spin_packet *packet)
{
	if (packet->in_flight)
		spin_command_await_(packet->command);
	packet->in_flight = 0;
	spin_wait_sent_(packet);
}

SPIN_INLINE uint32_t spin_pieces_(struct spin_packet *packet, uint32_t pieces);

SPIN_INLINE uint32_t spin_least_(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

SPIN_INLINE const void *spin_payload_at_(const struct spin_packet *packet, uint32_t length, uint32_t off, uint32_t size)
{
	if (size > length || off > length - size)
		return 0;
	return packet->payload + off;
}

#define SPIN_INDEX_(v, it) ((uint32_t)((it) - (__typeof__(it))(v)->packet->payload))

#define SPIN_PRAGMA_(text) _Pragma(#text)
#define SPIN_ROUNDS_(n)    SPIN_PRAGMA_(GCC unroll n)

#define SPIN_FOR_EACH_(v, TYPE, it)                                                                     \
	for (const TYPE *it = (const TYPE *)(v)->packet->payload,                                       \
			*it##_end_ = it + spin_pieces_((v)->packet, (v)->packet->bytes / sizeof(TYPE)); \
	     it < it##_end_; it++)

#define SPIN_FOR_EACH_WITH_(v, TYPE, it, array, entries, first, entry)                                                      \
	for (__typeof__(&(array)[0]) entry##_base_ = (array), entry = entry##_base_ + spin_least_((first), entries),        \
				     entry##_end_ = entry##_base_ + (entries);                                              \
	     entry; entry = 0)                                                                                              \
		for (const TYPE *it = (const TYPE *)(v)->packet->payload,                                                   \
				*it##_end_ = it + spin_pieces_((v)->packet, spin_least_((v)->packet->bytes / sizeof(TYPE),  \
											(uint32_t)(entry##_end_ - entry))); \
		     it < it##_end_; it++, entry++)

SPIN_INLINE void spin_store16_(struct spin_packet *packet, const void *at, uint16_t value)
{
	spin_settle_(packet);
	*(uint16_t *)at = value;
}

SPIN_INLINE void spin_store32_(struct spin_packet *packet, const void *at, uint32_t value)
{
	spin_settle_(packet);
	*(uint32_t *)at = value;
}

/* Headers are always in L1. If the packet leaves from L2, they must also change there. */
SPIN_INLINE void spin_header_store16_(struct spin_packet *packet, uint32_t off, uint16_t value)
{
	*(uint16_t *)(packet->ip_l1 + off) = value;
	if (!packet->whole_in_l1)
		*(uint16_t *)(packet->ip_l2 + off) = value;
}

SPIN_INLINE void spin_header_store32_(struct spin_packet *packet, uint32_t off, uint32_t value)
{
	*(uint32_t *)(packet->ip_l1 + off) = value;
	if (!packet->whole_in_l1)
		*(uint32_t *)(packet->ip_l2 + off) = value;
}

SPIN_INLINE struct spin_udp *spin_udp_(const struct spin_packet *packet)
{
	return (struct spin_udp *)(packet->ip_l1 + packet->ip_bytes);
}

/*
 * Must be called before headers in L1 are read: restores them if a forward has rewritten them there, as it does if the packet leaves from
 * L1.
 */
SPIN_INLINE void spin_look_(struct spin_packet *packet)
{
	if (packet->whole_in_l1)
		spin_unforward_(packet);
}

SPIN_INLINE _Bool spin_is_ip4_(const struct spin_packet *packet)
{
	return packet->is_ip4;
}

SPIN_INLINE uint32_t spin_protocol_(const struct spin_packet *packet)
{
	if (packet->is_ether)
		return 0;
	if (spin_is_segment_())
		return SPIN_IP_TCP;
	return !packet->is_icmp ? SPIN_IP_UDP : packet->is_ip4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6;
}

/* spin_set8() is for streams only, and the model has none. */
SPIN_INLINE void spin_store8_(const struct spin_packet *packet, const void *at, uint8_t value)
{
	(void)packet;
	(void)at;
	(void)value;
}

SPIN_INLINE uint32_t spin_connection_(const struct spin_packet *packet)
{
	return spin_is_segment_() ? spin_command_connection_() : SPIN_NO_CONNECTION;
}

SPIN_INLINE uint32_t spin_tcp_flags_(const struct spin_packet *packet)
{
	return spin_is_segment_() ? ((const struct spin_tcp *)spin_udp_(packet))->flags : 0;
}

SPIN_INLINE spin_be32 spin_src_addr4_(struct spin_packet *packet)
{
	spin_look_(packet);
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip_l1)->src : 0;
}

SPIN_INLINE spin_be32 spin_dst_addr4_(struct spin_packet *packet)
{
	spin_look_(packet);
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip_l1)->dst : 0;
}

SPIN_INLINE uint32_t spin_ttl_(struct spin_packet *packet)
{
	if (packet->is_ether)
		return 0;
	spin_look_(packet);
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip_l1)->ttl : ((const struct spin_ip6 *)packet->ip_l1)->hop_limit;
}

SPIN_INLINE uint32_t spin_dscp_(struct spin_packet *packet)
{
	if (packet->is_ether)
		return 0;
	spin_look_(packet);
	return packet->is_ip4 ? packet->ip_l1[1] >> 2 : (packet->ip_l1[0] & 15u) << 2 | packet->ip_l1[1] >> 6;
}

SPIN_INLINE spin_be16 spin_src_port_(struct spin_packet *packet)
{
	spin_look_(packet);
	return packet->is_icmp || packet->is_ether ? 0 : spin_udp_(packet)->src_port;
}

SPIN_INLINE spin_be16 spin_dst_port_(struct spin_packet *packet)
{
	spin_look_(packet);
	return packet->is_icmp || packet->is_ether ? 0 : spin_udp_(packet)->dst_port;
}

SPIN_INLINE void spin_set_dst_port_(struct spin_packet *packet, spin_be16 port)
{
	if (spin_is_segment_() || packet->is_icmp || packet->is_ether)
		return;
	spin_unforward_(packet);
	spin_wait_sent_(packet);
	spin_header_store16_(packet, packet->ip_bytes + offsetof(struct spin_udp, dst_port), port);
}

/* Stores the length after the IP header in the headers of IP and UDP. */
SPIN_INLINE void spin_set_length_(struct spin_packet *packet, uint32_t bytes)
{
	if (packet->is_ip4)
		spin_header_store16_(packet, offsetof(struct spin_ip4, total_length), spin_hton16(packet->ip_bytes + bytes));
	else
		spin_header_store16_(packet, offsetof(struct spin_ip6, payload_length), spin_hton16(bytes));
	if (!packet->is_icmp)
		spin_header_store16_(packet, packet->ip_bytes + offsetof(struct spin_udp, length), spin_hton16(bytes));
}

SPIN_INLINE enum spin_payload_rc spin_reply_(struct spin_packet *packet, uint32_t length, uint32_t bytes)
{
	if (bytes > length || (packet->is_icmp && bytes < sizeof(struct spin_icmp)))
		return SPIN_SEGV;
	packet->reply_bytes = bytes;
	return SPIN_REPLIED;
}

SPIN_INLINE enum spin_payload_rc spin_deliver_(struct spin_packet *packet, uint32_t length, uint32_t bytes)
{
	const uint8_t *ip = packet->whole_in_l1 ? packet->ip_l1 : packet->ip_l2;

	if (bytes > length || packet->is_icmp || packet->is_ether)
		return SPIN_SEGV;
	spin_unforward_(packet);
	spin_wait_sent_(packet);
	packet->deliver_made = SPIN_NO_REPLY;
	packet->deliver_cut = length - bytes;
	spin_set_length_(packet, (uint32_t)(packet->payload - ip) - packet->ip_bytes + bytes); /* a user header stays in front */
	return SPIN_SUCCESS;
}

#define SPIN_SCRATCHPAD_STORE_(TYPE)

SPIN_INLINE void *spin_scratch_(const struct spin_packet *packet)
{
	return packet->scratch;
}

#include <spin/target/rv32_action.h>
#include <spin/target/rv32_atomic.h>
#include <spin/target/rv32_atomic_nb.h>
#include <spin/target/rv32_lock.h>
#include <spin/target/rv32_copy.h>
#include <spin/target/rv32_cluster.h>
#include <spin/target/rv32_put.h>
#include <spin/target/rv32_buffer.h>
#include <spin/target/rv32_work.h>
#include <spin/target/rv32_clock.h>

#endif
