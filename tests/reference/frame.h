/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_FRAME_H
#define TESTS_REFERENCE_FRAME_H

/* Frames of tests: Ethernet, IPv4 without options or IPv6, UDP; made, taken apart, and acknowledged. */
#include <stdint.h>

#define FRAME_HEADERS_MAX 62u /* Ethernet, IPv6, UDP */

enum frame_sum { FRAME_SUM_RIGHT, FRAME_SUM_NONE, FRAME_SUM_PARTIAL };

struct frame_flow {
	uint32_t ip_version;
	uint8_t src[16], dst[16]; /* IPv4: the first four */
	uint16_t src_port, dst_port;
};

/* Where the UDP payload goes in a frame. */
uint8_t *frame_payload(uint8_t *frame, uint32_t ip_version);
/* Headers around `bytes` bytes that are there already; returns the frame's length. None is none over IPv4 only. */
uint32_t frame_finish(uint8_t *frame, const struct frame_flow *flow, uint32_t bytes, enum frame_sum sum);
/* 0: it is not made by frame_finish(). */
int frame_take_apart(const uint8_t *frame, uint32_t frame_bytes, struct frame_flow *flow, const uint8_t **payload, uint32_t *bytes);
/* The acknowledgement of a frame, with more flags than that, in its place; returns its length. */
uint32_t frame_acknowledge(uint8_t *frame, uint32_t more);

#endif
