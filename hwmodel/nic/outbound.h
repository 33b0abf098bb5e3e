/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_OUTBOUND_H
#define HWMODEL_NIC_OUTBOUND_H

/* The outbound engine and the host's receive queue: frames as they leave the NIC. */
#include <spin/put.h>

#include "hwmodel/nic/inbound.h"

/*
 * What the host receives: the frame that came, `packet` in place of its IP
 * packet. If the UDP datagram is another one, its checksum follows the change:
 * none stays none, an offload's stays as it is, a wrong one stays wrong.
 * Returns the bytes written to `to`, which holds frame_bytes.
 */
size_t outbound__to_host(uint8_t *to, const uint8_t *frame, size_t frame_bytes, const struct inbound *in, const uint8_t *packet,
			 uint32_t packet_bytes);

/*
 * What goes out on the wire for a send of an IP packet: the Ethernet header that
 * came, its addresses swapped, and the packet with its checksums made (UDP's: not
 * if the request came without, on IPv4). `to` holds in->ip_off + packet_bytes.
 */
size_t outbound__send(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes);

/* The same for a packet that a handler forwards, which has a UDP checksum in any case. */
size_t outbound__forward(uint8_t *to, const uint8_t *frame, const struct inbound *in, const uint8_t *packet, uint32_t packet_bytes);

/* To whom a frame goes that is in this form. */
void outbound__destination(const uint8_t *frame, const struct inbound *in, struct spin_process *out);

/*
 * The packet of a put (<spin/put.h>), sent because of the frame that came: of a context of messages with
 * the message id *id; of datagrams id is NULL, and the bytes are all. `to` holds SPIN_REQUEST_FRAME_MAX.
 */
struct outbound_request {
	enum spin_type type;
	uint32_t detail; /* of a get the bytes asked for, of an atomic enum spin_atomic */
};
uint32_t outbound__put(uint8_t *to, const uint8_t *frame, const struct inbound *in, const struct spin_put *put,
		       const struct outbound_request *request, const uint32_t *id, const uint8_t *payload, uint32_t bytes);

#endif
