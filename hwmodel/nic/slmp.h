/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_SLMP_H
#define HWMODEL_NIC_SLMP_H

/* SLMP on the wire: step 6 of <spin/message.h>, and acknowledgements. */
#include <spin/meta.h>
#include <spin/return.h>
#include <spin/slmp.h>

#include "hwmodel/nic/inbound.h"

struct slmp {
	uint32_t flags, message_id, offset;
	uint32_t payload_at; /* in the frame */
	uint32_t payload_bytes;
	uint32_t sum;    /* of a first packet's datagram (RFC 1071) */
	uint32_t length; /* of the message, as its first packet says; or unknown */
	/* of struct spin_slmp_put; without it 0 */
	int put;
	int is_flow; /* 1: the packet has no SLMP header; offset and message_id are what the NIC says */
	uint64_t match_bits, hdr_data, me_offset;
	uint32_t type, atomic; /* enum spin_type, a put without struct spin_slmp_put, too; enum spin_atomic or 0 */
};

/* Of a frame that was classified: 1 if it acknowledges what a handler put. */
int slmp__is_acknowledgement(const uint8_t *frame, const struct inbound *in);

/* Of a frame that was classified, for a context that takes these in addition to puts (SPIN_TAKES_*). 0, or -1: MALFORMED. */
int slmp__parse(const uint8_t *frame, const struct inbound *in, int take_put, unsigned takes, struct slmp *out);

/* The same where flows are messages ("Flows" in <spin/message.h>); the offset is 0 until slmp__number(). */
int slmp__of_flow(const uint8_t *frame, const struct inbound *in, struct slmp *out);
/* The offset of such a packet, which lies where slmp__strip() has put it. */
void slmp__number(struct slmp *slmp, uint8_t *placed, const struct inbound *in, uint32_t offset);

/*
 * The acknowledgement of a packet, with more flags than that, as the sender gets it: its frame turned around, cut
 * after the header. Returns the bytes written to `to`, at most the frame's.
 */
size_t slmp__acknowledge(uint8_t *to, const uint8_t *frame, const struct inbound *in, uint16_t more);

/*
 * The frame as handlers find it: Ethernet header, IP packet, no VLAN tags, no struct
 * spin_slmp_put, nor its flag. A packet of a flow gets an SLMP header, from which handlers have its offset. Returns the bytes
 * written to `to`: at most the frame's, or that header more.
 */
uint32_t slmp__strip(uint8_t *to, const uint8_t *frame, const struct inbound *in, const struct slmp *slmp);

#endif
