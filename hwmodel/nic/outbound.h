/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_OUTBOUND_H
#define HWMODEL_NIC_OUTBOUND_H

/*
 * The outbound engine and the host's receive queue: frames that leave the NIC. Called by command.c, datagram.c, segment.c and
 * slmp.c.
 */
#include <spin/put.h>

#include "hwmodel/nic/inbound.h"

/*
 * Makes the frame that the host receives: the original frame, with `packet` in place of its IP packet. If the UDP datagram or the TCP
 * segment was changed, its checksum is updated for the change: UDP's none stays none, an offload's stays as it is, a wrong one stays
 * wrong. A UDP datagram whose headers have another length than on arrival (<spin/deliver.h>) ends the frame. Returns the bytes written to
 * `to`, which must hold frame_bytes and SPIN_IP_BYTES_MAX with the Ethernet header.
 */
size_t outbound__to_host(uint8_t *to, const uint8_t *frame, size_t frame_bytes, const struct inbound *in, const uint8_t *packet,
			 uint32_t packet_bytes);

/*
 * Makes the frame for a send of an IP packet: the original Ethernet header with its addresses swapped, and the packet with new
 * checksums (on IPv4 no UDP checksum if the request had none). `to` must hold in->ip_off + packet_bytes.
 */
size_t outbound__send(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes);

/* The same for a packet that a handler forwards, which always gets a UDP checksum. */
size_t outbound__forward(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes);

/* Reads a frame's destination. */
void outbound__destination(const uint8_t *frame, const struct inbound *in, struct spin_process *out);

/*
 * Makes the packet of a put (<spin/put.h>), sent in response to `frame`. For a context of messages *id is the message id. For datagrams
 * id is NULL, and the payload has no SLMP header. `to` must hold SPIN_REQUEST_FRAME_MAX.
 */
struct outbound_request {
	enum spin_type type;
	uint32_t detail; /* of a get the bytes requested, of an atomic enum spin_atomic */
};
uint32_t outbound__put(uint8_t *to, const uint8_t *frame, const struct inbound *in, const struct spin_put *put,
		       const struct outbound_request *request, const uint32_t *id, const uint8_t *payload, uint32_t bytes);

#endif
