/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * segment - loaded by `spinctl doctor` to test whether this kernel loads handlers of TCP segments
 *
 * It counts connections, and the bytes that they send. Embedded by test_load_image.S. It is loaded and closed again, never attached.
 */
#include <spin/spin.h>

struct seen {
	SPIN_COUNTER(connections);
	SPIN_COUNTER(bytes);
};
SPIN_STATE(struct seen);

static enum spin_header_rc segment_header(struct spin_header *h, struct seen *seen)
{
	spin_count(&seen->connections, 1);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc segment_payload(struct spin_payload *p, struct seen *seen)
{
	spin_count(&seen->bytes, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(segment, .header = segment_header, .payload = segment_payload, .delivery = SPIN_DELIVER_SEGMENTS);
