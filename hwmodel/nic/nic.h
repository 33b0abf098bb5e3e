/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_NIC_H
#define NIC_NIC_H

/* Inside of a struct pspin. */
#include <hwmodel/pspin.h>

#include "../image/scratch.h"
#include "../soc/hpu.h"
#include "inbound.h"
#include "journal.h"

enum { NIC_HEADER, NIC_PAYLOAD, NIC_PROCEED, NIC_ENTRIES }; /* each for IPv6 and IPv4 */

struct messages;

struct pspin {
	struct pspin_target target;
	struct spin_meta meta;
	struct spin_rule rule;
	void *image;
	struct hw_elf *elf;
	struct storage memory;
	struct hpu hpu;

	uint32_t entry[NIC_ENTRIES][2], completion; /* addresses of the image's entry functions */
	uint32_t program_end;
	struct hpu_task_result runtime; /* a turn of the runtime loop without the handler */
	struct messages *messages;      /* NULL: a context of datagrams */

	/* bytes of earlier packets still in the two places */
	uint32_t dirty_l1, dirty_l2;

	/* the commands since task__forget_commands() */
	uint32_t sent_bytes, delivered_bytes;
	int sent, delivered;
	uint8_t send[HOST_BYTES];

	/* this packet's result */
	struct journal journal;
	uint8_t frame[HOST_BYTES + 64];

	uint64_t count[SPIN_REASON_COUNT];
};

/* The handlers' part of pspin__packet(): tasks in MPQ order, then verdict, reason and frame. */
void datagram__handle(struct pspin *nic, const uint8_t *frame, size_t frame_bytes,
		      const struct inbound *in, struct pspin_result *out);

#endif
