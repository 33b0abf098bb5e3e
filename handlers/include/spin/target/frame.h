/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_FRAME_H
#define SPIN_TARGET_FRAME_H

/*
 * The packet as a frame in memory, for BPF at XDP and for the host build that mirrors it. Every access is checked in a form that the
 * verifier can follow: in a linear frame against the frame's end; in a copied frame, by offsets that the buffer bounds, against the
 * payload's length. Included by bpf.h, host.h and nfp.h of this directory.
 */
#include <spin/message.h>
#include <spin/target/view.h>

#define SPIN_FRAME_BYTES_MAX 16384u /* more than any linear XDP frame; bounds variable offsets */

struct spin_packet {
	struct spin_view view;
	void *ip;             /* struct spin_ip4 or struct spin_ip6 */
	struct spin_udp *udp; /* the whole header is in the frame; ICMP: the message, with 8 bytes in bounds */
	uint8_t *payload;
	uint32_t bytes; /* payload bytes for the handler */
	uint32_t is_ip4;
	_Bool is_icmp;          /* or ICMPv6: by the IP version */
	_Bool is_ether;         /* not IP: ip and udp point to the payload */
	_Bool is_stream;        /* a TCP stream, with headers built for it */
	_Bool is_tcp;           /* a TCP segment: `udp` points to TCP's header, of which 20 bytes are in the frame */
	uint64_t sum_change;    /* change of the checksum's sum by stores; folded by the runtime */
	uint32_t stored;        /* 1 after any store */
	uint32_t reply_bytes;   /* with SPIN_REPLY_MADE_: in SPIN_REPLY's buffer */
	uint32_t deliver_bytes; /* the same for spin_deliver(); SPIN_NO_REPLY: the payload's own length */
	uint32_t mpq;           /* of the message; stream or segment: the connection's number; datagram: SPIN_NO_CONNECTION */
	uint32_t hpu;           /* spin_my_hpu() */
	uint8_t *start;         /* the payload, with the user header */
	uint32_t start_bytes;
	uint32_t ip_at, ip_bytes; /* offset and length of the IP header in the frame */
	uint32_t puts;            /* puts already sent for this packet */
	void *ctx;                /* struct xdp_md * on BPF; NULL for a stream */
	struct spin_event *event; /* streams: buffer for a work item */
	uint32_t walks_count;     /* 1: SPIN_FOR_EACH takes steps */
	uint32_t steps;           /* left of the run's budget */
	uint32_t overrun;         /* 1: the budget was exceeded */
};

/*
 * The same pointer, but new to the verifier, which cannot know the value of `any & ~any`. What a test then tells it about the frame's size
 * applies to this pointer only, and paths that differ only in that become one.
 */
SPIN_INLINE const uint8_t *spin_verifier_forget_ptr_(const void *at, uint32_t any)
{
	return spin_barrier_pointer_((const uint8_t *)at + (any & spin_barrier_var_(~any) & 1));
}

SPIN_INLINE const void *spin_payload_at_(const struct spin_packet *packet, uint32_t length, uint32_t off, uint32_t size)
{
	const uint8_t *at;

	if (size > length || off > length - size)
		return 0;
	if (packet->view.access == SPIN_COPIED) {
		if (!__builtin_constant_p(off))
			off = spin_verifier_forget_(&packet->view, off);
		if (size == 1) /* otherwise the compiler turns the test into a mask that bounds another register than the one used */
			off = spin_barrier_var_(off) & (SPIN_COPY_BYTES - 1);
		else if (off > SPIN_COPY_BYTES - size)
			return 0;
		at = spin_barrier_pointer_(packet->payload + off);
		SPIN_NEVER_NULL_(at);
		return at;
	}
	if (!__builtin_constant_p(off)) {
		off = spin_barrier_var_(off);
		off &= SPIN_FRAME_BYTES_MAX - 1;
	}
	at = spin_barrier_pointer_(packet->payload + off);
	if (!spin_within_(at + size, packet->view.end))
		return 0;
	return at;
}

/*
 * A walk over the payload proceeds in chunks of 64 bytes, whose bounds are tested once; the pieces of the last chunk are tested singly.
 * Each chunk begins at an offset that the verifier does not know (length - left), so that what it learns about the frame's size applies
 * only there, and all ends of a walk are one state: a handler may have several walks.
 */
