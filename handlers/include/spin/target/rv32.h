/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_H
#define SPIN_TARGET_RV32_H

/*
 * A PsPIN HPU. The NIC hands the packet over from its IP header on (of messages: from
 * its Ethernet header on), at 0 mod 4, in L2 and (so much of it as was registered) in
 * L1. Everything here is inlined into the image's entry functions; what a handler does
 * not use costs nothing.
 */
#include <spin/wire.h>

#define SPIN_STATE_ATTR_ __attribute__((section(".spin_state"), aligned(8)))
#define SPIN_TABLE_ATTR_ __attribute__((section(".spin_tables"), aligned(64)))
#define SPIN_KEY_ATTR_

#define spin_index_(i) ((uint32_t)(i))

struct spin_packet {
	uint8_t  *ip_l1;      /* IP header in L1 */
	uint8_t  *ip_l2;      /* the same in L2 packet memory */
	uint8_t  *payload;    /* in L1 if the whole packet is there, else in L2 */
	uint32_t  bytes;      /* of it, for the handler */
	uint32_t  ip_bytes;   /* of the IP header */
	_Bool     is_ip4;     /* known when compiling: each IP version has entries of its own */
	_Bool     whole_in_l1; /* known when compiling */
	uint32_t  reply_bytes;
	/* of messages */
	void     *scratch;    /* the handlers' part of it */
	uint32_t  host_high, host_low; /* host memory: the message's place */
	uint32_t  host_bytes; /* from there to the end of the matching entry */
	_Bool     in_flight;  /* a transfer of packet bytes may still be under way: */
	uint32_t  command;    /* this one, and those before it */
};

/* Commands to the NIC, by the image: issue and return the id; wait until it is done. */
SPIN_INLINE uint32_t spin_command_to_host_(uint32_t high, uint32_t low, const void *from, uint32_t bytes);
SPIN_INLINE void spin_command_wait_(uint32_t id);

/* Before packet bytes change. */
SPIN_INLINE void spin_settle_(struct spin_packet *packet)
{
	if (packet->in_flight)
		spin_command_wait_(packet->command);
	packet->in_flight = 0;
}

SPIN_INLINE const void *spin_payload_at_(const struct spin_packet *packet, uint32_t length,
					 uint32_t off, uint32_t size)
{
	if (size > length || off > length - size)
		return 0;
	return packet->payload + off;
}

#define SPIN_FOR_EACH_(v, TYPE, it) \
	for (const TYPE *it = (const TYPE *)(v)->packet->payload, *it##_end_ = it + (v)->packet->bytes / sizeof(TYPE); \
	     it < it##_end_; it++)

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

/* Headers are always in L1; if the packet leaves from L2 they must change there, too. */
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

SPIN_INLINE _Bool spin_is_ip4_(const struct spin_packet *packet)
{
	return packet->is_ip4;
}

SPIN_INLINE spin_be32 spin_src_addr4_(const struct spin_packet *packet)
{
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip_l1)->src : 0;
}

SPIN_INLINE spin_be32 spin_dst_addr4_(const struct spin_packet *packet)
{
	return packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip_l1)->dst : 0;
}

SPIN_INLINE spin_be16 spin_src_port_(const struct spin_packet *packet)
{
	return spin_udp_(packet)->src_port;
}

SPIN_INLINE spin_be16 spin_dst_port_(const struct spin_packet *packet)
{
	return spin_udp_(packet)->dst_port;
}

SPIN_INLINE void spin_set_dst_port_(struct spin_packet *packet, spin_be16 port)
{
	spin_header_store16_(packet, packet->ip_bytes + offsetof(struct spin_udp, dst_port), port);
}

SPIN_INLINE enum spin_payload_rc spin_reply_(struct spin_packet *packet, uint32_t length, uint32_t bytes)
{
	if (bytes > length)
		return SPIN_SEGV;
	packet->reply_bytes = bytes;
	return SPIN_REPLIED;
}

#define SPIN_SCRATCHPAD_STORE_(TYPE)

SPIN_INLINE void *spin_scratch_(const struct spin_packet *packet)
{
	return packet->scratch;
}

SPIN_INLINE _Bool spin_in_place_(const struct spin_packet *packet, uint32_t to, uint32_t bytes)
{
	return to <= packet->host_bytes && bytes <= packet->host_bytes - to;
}

/*
 * One DMA command each. These calls block (sPIN B.6): what they read may change
 * afterwards. Of packet bytes that is so if the handler stores to them, so the wait is there;
 * without a store the driver's own wait at the end of the task is all that it takes. A context's host
 * memory does not cross a multiple of 4 GiB.
 */
SPIN_INLINE int spin_payload_to_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t to,
				      uint32_t off, uint32_t bytes)
{
	if (space != SPIN_ME_MEM || off > packet->bytes || bytes > packet->bytes - off ||
	    !spin_in_place_(packet, to, bytes))
		return SPIN_SEGV;
	if (!bytes)
		return 0;
	packet->command = spin_command_to_host_(packet->host_high, packet->host_low + to, packet->payload + off,
						bytes);
	packet->in_flight = 1;
	return 0;
}

SPIN_INLINE int spin_dma_to_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t to,
				  const void *from, uint32_t bytes)
{
	if (space != SPIN_ME_MEM || !spin_in_place_(packet, to, bytes))
		return SPIN_SEGV;
	if (bytes)
		spin_command_wait_(spin_command_to_host_(packet->host_high, packet->host_low + to, from, bytes));
	return 0;
}

/*
 * Compiler built-ins throughout, not asm with a memory clobber: gcc would keep
 * struct spin_packet on the stack, where it costs a load for each use.
 */
SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

SPIN_INLINE uint32_t spin_load32(const uint32_t *at)
{
	uint32_t v = *(const volatile uint32_t *)at;

	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* one in-order port: the hardware keeps the order */
	return v;
}

SPIN_INLINE void spin_store32(uint32_t *at, uint32_t value)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uint32_t *)at = value;
}

/* LR/SC exists in L2 only; state in L1 is guarded by an AMO lock kept outside it (PsPIN 3.3). */
extern uint32_t spin_l1_lock_;

SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	uint32_t have;

	if (__builtin_expect((int32_t)((uintptr_t)at << 5) < 0, 1)) /* L2: 0x1c......, bit 26 */
		return __atomic_compare_exchange_n(at, &expect, swap, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	while (__atomic_exchange_n(&spin_l1_lock_, 1, __ATOMIC_RELAXED))
		;
	have = spin_load32(at);
	if (have == expect)
		*(volatile uint32_t *)at = swap;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_exchange_n(&spin_l1_lock_, 0, __ATOMIC_RELAXED);
	return have == expect;
}

#endif
