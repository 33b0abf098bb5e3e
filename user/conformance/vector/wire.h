/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_WIRE_H
#define USER_CONFORMANCE_VECTOR_WIRE_H

/*
 * Offsets of the headers in a packet of a message, and the acknowledgement that the NIC is expected to send. Used by the parsers of vectors
 * (tests as text), by compare.c and by tests.
 */
#include <stdint.h>

/* Offsets in a frame. */
struct vector_headers {
	uint32_t ip_at, ip_version, udp_at, slmp_at;
};

/* Finds the headers; slmp_at is the start of the UDP payload. Returns 0, or -EINVAL with engine_error() if it is not UDP over IP. */
int vector_headers_udp(const uint8_t *frame, uint32_t bytes, struct vector_headers *out);
/* Same, but the packet must have an SLMP header. */
int vector_headers(const uint8_t *frame, uint32_t bytes, struct vector_headers *out);
/* Builds the acknowledgement of a packet as the NIC sends it, with the additional flags `more`. `to` must have room for the packet. */
int vector_ack(const uint8_t *frame, uint32_t bytes, uint16_t more, uint8_t *to, uint32_t *to_bytes);
/* Sets lengths and checksums of a datagram that ends at offset `end`. Over IPv4, a UDP checksum of 0 stays 0. */
void vector_wire_finish(uint8_t *frame, const struct vector_headers *w, uint32_t end);
uint32_t vector_wire_id(const uint8_t *frame, const struct vector_headers *w);

#endif
