/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_SLMP_H
#define SPIN_SLMP_H

/*
 * SLMP, the sPIN Lightweight Message Protocol of FPsPIN over UDP: combines datagrams to messages. Its header follows the UDP header and is
 * big-endian. Used by the runtime in bpf/, the model of the NIC and libspin's sender.
 */
#include <spin/bytes.h>

#define SPIN_SLMP_PORT        9330u /* default destination */
#define SPIN_SLMP_PAYLOAD_MAX 1462u /* per packet, with an MTU of 1500 over IPv4 */

enum {
	SPIN_SLMP_EOM = 0x8000, /* last packet of the message */
	SPIN_SLMP_SYN = 0x4000, /* the sender requests an acknowledgement of this packet; required on the first packet */
	SPIN_SLMP_ACK = 0x2000, /* acknowledgement: only the header, with the packet's id and offset, and no other flag */
	SPIN_SLMP_PUT = 0x1000, /* struct spin_slmp_put follows; an extension, on the first packet only */
	/*
	 * Only together with ACK: the message was refused, because it is longer than its matching entry, and its sender may stop. An
	 * extension: only the header, with the refused packet's id and offset. Senders that do not know it ignore it, because the flags are
	 * not exactly ACK.
	 */
	SPIN_SLMP_REFUSED = 0x0800,
	/*
	 * Likewise: the message was evicted before it was complete. What was acknowledged of it is lost, and its sender may restart it with
	 * another id. Also an extension; a sender that does not know it gets no other answer.
	 */
	SPIN_SLMP_AGAIN = 0x0400,
};

struct spin_slmp {
	spin_be16 flags;
	spin_be32 message_id;
	spin_be32 offset; /* of this packet's payload in the message, in bytes */
} __attribute__((packed));

/*
 * The fields of a Portals request besides its data (sPIN B.3), on the message's first packet.
 * Only if sender and receiver both enable it: a receiver that does not, or does not take this operation, treats such a
 * packet as malformed.
 *
 *   PUT     the message's payload is for the entry's memory.
 *   GET     a message of one packet with SYN and EOM, whose payload is struct spin_slmp_get. `length`, which must be known, is the
 *           number of bytes requested from `offset` on in the entry's memory, limited to what it has. The answer is a put of these to the
 *           sender of the get, as a separate message.
 *   ATOMIC  a message of one packet with SYN and EOM, whose payload is up to SPIN_ATOMIC_BYTES_MAX bytes, at least one operand and
 *           only whole ones: each is added to the corresponding value in the entry's memory. Operands and values are little-endian.
 *           With SPIN_ATOMIC_FETCH in `atomic` a struct spin_slmp_get precedes the operands; the answer is a put of the old
 *           values with the fields of that struct, a message of one packet.
 */
#define SPIN_SLMP_OP_PUT    1
#define SPIN_SLMP_OP_GET    2
#define SPIN_SLMP_OP_ATOMIC 3
#define SPIN_SLMP_VERSION   1

struct spin_slmp_put {
	uint8_t op;          /* SPIN_SLMP_OP_* */
	uint8_t version;     /* SPIN_SLMP_VERSION */
	spin_be16 atomic;    /* ATOMIC: enum spin_atomic | SPIN_ATOMIC_FETCH; else 0 */
	spin_be32 length;    /* bytes of the message's payload, or SPIN_LENGTH_UNKNOWN; GET: see above */
	uint64_t match_bits; /* big-endian, like the next two */
	uint64_t hdr_data;
	uint64_t offset; /* in the matching entry's memory */
} __attribute__((packed));

/* Fields that the answer to a get or a fetching atomic must have as a put. */
struct spin_slmp_get {
	uint64_t match_bits; /* all fields big-endian */
	uint64_t hdr_data;
	uint64_t offset;
} __attribute__((packed, aligned(2)));

#define SPIN_ATOMIC_BYTES_MAX 64u

enum spin_atomic {
	SPIN_ATOMIC_ADD32 = 1,
	SPIN_ATOMIC_ADD64 = 2,
};

#define SPIN_ATOMIC_FETCH 16u /* flag in addition to one of them */

_Static_assert(sizeof(struct spin_slmp_get) == 24 && sizeof(struct spin_slmp) == 10 && sizeof(struct spin_slmp_put) == 32,
	       "wire formats have no padding");

#endif
