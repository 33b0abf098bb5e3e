/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_WIRE_H
#define USER_CONFORMANCE_VECTOR_WIRE_H

/* Where the headers of a message's packet are, as a vector has it. */
#include <stdint.h>

struct vector_wire {
	uint32_t ip_at, ip_version, udp_at, slmp_at;
};

/* 0, or -EINVAL: no UDP over IP; engine_error() says so. slmp_at is where its payload begins. */
int vector_wire_udp(const uint8_t *frame, uint32_t bytes, struct vector_wire *out);
/* The same: no SLMP over UDP over IP. */
int vector_wire(const uint8_t *frame, uint32_t bytes, struct vector_wire *out);
/* The acknowledgement of a packet, with more flags than that, as the NIC sends it; `to` has room for the packet. */
int vector_ack(const uint8_t *frame, uint32_t bytes, uint16_t more, uint8_t *to, uint32_t *to_bytes);
/* Sets lengths and checksums of a datagram that ends at `end`. A UDP checksum that IPv4 may leave out stays out. */
void vector_wire_finish(uint8_t *frame, const struct vector_wire *w, uint32_t end);
uint32_t vector_wire_id(const uint8_t *frame, const struct vector_wire *w);

#endif