struct spin_walk_ {
	const uint8_t *chunk;
	uint32_t length; /* bytes of the walk */
	uint32_t left;   /* bytes left after this chunk */
	uint32_t chunks, pieces, piece;
	uint64_t round;  /* copied frames only */
	uint32_t first;  /* index of the chunk's first piece in the walk */
	uint32_t beside; /* array index that corresponds to the walk's first piece */
	_Bool whole;     /* all pieces of the chunk are in the frame */
	_Bool stopped;   /* the body did not reach its end: break */
};

/*
 * The same in a copied frame: no bounds tests, because the buffer is large enough. A chunk is one piece, and all chunks are one state for the
 * verifier: without CAP_PERFMON it also follows each test of a known number of pieces to the wrong side, where a pointer would go on beyond
 * the buffer, which Linux before 6.17 refuses.
 */
SPIN_INLINE _Bool spin_walk_copied_(const struct spin_packet *packet, uint32_t size, struct spin_walk_ *walk)
{
	uint32_t left = (uint32_t)spin_verifier_forget_(&packet->view, walk->left), off;

	if (left < size)
		return 0;
	off = spin_barrier_var_(walk->length - left);
	if (off > SPIN_COPY_BYTES - size || !spin_can_loop_(&walk->round, SPIN_COPIED_BYTES_MAX / size + 8))
		return 0;
	walk->chunk = spin_barrier_pointer_(packet->payload + off);
	walk->first = off / size;
	walk->whole = 1;
	walk->pieces = 1;
	walk->left = left - size;
	walk->piece = 0;
	return 1;
}

/*
 * 1: the verifier must know the number of a walk's chunks. spincc sets it if a handler takes locks or loops by steps: with these in the
 * body, merged iterations lead to more paths than there are iterations (act_lock, more than 1,000,000 steps on 6.18).
 */
static uint32_t spin_walks_count_;

/*
 * Bounds the walk for the verifier. With may_goto and an unknown length all iterations are one state; with a known number each is a
 * separate one. Without may_goto it follows them anyway.
 */
SPIN_INLINE _Bool spin_walk_goes_on_(uint32_t bytes, struct spin_walk_ *walk)
{
#ifndef SPIN_BOUNDED_LOOPS
	if (!spin_walks_count_) {
		walk->left = spin_verifier_forget32(walk->left);
		return spin_can_loop_(&walk->round, 0);
	}
#endif
	return walk->chunks++ * bytes <= SPIN_DIRECT_BYTES_; /* no division, which the verifier does not follow */
}

/* Advances to the next chunk. Returns 0 at the end of the walk. */
SPIN_INLINE _Bool spin_walk_chunk_(const struct spin_packet *packet, uint32_t size, struct spin_walk_ *walk)
{
	uint32_t bytes = 64 % size ? size : 64, off;

	if (walk->stopped)
		return 0;
	if (packet->view.access == SPIN_COPIED)
		return spin_walk_copied_(packet, size, walk);
	if (walk->left < size || !spin_walk_goes_on_(bytes, walk))
		return 0;
	off = (walk->length - walk->left) & spin_offset_mask_(&packet->view);
	walk->first = off / size;
	walk->chunk = spin_barrier_pointer_(packet->payload + off);
	walk->whole = walk->left >= bytes && spin_within_(walk->chunk + bytes, packet->view.end);
	walk->pieces = walk->left >= bytes ? bytes / size : walk->left / size; /* a known number, or one of a known range: one state */
	walk->left = walk->whole ? walk->left - bytes : 0;
	walk->piece = 0;
	return 1;
}

/* Returns 1 if the chunk has another piece. Not a NULL pointer: the verifier assumes that any pointer may be NULL. */
SPIN_INLINE _Bool spin_walk_piece_(const struct spin_packet *packet, uint32_t size, struct spin_walk_ *walk)
{
	uint32_t most = 64 % size || packet->view.access == SPIN_COPIED ? 1 : 64 / size; /* pieces in a chunk */

	if (walk->piece >= walk->pieces || walk->piece >= most)
		return 0;
	if (!walk->whole && !spin_within_(walk->chunk + (walk->piece + 1) * size, packet->view.end))
		return 0;
	walk->stopped = 1;
	return 1;
}

/* Returns the current piece. */
SPIN_INLINE const uint8_t *spin_walk_at_(const struct spin_packet *packet, uint32_t size, const struct spin_walk_ *walk)
{
	return packet->view.access == SPIN_COPIED ? walk->chunk : walk->chunk + walk->piece * size;
}

