/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_SCRATCH_H
#define HWMODEL_IMAGE_SCRATCH_H

/*
 * Layout of the start of a message's scratchpad, the memory of one message, in its home cluster's L1: words in which the NIC and the
 * message's tasks (runs of handlers) leave data for later tasks. The handlers' own part follows. Included by the runtime in handler images
 * (image/task.h) and by the model (nic/nic.h), which must agree. A word is accessed only if a handler that uses it is registered.
 *
 * A TCP segment is a message with a scratchpad of its own. The NIC writes there what it keeps of the segment's connection.
 */
#include <stdint.h>

/* The NIC's and the runtime's words of a scratchpad. */
struct hpu_scratch {
	uint32_t header;        /* enum spin_rc of the header handler, or HPU_SCRATCH_FAILED */
	uint32_t dropped_bytes; /* of payload; the NIC adds what flow control dropped */
	/* set by the NIC alone */
	/*
	 * 1: flow control dropped packets of this message. For images that take more than puts also: bits 23:16, enum spin_type; bits
	 * 31:24, of an atomic its enum spin_atomic, of a get 1 if the entry's memory may be read
	 */
	uint32_t flow_control;
	uint32_t length; /* of the message's payload: as the sender announced it, at the end as it arrived */
	union {
		uint64_t match_bits;
		uint32_t connection; /* of a segment: its connection's number */
	};
	uint64_t hdr_data;
	uint32_t offset; /* in the matching entry, saturated; of a segment: of its payload in the stream */
	uint32_t entry;  /* the NIC's block of the matching entry (<spin/target/rv32_entry.h>) */
	/* the handler's own host memory; handler_high and handler_low are its address if it has one segment */
	uint32_t handler_high, handler_low, handler_bytes, handler_segments;
	/* number of requests (SPIN_PUTS) that handlers sent for a packet: */
	uint32_t header_sent; /* by the header handler, for the first packet */
	uint32_t sent;        /* by all handlers, for the packet handled last */
};
_Static_assert(sizeof(struct hpu_scratch) == 64, "the handlers' part starts on a line of its own");

#define HPU_SCRATCH_FLOW_CONTROL 1u
#define HPU_SCRATCH_TYPE         16
#define HPU_SCRATCH_DETAIL       24

#define HPU_SCRATCH_FAILED 0xffffffffu

#endif
