/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_PUT_H
#define SPIN_PUT_H

/*
 * Packets that handlers send (sPIN B.6, "put"), and the bound of how many.
 *
 * SPIN_PUTS(n), before the first handler: what one arriving packet makes its handlers send is at most n
 * packets or operations, n up to SPIN_PUTS_MAX; a call beyond that is SPIN_SEGV. Without it the
 * calls below do not exist. Packets that were parked have their own n each.
 *
 *	SPIN_PUTS(2);
 *
 *	spin_forward(p, &next);
 *	spin_put_from_device(c, &state->sum, sizeof(state->sum), &(struct spin_put){ .target = root, .match_bits = 7 });
 *
 * Packets leave in the order of the calls, each as it stood at its call, and before what becomes of the
 * packet that arrived: reply, acknowledgement. Live, those of a packet of which one cannot leave at once (its target's
 * Ethernet address is not known yet, it is longer than the interface takes, or it comes from host memory) leave a
 * little later, in their order, behind the reply. They leave by the interface that this one came in by. Nobody
 * sends them again when they are lost.
 *
 * A packet that is made here (not forwarded): IPv4 without options (0x45, TOS 0, identification 0, DF set, TTL 64) or
 * IPv6 (traffic class and flow label 0, hop limit 64), UDP with checksum, from this packet's destination
 * address and port to the target; its Ethernet header is this packet's with the addresses swapped, VLAN tags
 * stay; live the destination's address is the one that the host's routes say.
 *   of a context of messages: a message of one packet: SLMP flags SYN, EOM and PUT, the next message_id of
 *     this context (spin_config.put_id, then one more each), offset 0, struct spin_slmp_put with op put and length,
 *     match_bits, hdr_data and remote_offset as given, then the bytes
 *   of a context of datagrams: the bytes alone; the target is told nothing else
 *
 * Of a context of messages with SPIN_PUTS a packet whose SLMP flags are ACK alone is a target's acknowledgement:
 * ACKNOWLEDGED, it ends here and is counted, after test 5 and before step 6 of <spin/message.h>.
 */
#include <spin/bytes.h>
#include <spin/slmp.h>

#define SPIN_PUTS_MAX      16u
#define SPIN_PUT_BYTES_MAX 2048u /* of payload, of a packet that is sent; NI limit max_payload_size of puts */

/* What a message asks for (sPIN B.3, `type`); the numbers are those of the wire. */
enum spin_type {
	SPIN_TYPE_PUT = 1,
	SPIN_TYPE_GET = 2,
	SPIN_TYPE_ATOMIC = 3,
};

/* A process: an address and a UDP port (Portals' nid and pid). */
struct spin_process {
	spin_be32 addr[4];   /* IPv4 in word 0, the others 0 */
	spin_be16 port;      /* 0 of ICMP */
	uint16_t ip_version; /* 4 or 6; 0 of a packet that is not IP, and then all is 0 */
};

/* Who sent the packet, and to whom (this context, as the sender names it). */
#define spin_source(v) spin_source_((v)->packet)
#define spin_target(v) spin_target_((v)->packet)

/* The target must have the IP version of the packet at hand, else SPIN_SEGV. */
struct spin_put {
	struct spin_process target;
	uint64_t match_bits, hdr_data;
	uint64_t remote_offset; /* in the target's matching entry */
};

/*
 * This packet as it stands, on to `to` (struct spin_process *): its source becomes this context, its TTL 64; IP options,
 * SLMP flags, message_id and offset stay, so that a message forwarded packet by packet is one
 * at the next hop, too; struct spin_slmp_put and its flag are taken out. Payload handlers.
 * SPIN_SEGV for a payload longer than SPIN_PUT_BYTES_MAX, here and below.
 */
#define spin_forward(p, ...) spin_forward_(SPIN_PAYLOAD_(p)->packet, (__VA_ARGS__))

/*
 * A put that this side is to hear of (sPIN B.6: ct, ack_req, user_ptr), in place of struct spin_put in the calls below: the host's
 * library sends it, some time later, as a message of its own from another port, again and again until the target has acknowledged
 * it or it gives up. Contexts of messages. Options that do not exist: SPIN_SEGV.
 * A put that finds no room in the queue to the host's library is lost: it has no event and no count in the entry's counter,
 * acknowledged or not, and is counted as lost_queue (spin_ctx__put_stats()).
 *
 *	spin_put_from_device(c, &state->sum, 8, &(struct spin_put_acked){ .put = { .target = root }, .options = SPIN_PUT_ACK_REQ,
 *									  .user_ptr = state->round });
 */
