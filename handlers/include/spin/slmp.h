/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_SLMP_H
#define SPIN_SLMP_H

/*
 * SLMP, the sPIN Lightweight Message Protocol of FPsPIN, over UDP: what makes
 * messages of datagrams. Its header stands right after the UDP header, and all of
 * it is big-endian.
 */
#include <spin/bytes.h>

#define SPIN_SLMP_PORT        9330u /* destination, unless told otherwise */
#define SPIN_SLMP_PAYLOAD_MAX 1462u /* of a packet, with an MTU of 1500 over IPv4 */

enum {
	SPIN_SLMP_EOM = 0x8000, /* last packet of the message */
	SPIN_SLMP_SYN = 0x4000, /* the sender wants an acknowledgement of this packet; the first packet has it */
	SPIN_SLMP_ACK = 0x2000, /* this is one: the header alone, with the packet's id and offset, and this flag alone */
	SPIN_SLMP_PUT = 0x1000, /* struct spin_slmp_put follows; an extension, on the first packet only */
	/*
	 * With ACK, and these two flags alone: the message was refused, for it is longer than its matching entry, and its
	 * sender may stop. An extension: the header alone, with the refused packet's id and offset. Senders that do not know it
	 * ignore it, for its flags are not exactly ACK.
	 */
	SPIN_SLMP_REFUSED = 0x0800,
	/*
	 * Likewise: the message was ended for another one before it was complete, what was acknowledged of it is lost, and its
	 * sender may begin it again, from its first packet on. An extension, too; who does not know it waits in vain.
	 */
	SPIN_SLMP_AGAIN = 0x0400,
};

struct spin_slmp {
	spin_be16 flags;
	spin_be32 message_id;
	spin_be32 offset; /* of this packet's payload in the message, in bytes */
} __attribute__((packed));

/*
 * What a request of Portals states in addition to its data (sPIN B.3), on the message's first packet.
 * Only where sender and receiver both ask for it: a receiver that does not, or does not take this operation, takes such a
 * packet for malformed.
 *
 *   PUT     the message's payload is for the entry's memory.
 *   GET     a message of one packet with SYN and EOM, whose payload is struct spin_slmp_get. `length`, not unknown, is of what is
 *           asked for: bytes of the entry's memory from `offset` on, as many as the entry has. The answer is a put of that to where
 *           the get came from, a message of its own.
 *   ATOMIC  a message of one packet with SYN and EOM, whose payload is up to SPIN_ATOMIC_BYTES_MAX bytes, at least one operand and
 *           only whole ones: each is added to the value at its place in the entry's memory. Operands and values are little-endian.
 *           With SPIN_ATOMIC_FETCH in `atomic` a struct spin_slmp_get comes before the operands; the answer is a put of the values
 *           as they were before to where it says, a message of one packet.
 */
#define SPIN_SLMP_OP_PUT    1
#define SPIN_SLMP_OP_GET    2
#define SPIN_SLMP_OP_ATOMIC 3
#define SPIN_SLMP_VERSION   1

struct spin_slmp_put {
	uint8_t op;          /* SPIN_SLMP_OP_* */
	uint8_t version;     /* SPIN_SLMP_VERSION */
	spin_be16 atomic;    /* of ATOMIC: enum spin_atomic, and SPIN_ATOMIC_FETCH; else 0 */
	spin_be32 length;    /* bytes of the message's payload, or SPIN_LENGTH_UNKNOWN; of GET: see above */
	uint64_t match_bits; /* these three big-endian, too */
	uint64_t hdr_data;
	uint64_t offset; /* in the matching entry's memory */
} __attribute__((packed));

/* What a get, or a fetching atomic, asks for the answer to tell as a put. */
struct spin_slmp_get {
	uint64_t match_bits; /* big-endian, all of them */
	uint64_t hdr_data;
	uint64_t offset;
} __attribute__((packed, aligned(2)));

#define SPIN_ATOMIC_BYTES_MAX 64u

enum spin_atomic {
	SPIN_ATOMIC_ADD32 = 1,
	SPIN_ATOMIC_ADD64 = 2,
};

#define SPIN_ATOMIC_FETCH 16u /* in addition to one of them */

_Static_assert(sizeof(struct spin_slmp_get) == 24 && sizeof(struct spin_slmp) == 10 && sizeof(struct spin_slmp_put) == 32,
	       "wire formats have no padding");

#endif
