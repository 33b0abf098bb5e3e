/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_FRAME_H
#define TESTS_REFERENCE_FRAME_H

/*
 * Builds, parses and acknowledges test frames: Ethernet, IPv4 without options or IPv6, UDP. Used by the reference model of messages and by
 * tests in tests/messages, tests/live and tests/ring.
 */
#include <stdint.h>

#define FRAME_HEADERS_MAX 62u /* Ethernet, IPv6, UDP */

enum frame_sum { FRAME_SUM_RIGHT, FRAME_SUM_NONE, FRAME_SUM_PARTIAL };

struct frame_flow {
	uint32_t ip_version;
	uint8_t src[16], dst[16]; /* IPv4 uses the first four bytes */
	uint16_t src_port, dst_port;
};

/* Returns the UDP payload of a frame. */
uint8_t *frame_payload(uint8_t *frame, uint32_t ip_version);
/*
 * Writes headers around a payload of `bytes` that is already in the frame, and returns the frame's length. FRAME_SUM_NONE omits the
 * checksum over IPv4 only.
 */
uint32_t frame_finish(uint8_t *frame, const struct frame_flow *flow, uint32_t bytes, enum frame_sum sum);
/* Returns 0 if frame_finish() did not make the frame. */
int frame_parse(const uint8_t *frame, uint32_t frame_bytes, struct frame_flow *flow, const uint8_t **payload, uint32_t *bytes);
/* Replaces a frame by its acknowledgement, with additional flags; returns its length. */
uint32_t frame_acknowledge(uint8_t *frame, uint32_t more);

#endif
