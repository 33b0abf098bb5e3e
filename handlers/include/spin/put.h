/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_PUT_H
#define SPIN_PUT_H

/*
 * Packets that handlers send (sPIN B.6, "put"), and the limit on their number.
 *
 * SPIN_PUTS(n), before the first handler: for one arriving packet its handlers may send at most n
 * packets or operations, n up to SPIN_PUTS_MAX; a call beyond that returns SPIN_SEGV. Without it the
 * calls below do not exist. Each parked packet has its own n.
 *
 *	SPIN_PUTS(2);
 *
 *	spin_forward(p, &next);
 *	spin_put_from_device(c, &state->sum, sizeof(state->sum), &(struct spin_put){ .target = root, .match_bits = 7 });
 *
 * Packets leave in the order of the calls, each with its contents at the call, and before the result of the
 * packet that arrived: reply, acknowledgement. In the kernel, if one of them cannot leave at once (its target's
 * Ethernet address is not known yet, it exceeds the interface's MTU, or it comes from host memory), all of them leave
 * a little later, in order, after the reply. They leave through the ingress interface. Lost packets
 * are not retransmitted.
 *
 * A packet that is built here (not forwarded): IPv4 without options (0x45, TOS 0, identification 0, DF set, TTL 64) or
 * IPv6 (traffic class and flow label 0, hop limit 64), UDP with checksum, from this packet's destination
 * address and port to the target; its Ethernet header is this packet's with the addresses swapped and its VLAN tags
 * kept; in the kernel the destination address follows the host's routes.
 *   in a context of messages: a message of one packet: SLMP flags SYN, EOM and PUT, the next message_id of
 *     this context (spin_config.put_id, then one more each), offset 0, struct spin_slmp_put with op put and length,
 *     match_bits, hdr_data and remote_offset as given, then the bytes
 *   in a context of datagrams: only the bytes
 *
 * In a context of messages with SPIN_PUTS, a packet whose SLMP flags are exactly ACK is a target's acknowledgement:
 * it is dropped and counted as ACKNOWLEDGED, after test 5 and before step 6 of <spin/message.h>.
 */
#include <spin/bytes.h>
#include <spin/slmp.h>

#define SPIN_PUTS_MAX      16u
#define SPIN_PUT_BYTES_MAX 2048u /* payload of a packet that is sent; NI limit max_payload_size of puts */

/* Type of a message (sPIN B.3, `type`); the numbers are those on the wire. */
enum spin_type {
	SPIN_TYPE_PUT = 1,
	SPIN_TYPE_GET = 2,
	SPIN_TYPE_ATOMIC = 3,
};

/* A process: an address and a UDP port (Portals' nid and pid). */
struct spin_process {
	spin_be32 addr[4];   /* IPv4 in word 0, the others 0 */
	spin_be16 port;      /* 0 for ICMP */
	uint16_t ip_version; /* 4 or 6; 0 for a packet that is not IP: then all fields are 0 */
};

/* Source of the packet, and its destination (this context, as the sender addresses it). */
#define spin_source(v) spin_source_((v)->packet)
#define spin_target(v) spin_target_((v)->packet)

/* The target must have the same IP version as the current packet, else SPIN_SEGV. */
struct spin_put {
	struct spin_process target;
	uint64_t match_bits, hdr_data;
	uint64_t remote_offset; /* in the target's matching entry */
};

/*
 * Forwards this packet to `to` (struct spin_process *): the source becomes this context, the TTL 64. IP options, SLMP flags, message_id and
 * offset are kept, so a message forwarded packet by packet is a message at the next hop as well; struct spin_slmp_put and its flag are
 * removed. Payload handlers only. Here and below, a payload longer than SPIN_PUT_BYTES_MAX returns SPIN_SEGV.
 */
#define spin_forward(p, ...) spin_forward_(SPIN_PAYLOAD_(p)->packet, (__VA_ARGS__))

/*
 * A reliable put (sPIN B.6: ct, ack_req, user_ptr), used instead of struct spin_put in the calls below:
 * libspin sends it some time later as a separate message from another port, and retransmits it until the target has acknowledged
 * it or libspin gives up. Contexts of messages only. Unknown options return SPIN_SEGV.
 * A put for which the queue to libspin has no space is lost: it has no event and does not change the entry's counter,
 * and is counted as lost_queue (spin_ctx__put_stats()).
 *
 *	spin_put_from_device(c, &state->sum, 8, &(struct spin_put_acked){ .put = { .target = root }, .options = SPIN_PUT_ACK_REQ,
 *									  .user_ptr = state->round });
 */
