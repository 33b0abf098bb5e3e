/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_FRAME_H
#define TESTS_SEGMENTS_FRAME_H

/*
 * Builds and parses frames with a TCP segment: Ethernet, up to two VLAN tags, IPv4 with options or IPv6, TCP with options. Used by
 * tests/segments. It shares no code with bpf/.
 */
#include "tests/segments/reference.h"

#define SEGFRAME_HEADERS_MAX (14 + 8 + 60 + 60)

enum segframe_sum {
	SEGFRAME_SUM_RIGHT,
	SEGFRAME_SUM_PARTIAL, /* the bare pseudo-header sum of a local sender */
	SEGFRAME_SUM_ZERO,    /* the urgent pointer makes 0 the right checksum */
	SEGFRAME_SUM_ONES,    /* the same, and the field is 0xffff, which is right, too */
	SEGFRAME_SUM_WRONG,
	SEGFRAME_SUM_NONE, /* 0, which is wrong */
	SEGFRAME_SUMS
};

/* What a frame has in addition to the segment. */
struct segframe_shape {
	uint8_t tags;       /* VLAN, at most 2 */
	uint8_t ip_options; /* words, at most 10; IPv4 only */
	uint8_t options;    /* words of TCP options, at most 10 */
	uint8_t padding;    /* bytes after the IP packet */
	uint8_t sum;        /* enum segframe_sum */
};

struct segframe_parsed {
	struct segref_segment segment; /* payload points into the frame */
	uint32_t tcp, tcp_bytes;       /* offset in the frame; header and payload */
	uint32_t payload;              /* offset in the frame */
	int is_partial, is_right;      /* the checksum */
};

/* Writes the frame and returns its length. */
uint32_t segframe_build(const struct segref_segment *s, const struct segframe_shape *shape, uint8_t *frame);
/* Returns 0 if segframe_build() did not make the frame. */
int segframe_parse(const uint8_t *frame, uint32_t bytes, struct segframe_parsed *out);
/* Sets the right checksum after the payload was changed. */
void segframe_set_sum(uint8_t *frame, const struct segframe_parsed *parsed);

#endif