/* Returns how many bytes a walk of at most `most` pieces covers: all of them, unless fewer steps are left. */
SPIN_INLINE uint32_t spin_walk_bytes_(struct spin_packet *packet, uint32_t size, uint32_t most)
{
	uint32_t pieces = packet->bytes / size, bytes = packet->bytes;

	if (pieces > most) {
		pieces = most;
		bytes = most * size;
	}
	if (!packet->walks_count)
		return bytes;
	if (pieces > packet->steps) {
		pieces = packet->steps;
		packet->overrun = 1;
	}
	packet->steps -= pieces;
	return pieces * size;
}

/* Begins a walk in step with an array of `entries` entries, from index `beside` on; UINT32_MAX, 0 without an array. */
SPIN_INLINE struct spin_walk_ spin_walk_begin_(struct spin_packet *packet, uint32_t size, uint32_t entries, uint32_t beside)
{
	uint32_t most = beside < entries ? entries - beside : 0;
	struct spin_walk_ walk = { .length = spin_walk_bytes_(packet, size, most), .beside = beside };

	walk.left = spin_barrier_var_(walk.length);
	return walk;
}

#define SPIN_LIKELY_(x) (x)
#define SPIN_ROUNDS_(n)

#define SPIN_INDEX_(v, it) (it##_walk_.first + it##_walk_.piece)

