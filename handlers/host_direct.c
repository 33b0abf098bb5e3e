/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_direct - writes small records straight into host memory (PsPIN 3.2.1, "Host-direct")
 *
 * Every datagram has one record of 32 bytes, whose first word is the record's index. It is written to this index of an
 * array in the handler's host memory. The bytes are part of the command: no DMA engine fetches them, and there is
 * nothing to wait for. The application finds the latest version of each record there; the datagrams are dropped.
 *
 * A shorter datagram is passed to the host. A record whose index is outside the host memory fails.
 */
#include <spin/spin.h>

struct record {
	spin_be32 index;
	uint32_t  value[7];
};

SPIN_NO_STATE;

static enum spin_payload_rc host_direct_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	const struct record *in = SPIN_GET(p, 0, struct record);
	struct record record;
	uint32_t index;

	if (!in)
		return SPIN_SUCCESS;
	record = *in;
	index = spin_ntoh32(record.index);
	if (index > UINT32_MAX / sizeof(record) ||
	    spin_host_write(p, SPIN_HANDLER_MEM, index * sizeof(record), &record, sizeof(record)))
		return SPIN_SEGV;
	return SPIN_DROP;
}

SPIN_HANDLERS(host_direct, .payload = host_direct_payload);