enum {
	SPIN_PUT_ACK_REQ = 1, /* request SPIN_EVENT_PUT_ACKED with user_ptr; a failure gives SPIN_EVENT_PUT_FAILED in any case */
	SPIN_PUT_CT = 2,      /* the counter of the current message's entry then counts one success or one failure */
	SPIN_PUT_OPTIONS = 3, /* all of them */
};

struct spin_put_acked {
	struct spin_put put;
	uint64_t user_ptr;
	uint32_t options; /* SPIN_PUT_*; 0: retransmitted, but without an event */
	uint32_t unused;
};

/* Selects the call by the type of the put. */
#define SPIN_PUT_CALL_(call, put) \
	_Generic((put), struct spin_put_acked * : call##acked_, const struct spin_put_acked * : call##acked_, default : call)

/* Sends bytes [off, off + bytes) of the packet's payload. Payload handlers only. */
#define spin_put_payload(p, off, bytes_, ...) \
	SPIN_PUT_CALL_(spin_put_payload_, (__VA_ARGS__))(SPIN_PAYLOAD_(p)->packet, (off), (bytes_), (__VA_ARGS__))

/* Sends HPU memory; `bytes` must be a constant and a multiple of 4. The memory may change when the call returns. */
#define spin_put_from_device(v, from, bytes_, ...)                                                                  \
	({                                                                                                          \
		SPIN_WORDS_("spin_put_from_device", bytes_);                                                        \
		SPIN_PUT_CALL_(spin_put_from_device_, (__VA_ARGS__))((v)->packet, (from), (bytes_), (__VA_ARGS__)); \
	})

/*
 * Sends host memory: libspin sends [at, at + bytes) of the message's range (SPIN_ME_MEM) as if the host had requested it: a message of as
 * many packets as needed, reliably, some time later, with the contents of the memory at that time. The call only queues it. A range beyond
 * the end of the memory returns SPIN_SEGV. Contexts of messages only.
 */
#define spin_put_from_host(v, at, bytes_, ...) \
	SPIN_PUT_CALL_(spin_put_from_host_, (__VA_ARGS__))((v)->packet, (at), (bytes_), (__VA_ARGS__))

/*
 * Requests [remote_offset, remote_offset + bytes) of the memory of the target's entry that match_bits select, or as much of it as there is:
 * a message of one packet, with op get (<spin/slmp.h>). The answer is a put from the target to this context, a message with the three reply
 * values and the current contents of the entry's memory. Neither is retransmitted if lost. The target must take gets, and its entry must
 * allow reads (SPIN_ME_OP_GET). Contexts of messages only.
 */
struct spin_get {
	struct spin_process target;
	uint64_t match_bits, hdr_data, remote_offset;
	uint64_t reply_match_bits, reply_hdr_data;
	uint64_t reply_offset; /* in this context's matching entry */
};
#define spin_get(v, bytes_, ...) spin_get_((v)->packet, (bytes_), (__VA_ARGS__))

/*
 * Adds up to SPIN_ATOMIC_BYTES_MAX bytes of operands from HPU memory, a constant length of whole operands, to the values of the target's
 * entry from remote_offset on, each atomically: op is an enum spin_atomic. A message of one packet, with op atomic; it returns nothing.
 * Contexts of messages only.
 */
#define spin_atomic(v, op, from, bytes_, ...)                                                       \
	({                                                                                          \
		SPIN_WORDS_("spin_atomic", bytes_);                                                 \
		_Static_assert((bytes_) <= SPIN_ATOMIC_BYTES_MAX, "spin_atomic: at most 64 bytes"); \
		spin_atomic_((v)->packet, (op), (from), (bytes_), (__VA_ARGS__));                   \
	})

/*
 * The same, and the target answers with the old values, as many bytes: a put to this context with the three reply values of a struct
 * spin_get. The target's NIC sends the answer once; neither is retransmitted if lost. The target must take fetching atomics, and its entry
 * must allow reads (SPIN_ME_OP_GET); else nothing is added.
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