#define SPIN_FOR_EACH_(v, TYPE, it)                                                                                 \
	for (struct spin_walk_ it##_walk_ = spin_walk_begin_((v)->packet, sizeof(TYPE), UINT32_MAX, 0);             \
	     spin_walk_chunk_((v)->packet, sizeof(TYPE), &it##_walk_);)                                             \
		for (const TYPE *it; spin_walk_piece_((v)->packet, sizeof(TYPE), &it##_walk_) &&                    \
				     (it = (const TYPE *)spin_walk_at_((v)->packet, sizeof(TYPE), &it##_walk_), 1); \
		     it##_walk_.stopped = 0, it##_walk_.piece++)

/* The mask has no effect, because the walk ends with the array: it proves the bound to the verifier. */
#define SPIN_FOR_EACH_WITH_(v, TYPE, it, array, entries, first_, entry)                                                            \
	for (__typeof__(&(array)[0]) entry##_base_ = SPIN_OPAQUE_(&(array)[0]), entry = entry##_base_; entry; entry = 0)           \
		for (struct spin_walk_ it##_walk_ = spin_walk_begin_((v)->packet, sizeof(TYPE), entries, (first_));                \
		     spin_walk_chunk_((v)->packet, sizeof(TYPE), &it##_walk_);)                                                    \
			for (const TYPE *it; spin_walk_piece_((v)->packet, sizeof(TYPE), &it##_walk_) &&                           \
					     (it = (const TYPE *)spin_walk_at_((v)->packet, sizeof(TYPE), &it##_walk_),            \
					     entry = &entry##_base_[(it##_walk_.beside + SPIN_INDEX_(v, it)) & ((entries)-1)], 1); \
			     it##_walk_.stopped = 0, it##_walk_.piece++)

/* Records the change of the checksum's sum by a store. */
SPIN_INLINE void spin_changed_(struct spin_packet *packet, uint32_t was, uint32_t is, uint32_t ones)
{
	packet->sum_change += was ^ ones;
	packet->sum_change += is;
	if (packet->view.access == SPIN_COPIED) /* one state for the verifier after any number of stores */
		packet->sum_change = spin_verifier_forget_(&packet->view, packet->sum_change);
	packet->stored = 1;
}

/* Streams only: in a packet's checksum a byte counts by its position. */
SPIN_INLINE void spin_store8_(struct spin_packet *packet, const void *at, uint8_t value)
{
	if (!packet->is_stream)
		return;
	*(uint8_t *)at = value;
	packet->stored = 1;
}

SPIN_INLINE void spin_store16_(struct spin_packet *packet, const void *at, uint16_t value)
{
	uint16_t *to = (uint16_t *)at;

	spin_changed_(packet, *to, value, 0xffff);
	*to = value;
}

SPIN_INLINE void spin_store32_(struct spin_packet *packet, const void *at, uint32_t value)
{
	uint32_t *to = (uint32_t *)at;

	spin_changed_(packet, *to, value, 0xffffffff);
	*to = value;
}

SPIN_INLINE _Bool spin_is_ip4_(const struct spin_packet *packet)
{
	return packet->is_ip4;
}

SPIN_INLINE uint32_t spin_protocol_(const struct spin_packet *packet)
{
	if (packet->is_ether)
		return 0;
	if (packet->is_stream || packet->is_tcp)
		return SPIN_IP_TCP;
	return !packet->is_icmp ? SPIN_IP_UDP : packet->is_ip4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6;
}

/* Returns a value that may be used as an index: the verifier must not know that it is 0 on one path. */
SPIN_INLINE uint32_t spin_field_(const struct spin_packet *packet, uint32_t v)
{
	return packet->view.access == SPIN_COPIED ? (uint32_t)spin_verifier_forget_(&packet->view, v) : v;
}

SPIN_INLINE spin_be32 spin_src_addr4_(const struct spin_packet *packet)
{
	return spin_field_(packet, packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip)->src : 0);
}

SPIN_INLINE spin_be32 spin_dst_addr4_(const struct spin_packet *packet)
{
	return spin_field_(packet, packet->is_ip4 ? ((const struct spin_ip4 *)packet->ip)->dst : 0);
}

/*
 * The first 20 bytes of an IP header of either version are in the frame. Both fields are read before one is chosen: otherwise the compiler
 * chooses the offset, which does not load in the isolated class (tests/handlers/datagrams/clocks.c; Linux 6.18: "tried to add from
 * different maps, paths or scalars").
 */
SPIN_INLINE uint32_t spin_ttl_(const struct spin_packet *packet)
{
	uint32_t ttl, hops;

	if (packet->is_ether)
		return 0;
	ttl = spin_barrier_var_(((const struct spin_ip4 *)packet->ip)->ttl);
	hops = spin_barrier_var_(((const struct spin_ip6 *)packet->ip)->hop_limit);
	return spin_field_(packet, packet->is_ip4 ? ttl : hops);
}

SPIN_INLINE uint32_t spin_dscp_(const struct spin_packet *packet)
{
	uint32_t first, second;

	if (packet->is_ether)
		return 0;
	first = spin_barrier_var_(((const uint8_t *)packet->ip)[0]);
	second = spin_barrier_var_(((const uint8_t *)packet->ip)[1]);
	return spin_field_(packet, packet->is_ip4 ? second >> 2 : (first & 15) << 2 | second >> 6);
}

SPIN_INLINE uint32_t spin_tag_(const struct spin_packet *packet)
{
	const struct spin_eth *eth = (const struct spin_eth *)packet->view.data;
	const struct spin_vlan *vlan = (const struct spin_vlan *)(eth + 1);

	if (!spin_inside_(&packet->view, vlan + 1))
		return 0;
	if (eth->type != spin_hton16(SPIN_ETH_VLAN) && eth->type != spin_hton16(SPIN_ETH_QINQ))
		return 0;
	return spin_field_(packet, SPIN_TAGGED_ | spin_ntoh16(vlan->tag));
}

SPIN_INLINE uint32_t spin_connection_(const struct spin_packet *packet)
{
	return packet->is_stream || packet->is_tcp ? packet->mpq : SPIN_NO_CONNECTION;
}

SPIN_INLINE uint32_t spin_tcp_flags_(const struct spin_packet *packet)
{
	return packet->is_tcp ? spin_field_(packet, ((const struct spin_tcp *)packet->udp)->flags) : 0;
}

SPIN_INLINE spin_be16 spin_src_port_(const struct spin_packet *packet)
{
	return packet->is_icmp || packet->is_ether ? 0 : packet->udp->src_port;
}

SPIN_INLINE spin_be16 spin_dst_port_(const struct spin_packet *packet)
{
	return packet->is_icmp || packet->is_ether ? 0 : packet->udp->dst_port;
}

SPIN_INLINE void spin_set_dst_port_(struct spin_packet *packet, spin_be16 port)
{
	if (!packet->is_icmp && !packet->is_ether && !packet->is_tcp)
		spin_store16_(packet, &packet->udp->dst_port, port);
}

/* Static, so that it is only in objects that use it. The size and the function that the runtime uses depend on TYPE. */
#define SPIN_SCRATCHPAD_STORE_(TYPE)                                     \
	static TYPE spin_scratchpads_[SPIN_MPQS_MAX] SPIN_SCRATCH_ATTR_; \
	SPIN_INLINE void *spin_scratchpad_(uint32_t mpq)                 \
	{                                                                \
		return &spin_scratchpads_[mpq & (SPIN_MPQS_MAX - 1)];    \
	}                                                                \
	static const uint32_t spin_scratch_size_ = sizeof(TYPE);         \
	static void *(*const spin_scratch_at_)(uint32_t) = spin_scratchpad_

SPIN_INLINE void *spin_scratch_(const struct spin_packet *packet)
{
	return spin_scratch_at_(packet->mpq);
}

SPIN_INLINE uint32_t spin_my_hpu_(const struct spin_packet *packet)
{
	return packet->hpu;
}

/* Fills in an address of either IP version, given the offsets of both. */
SPIN_INLINE void spin_address_(const struct spin_packet *packet, struct spin_process *process, uint32_t off4, uint32_t off6)
{
	const struct spin_ip6 *ip6;
	const uint8_t *at;

	for (uint32_t i = 0; i < 4; i++)
		process->addr[i] = 0;
	process->ip_version = packet->is_ether ? 0 : packet->is_ip4 ? 4 : 6;
	if (packet->is_ether)
		return;
	if (packet->is_ip4) {
		process->addr[0] = *(const spin_be32 *)spin_barrier_pointer_((const uint8_t *)packet->ip + off4);
		return;
	}
	ip6 = packet->view.access == SPIN_COPIED ? packet->ip : (const void *)spin_verifier_forget_ptr_(packet->ip, packet->is_ip4);
	if (!spin_inside_(&packet->view, ip6 + 1))
		return;
	at = spin_barrier_pointer_((const uint8_t *)ip6 + off6); /* keeps two additions, for the isolated class */
	for (uint32_t i = 0; i < 4; i++)
		process->addr[i] = ((const spin_be32 *)at)[i];
}

SPIN_INLINE struct spin_process spin_source_(const struct spin_packet *packet)
{
	struct spin_process process;

	spin_address_(packet, &process, offsetof(struct spin_ip4, src), offsetof(struct spin_ip6, src));
	process.port = spin_src_port_(packet);
	return process;
}

SPIN_INLINE struct spin_process spin_target_(const struct spin_packet *packet)
{
	struct spin_process process;

	spin_address_(packet, &process, offsetof(struct spin_ip4, dst), offsetof(struct spin_ip6, dst));
	process.port = spin_dst_port_(packet);
	return process;
}

#include <spin/target/cluster.h>
#include <spin/target/copy.h>
#include <spin/target/buffer.h>

/* A transfer is complete when it was issued. */
SPIN_INLINE _Bool spin_dma_test_(const struct spin_packet *packet, const struct spin_dma *dma)
{
	(void)packet;
	(void)dma;
	return 1;
}

SPIN_INLINE void spin_dma_wait_(const struct spin_packet *packet, const struct spin_dma *dma)
{
	(void)packet;
	(void)dma;
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
	if (bytes > length || packet->is_icmp || packet->is_ether || packet->is_stream || packet->is_tcp)
		return SPIN_SEGV;
	packet->deliver_bytes = bytes == length ? SPIN_NO_REPLY : bytes; /* its own length */
	return SPIN_SUCCESS;
}

#define SPIN_REPLY_BUFFER_(bytes)                                       \
	SPIN_BUFFER(uint32_t, reply, (bytes) / 4);                      \
	SPIN_INLINE uint32_t *spin_reply_buffer_(uint32_t hpu)          \
	{                                                               \
		return spin_buffer_reply.of[hpu & (SPIN_HPUS_MAX - 1)]; \
	}                                                               \
	static uint32_t *(*const spin_reply_at_)(uint32_t) = spin_reply_buffer_
#define SPIN_REPLY_OF_(packet) (spin_buffer_reply.of[(packet)->hpu & (SPIN_HPUS_MAX - 1)])

SPIN_INLINE enum spin_payload_rc spin_reply_from_buffer_(struct spin_packet *packet, uint32_t bytes)
{
	if (bytes > spin_reply_size_ || packet->is_icmp || packet->is_ether || packet->is_stream || packet->is_tcp)
		return SPIN_SEGV;
	packet->reply_bytes = bytes | SPIN_REPLY_MADE_;
	return SPIN_REPLIED;
}

SPIN_INLINE enum spin_payload_rc spin_deliver_from_buffer_(struct spin_packet *packet, uint32_t bytes)
{
	if (bytes > spin_reply_size_ || packet->is_icmp || packet->is_ether || packet->is_stream || packet->is_tcp)
		return SPIN_SEGV;
	packet->deliver_bytes = bytes | SPIN_REPLY_MADE_;
	return SPIN_SUCCESS;
}

#ifdef SPIN_RUNTIME /* unit tests compile handlers without the runtime */
#include <spin/target/runtime.h>
#endif

#endif