enum {
	SPIN_PUT_ACK_REQ = 1, /* the host has SPIN_EVENT_PUT_ACKED with user_ptr; when it is given up SPIN_EVENT_PUT_FAILED in any case */
	SPIN_PUT_CT = 2,      /* then the counter of the entry of the message at hand has one more success, or one more failure */
	SPIN_PUT_OPTIONS = 3, /* all that there are */
};

struct spin_put_acked {
	struct spin_put put;
	uint64_t user_ptr;
	uint32_t options; /* SPIN_PUT_*; 0: sent again and again, and no event */
	uint32_t unused;
};

/* The call of that kind of put. */
#define SPIN_PUT_CALL_(call, put) \
	_Generic((put), struct spin_put_acked * : call##acked_, const struct spin_put_acked * : call##acked_, default : call)

/* Bytes [off, off + bytes) of the packet's payload. Payload handlers. */
#define spin_put_payload(p, off, bytes_, ...) \
	SPIN_PUT_CALL_(spin_put_payload_, (__VA_ARGS__))(SPIN_PAYLOAD_(p)->packet, (off), (bytes_), (__VA_ARGS__))

/* HPU memory; `bytes` a constant and a multiple of 4. It may change when the call returns. */
#define spin_put_from_device(v, from, bytes_, ...)                                                                  \
	({                                                                                                          \
		SPIN_WORDS_("spin_put_from_device", bytes_);                                                        \
		SPIN_PUT_CALL_(spin_put_from_device_, (__VA_ARGS__))((v)->packet, (from), (bytes_), (__VA_ARGS__)); \
	})

/*
 * Host memory: the host's library sends [at, at + bytes) of the matching entry's memory (SPIN_ME_MEM) as if
 * the host had asked for it: a message of as many packets as it takes, reliably, some time later, with what the
 * memory holds then. Only queued here. `bytes` up to the end of the memory, else SPIN_SEGV. Contexts of messages.
 */
#define spin_put_from_host(v, at, bytes_, ...) \
	SPIN_PUT_CALL_(spin_put_from_host_, (__VA_ARGS__))((v)->packet, (at), (bytes_), (__VA_ARGS__))

/*
 * Asks the target for [remote_offset, remote_offset + bytes) of the memory of its entry that match_bits find, or as much as
 * that has: a message of one packet, with op get (<spin/slmp.h>). The answer is a put of the target to this context, a message
 * with the three values of the reply, and what the entry's memory holds then. Nobody asks again if either is lost. The target must
 * take gets, and its entry let itself be read (SPIN_ME_OP_GET). Contexts of messages.
 */
struct spin_get {
	struct spin_process target;
	uint64_t match_bits, hdr_data, remote_offset;
	uint64_t reply_match_bits, reply_hdr_data;
	uint64_t reply_offset; /* in this context's matching entry */
};
#define spin_get(v, bytes_, ...) spin_get_((v)->packet, (bytes_), (__VA_ARGS__))

/*
 * Adds up to SPIN_ATOMIC_BYTES_MAX bytes of operands from HPU memory, a constant and whole ones, to the values of the target's
 * entry, from remote_offset on, each atomically: op is an enum spin_atomic. A message of one packet, with op atomic; it tells
 * nothing back. Contexts of messages.
 */
#define spin_atomic(v, op, from, bytes_, ...)                                                       \
	({                                                                                          \
		SPIN_WORDS_("spin_atomic", bytes_);                                                 \
		_Static_assert((bytes_) <= SPIN_ATOMIC_BYTES_MAX, "spin_atomic: at most 64 bytes"); \
		spin_atomic_((v)->packet, (op), (from), (bytes_), (__VA_ARGS__));                   \
	})

/*
 * The same, and the target answers with the values as they were before, as many bytes: a put of its to this context, with
 * the reply's three values of a struct spin_get. Its NIC sends the answer, once: nobody asks again if either is lost. The target must take
 * fetching atomics, and its entry let itself be read (SPIN_ME_OP_GET); else nothing is added.
 */
#define spin_fetch_atomic(v, op, from, bytes_, ...)                                                       \
	({                                                                                                \
		SPIN_WORDS_("spin_fetch_atomic", bytes_);                                                 \
		_Static_assert((bytes_) <= SPIN_ATOMIC_BYTES_MAX, "spin_fetch_atomic: at most 64 bytes"); \
		spin_fetch_atomic_((v)->packet, (op), (from), (bytes_), (__VA_ARGS__));                   \
	})

#define SPIN_PUTS(n)                                                                                  \
	_Static_assert((n) >= 1 && (n) <= 16, "SPIN_PUTS: from 1 to 16");                             \
	const uint32_t spin_puts_registered_ __attribute__((used, section(SPIN_PUTS_SECTION))) = (n); \
	SPIN_PUTS_OF_TARGET_                                                                          \
	static const uint32_t spin_puts_ = (n)

#endif
