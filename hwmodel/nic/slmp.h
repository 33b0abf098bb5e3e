/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_SLMP_H
#define HWMODEL_NIC_SLMP_H

/*
 * SLMP, the message protocol over UDP (<spin/slmp.h>): parses its headers (step 6 of <spin/message.h>) and makes acknowledgements. Called
 * by arrival.c and mpq.c of the modelled NIC.
 */
#include <spin/meta.h>
#include <spin/return.h>
#include <spin/slmp.h>

#include "hwmodel/nic/inbound.h"

/* The fields of a packet's SLMP headers, in host byte order. */
struct slmp {
	uint32_t flags, message_id, offset;
	uint32_t payload_at; /* in the frame */
	uint32_t payload_bytes;
	uint32_t sum;    /* of a first packet's datagram (RFC 1071) */
	uint32_t length; /* of the message, as its first packet announces it; or unknown */
	/* from struct spin_slmp_put; 0 without it */
	int put;
	int is_flow; /* 1: the packet has no SLMP header; the NIC assigns offset and message_id */
	uint64_t match_bits, hdr_data, me_offset;
	uint32_t type, atomic; /* type: enum spin_type, SPIN_TYPE_PUT without struct spin_slmp_put; atomic: enum spin_atomic or 0 */
};

/* Does a classified frame acknowledge a handler's put? */
int slmp__is_acknowledgement(const uint8_t *frame, const struct inbound *in);

/* Parses a classified frame, for a context that takes `takes` (SPIN_TAKES_*) in addition to puts. Returns 0, or -1: MALFORMED. */
int slmp__parse(const uint8_t *frame, const struct inbound *in, int take_put, unsigned takes, struct slmp *out);

/* The same if flows are messages ("Flows" in <spin/message.h>); the offset is 0 until slmp__number(). */
int slmp__of_flow(const uint8_t *frame, const struct inbound *in, struct slmp *out);
/* Sets the offset of such a packet, here and at `placed`, where slmp__strip() has written it. */
void slmp__number(struct slmp *slmp, uint8_t *placed, const struct inbound *in, uint32_t offset);

/*
 * Makes the acknowledgement of a packet, with the additional flags `more`: the frame with source and destination swapped, cut after the
 * header. Returns the bytes written to `to`, at most the frame's.
 */
size_t slmp__acknowledge(uint8_t *to, const uint8_t *frame, const struct inbound *in, uint16_t more);

/*
 * Writes the frame as handlers see it: Ethernet header and IP packet, without VLAN tags, without struct spin_slmp_put and its flag. A
 * packet of a flow gets an SLMP header, from which handlers read its offset. Returns the bytes written to `to`: at most the frame's,
 * plus that header.
 */
uint32_t slmp__strip(uint8_t *to, const uint8_t *frame, const struct inbound *in, const struct slmp *slmp);

#endif
