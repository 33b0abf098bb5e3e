/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_NIC_H
#define NIC_NIC_H

/* Inside of a struct pspin. */
#include <hwmodel/pspin.h>

#include "../image/scratch.h"
#include "../soc/soc.h"
#include "inbound.h"
#include "journal.h"

enum { NIC_HEADER, NIC_PAYLOAD, NIC_PROCEED, NIC_ENTRIES }; /* each for IPv6 and IPv4 */

struct messages;
struct traffic;

struct nic_segments {
	unsigned count;
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
};

/* Where the default action puts datagrams: no handler's own host memory. */
#define DEPOSIT_BASE 0x5000000000ull
#define DEPOSIT_BYTES 0x10000u
#define PACKET_BYTES_MAX 0x10000u

struct pspin {
	struct pspin_target target;
	struct spin_meta meta;
	struct spin_rule rule;
	void *image;
	struct hw_elf *elf;
	struct soc soc;

	uint32_t entry[NIC_ENTRIES][2], completion; /* addresses of the image's entry functions */
	uint32_t program_end;
	struct hpu_task_result runtime; /* a turn of the runtime loop without the handler */
	struct messages *messages;      /* NULL: a context of datagrams */
	struct traffic *traffic;        /* NULL: nothing has been offered */

	/* host memory of entries' handlers: what the context was given for the first one, and what each has */
	struct nic_segments first_segments, segments[SPIN_MES_MAX];

	/* the packet whose handlers run: as it came, and its message's entry */
	struct {
		const uint8_t *frame; /* NULL: none */
		const struct inbound *in;
		unsigned me;
	} arrived;
	uint32_t put_id; /* of the next packet that is put */

	/* bytes of earlier packets still in the two places */
	uint32_t dirty_l1, dirty_l2;

	/* the commands since task__forget_commands() */
	uint32_t sent_bytes, delivered_bytes;
	int sent, delivered;
	uint8_t send[PACKET_BYTES_MAX], deposit[DEPOSIT_BYTES];

	/* this packet's result */
	struct journal journal;
	uint8_t frame[PACKET_BYTES_MAX + 64];

	uint64_t count[SPIN_REASON_COUNT];
};

/* host.c: so much of it (0: SPIN_HOST_BYTES), all zero, with the first entry's segments. 0, -EINVAL or -ENOMEM. */
int nic_host__open(struct pspin *nic, uint32_t bytes, const struct spin_segment *segment, unsigned segments);
/* All zero again, and entries as at the start. */
void nic_host__clear(struct pspin *nic);

/* The handlers' part of pspin__packet(): tasks in MPQ order, then verdict, reason and frame. */
void datagram__handle(struct pspin *nic, const uint8_t *frame, size_t frame_bytes,
		      const struct inbound *in, struct pspin_result *out);

#endif
