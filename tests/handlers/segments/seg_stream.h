/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_SEG_STREAM_H
#define TESTS_HANDLERS_SEG_STREAM_H

/*
 * State of seg_stream.c: the bytes of the connections to an even and an odd port, by offset, and counts of handler runs. Read by
 * tests/segments/stream_is_cut_anyhow.c.
 */
#include <stdint.h>

#define SEG_STREAM_BYTES 4096
#define SEG_STREAM_SEEN  0x100u /* in `byte`, with the byte's value */
#define SEG_STREAM_DROPS 1u     /* in the TTL: the payload handler drops the segment after it has looked at it */

struct seg_stream {
	uint32_t headers, payloads, completions;
	uint32_t length, dropped_bytes, flow_control; /* arguments of the completion handler */
};

struct seg_streams {
	struct seg_stream stream[2];
	uint16_t even[SEG_STREAM_BYTES], odd[SEG_STREAM_BYTES]; /* by offset */
};

#endif
