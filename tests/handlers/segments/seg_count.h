/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_SEG_COUNT_H
#define TESTS_HANDLERS_SEG_COUNT_H

/* The state of seg_count, read by the tests that run it. All fields but those of the last run are sums, in whatever order segments run. */
#include <stdint.h>

struct seg_count {
	uint32_t headers, syns, payloads, completions;
	uint32_t bytes;                               /* of payload that was handled and not dropped */
	uint32_t sum;                                 /* of these bytes, each times its offset in the stream + 1 */
	uint32_t unknown;                             /* header handlers that were given SPIN_LENGTH_UNKNOWN */
	uint32_t length, dropped_bytes, flow_control; /* sums of what completion handlers were given */
	uint32_t wrong;                               /* accessors that gave something else than they must */

	/* of the last run of each handler */
	uint32_t header_connection, payload_connection, end_connection;
	uint32_t offset, payload_length, flags, end_flags, end_port, end_length, end_dropped;
};

/* Ports of peers whose connections the header handler does not process. */
#define SEG_PORT_DROP     666
#define SEG_PORT_PROCEED  667
#define SEG_PORT_COMPLETE 668 /* PROCEED_COMPLETE */
#define SEG_PORT_FAIL     669

#define SEG_WRITTEN 0x57212121u /* "W!!!" */

#endif
