/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_NIC_H
#define NIC_NIC_H

/*
 * State of a NIC: the device that all its contexts share, and an execution context (struct pspin). Belongs to no .c file; every file of
 * nic/ includes it. What of the machine it uses is in soc/soc.h.
 */
#include <hwmodel/traffic.h>

#include "hwmodel/image/scratch.h"
#include "hwmodel/soc/soc.h"
#include "hwmodel/nic/inflight.h"
#include "hwmodel/nic/ingress.h"

enum { NIC_HEADER, NIC_PAYLOAD, NIC_PROCEED, NIC_ENTRIES }; /* each for IPv6 and IPv4 */

struct messages;
struct nic_kind;
struct slot;

/* What happens during a packet or pspin__clock(): tasks, events and what handlers send, in their order. */
struct event_log {
	struct pspin_task *tasks;
	struct spin_event *events;
	struct spin_request *sends;
	unsigned task_count, task_room, event_count, event_room, send_count, send_room;
	int incomplete; /* memory ran out: what came then went here */
	struct pspin_task lost_task;
	struct spin_event lost_event;
	struct spin_request lost_send;
};

/* What handlers of an entry's messages reach: its memory, and their own. */
struct nic_segments {
	struct spin_segment memory;
	unsigned count;
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
};

/* Where the default action puts datagrams: no handler's own host memory. */
#define DEPOSIT_BASE     0x5000000000ull
#define DEPOSIT_BYTES    0x10000u
#define PACKET_BYTES_MAX 0x10000u

/* The machine's MPQs, as messages have them (slots.h). */
struct slots {
	struct slot *all; /* home by home */
	unsigned homes, per_home;
	unsigned homes_in_use;            /* of them: 1 while packets come one at a time */
	uint64_t *taken[HPU_SCRATCHPADS]; /* bits */
	unsigned in_flight[HPU_SCRATCHPADS];
	unsigned taken_count, taken_peak, ending_count;

	/* scratchpads (slots.c) */
	uint32_t scratch_bytes;
	unsigned places; /* that fit into an L1 */
	struct slot **owner[HPU_SCRATCHPADS];
	uint8_t *scratch_memory;
};

#define CONTEXTS_MAX SOC_PROGRAMS_MAX

/* What the contexts of a NIC share (contexts.c). */
struct device {
	struct pspin_target target;
	struct soc soc;
	uint64_t opened; /* the machine's cycle when the NIC's time began */
	struct pspin *contexts[CONTEXTS_MAX];
	unsigned count;
	unsigned turn; /* whose packets go on first */

	uint64_t offered_ps; /* when pspin__offer() was last to */
	struct ingress ingress;
	struct packet_buffer packet_buffer; /* packet memory */
	struct inflights inflights;
	unsigned hers_in_flight, hers_peak;
	int has_event;                          /* her_queue__wake() has its event */
	void (*on_room)(struct device *device); /* packet memory was freed: ingress.c */

	int one_at_a_time;                    /* pspin__packet() or pspin__clock() waits for what there is */
	uint64_t asked_packet;                /* its number, */
	struct pspin_packet_record asked;     /* and what it came to */
	uint8_t frame[PACKET_BYTES_MAX + 64]; /* what leaves */
	char stuck[256];
};

/* An execution context. */
struct pspin {
	struct device *device;
	unsigned number; /* among the device's, and its program in the machine */
	struct spin_meta meta;
	struct spin_rule rule;
	void *elf_data;
	struct hw_elf *elf;
	struct pspin_image image; /* of one that is not ours; its pointers are not the NIC's */
	struct storage *memory;   /* that the program sees; of contexts that joined: */
	struct storage own_memory;
	uint32_t code_at; /* behind its addresses: where its code is taken to lie */

	const struct nic_kind *kind;
	int is_image;                               /* of pspin__open_image(): no registration and no matching entries */
	uint32_t entry[NIC_ENTRIES][2], completion; /* addresses of the image's entry functions */
	uint32_t program_end;
	struct messages *messages; /* of contexts that take them; else NULL */

	/* host memory of entries' handlers: what the context was given for the first one, and what each has */
	struct nic_segments first_segments, segments[SPIN_MES_MAX];
	uint32_t put_id;          /* of the next packet that is put */
	uint32_t work_counts;     /* where its struct spin_work_counts_ is; 0: its handlers leave no work items */
	uint32_t work_taken;      /* items that the host's program has had, or will have with the result */
	uint32_t watchdog_cycles; /* of the context's tasks; 0: as their HPU says */

	/* queues that a packet passes, in this order */
	struct ingress_line line;
	uint32_t placed_bytes;        /* of packet memory that its packets have */
	struct inflight_queue stored; /* what no message has been found for yet, */
	struct inflight_queue ready;  /* and whose HERs the MPQ engine has not taken */
	struct slots slots;
	unsigned wanted_per_home; /* of slots__open() */

	/* reports */
	struct pspin_observer observer;
	struct event_log event_log;

	uint64_t count[SPIN_REASON_COUNT];
	struct pspin_traffic traffic; /* as far as it is counted as it goes */
	uint64_t busy_cycles, blocked_cycles, first_ps, last_ps;
};

/* The context whose message has that MPQ. */
static inline struct pspin *device__context(const struct device *device, uint32_t message_id)
{
	return device->contexts[message_id / (uint32_t)device->target.clusters % device->count];
}

/* Bytes of packet memory that each context may have. */
static inline uint32_t device__packet_bytes(const struct device *device)
{
	return device->soc.memory.l2_packet_bytes / device->count / BUFFER_UNIT_BYTES * BUFFER_UNIT_BYTES;
}

/* --- contexts.c --- */

/* The context that a frame belongs to; the first one if to none. */
struct pspin *device__match(const struct device *device, const void *frame, size_t frame_bytes);
/*
 * May another context join, with that rule? 0, -EBUSY, -EEXIST, -ENOSPC or -EOPNOTSUPP; err says why. Then, its program being
 * loaded: is there room for it together with the others'? 0 and its code_at, or -ENOSPC.
 */
int device__may_join(const struct device *device, const struct spin_rule *rule, char *err, size_t err_bytes);
int device__admit(const struct device *device, struct pspin *nic, char *err, size_t err_bytes);
/* What contexts share is divided again among all. 0 or -ENOSPC, -ENOMEM. */
int device__divide(struct device *device, char *err, size_t err_bytes);

#endif
