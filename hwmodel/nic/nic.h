/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_NIC_H
#define HWMODEL_NIC_NIC_H

/*
 * State of the modelled NIC: the device that all its contexts share, and an execution context (struct pspin: handlers, their memories and a
 * match rule). Included by most files of nic/. The part of the machine that it uses is in soc/soc.h.
 */
#include <hwmodel/scratch.h>
#include <hwmodel/traffic.h>

#include "hwmodel/soc/soc.h"
#include "hwmodel/nic/inflight.h"

enum { NIC_HEADER, NIC_PAYLOAD, NIC_PROCEED, NIC_ENTRIES }; /* each for IPv6 and IPv4 */

struct messages;
struct connections;
struct slot;

/* Log of a packet or of pspin__clock(): tasks, events and sends of handlers, in order. */
struct event_log {
	struct pspin_task *tasks;
	struct spin_event *events;
	struct spin_request *sends;
	unsigned task_count, task_room, event_count, event_room, send_count, send_room;
	int incomplete; /* memory ran out: further entries go to the following */
	struct pspin_task lost_task;
	struct spin_event lost_event;
	struct spin_request lost_send;
};

/* Memory that handlers of an entry's messages reach: the entry's, and their own. */
struct nic_segments {
	struct spin_segment memory;
	unsigned count;
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
};

/* Destination of the default action for datagrams; not a handler's own host memory. */
#define DEPOSIT_BASE     0x5000000000ull
#define DEPOSIT_BYTES    0x10000u
#define PACKET_BYTES_MAX 0x10000u

/* --- the ingress link (ingress.h) --- */

struct offered;

/* A context's packets that wait for the link. */
struct ingress_queue {
	struct offered *first, *last; /* not arrived yet */
	struct inflight *held;        /* waits for packet memory; NULL: none */
	uint64_t due_ps;              /* when it would have arrived without the wait */
};

/* The state of the link. */
struct ingress {
	uint64_t offered, next_packet;
	uint64_t free_ps;   /* when the link is free */
	uint64_t busy_ps;   /* time for which it has carried packets */
	uint64_t rest;      /* fraction of a picosecond beyond free_ps, for the next packet */
	uint64_t due_ps;    /* when the next packet arrives */
	uint64_t stored_ps; /* when the last packet was stored */
	struct pspin *next; /* context of the next packet, for which the event is pending; NULL: none */
	uint64_t event;     /* number of that event; earlier events were replaced by another context's packet */
	int loses;
};

/* The machine's MPQs, as slots for messages (slots.h). */
struct slots {
	struct slot *all; /* home by home */
	unsigned homes, per_home;
	unsigned ids_per_home;            /* ids of the target for this context; with more in use a new message waits until one ends */
	unsigned homes_in_use;            /* 1 while packets come one at a time */
	unsigned turn;                    /* next id, if ids are given in turn */
	uint64_t *taken[HPU_SCRATCHPADS]; /* bitmaps */
	unsigned in_flight[HPU_SCRATCHPADS];
	unsigned taken_count, taken_peak, ending_count;

	/* scratchpads (slots.c) */
	uint32_t scratch_bytes;
	unsigned places; /* number that fit an L1 */
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
	unsigned turn; /* context that advances first */

	uint64_t offered_ps; /* latest at_ps of pspin__offer() */
	struct ingress ingress;
	struct packet_buffer packet_buffer; /* packet memory */
	struct inflights inflights;
	unsigned hers_in_flight, hers_peak;
	int has_event;                          /* the event of her_queue__wake() is pending */
	void (*on_room)(struct device *device); /* called when packet memory was freed: ingress.c */

	int one_at_a_time;                    /* pspin__packet() or pspin__clock() runs */
	uint64_t asked_packet;                /* number of its packet, */
	struct pspin_packet_record asked;     /* and the result */
	uint8_t frame[PACKET_BYTES_MAX + 64]; /* the frame that leaves */
	char stuck[256];
};

/* Result of nic_kind.decide() for a stored packet (her_queue.c). */
enum decision {
	DECIDED_HANDLED, /* it has a slot, and was passed to her_queue__add() */
	DECIDED_DONE,    /* no handler sees it; it is recorded and freed */
	DECIDED_PARKED,  /* kept by its message, and recorded; or kept by its connection until others of it are done */
	DECIDED_WAIT,    /* no MPQ is free, but one will be: decide again */
};

/* What differs between contexts of datagrams, of messages, of segments, and third-party images. */
struct nic_kind {
	/*
	 * Classifies a frame that arrives. Returns the bytes that it needs in packet memory, or 0 if it does not match; its record then
	 * has the reason.
	 */
	uint32_t (*classify)(struct pspin *nic, struct inflight *inflight);
	/* Writes the packet to packet memory. Returns its bytes. */
	uint32_t (*place)(struct pspin *nic, struct inflight *inflight, uint8_t *to);
	enum decision (*decide)(struct pspin *nic, struct inflight *inflight);
	/* Decides one parked packet; these come before stored ones. Returns 0 if none can be decided. NULL: nothing is ever parked. */
	int (*replay)(struct pspin *nic);
	/* NULL: nothing to do */
	void (*starts)(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind);
	void (*ended)(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task);
	/* A handler has left a work item for the host's program. */
	void (*work)(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes);
	/* The packet's last task has ended: sets verdict and reason, and writes what leaves to device->frame. Returns its bytes. */
	size_t (*leaves)(struct pspin *nic, struct inflight *inflight);
	/* The message has ended: frees its slot. */
	void (*freed)(struct pspin *nic, struct slot *slot);
};

extern const struct nic_kind datagram_kind, message_kind, segment_kind, image_kind;

/* Functions of datagram_kind that segment_kind has, too. */
uint32_t datagram__place(struct pspin *nic, struct inflight *inflight, uint8_t *to);
void datagram__work(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes);
size_t datagram__leaves(struct pspin *nic, struct inflight *inflight);
/* Frees the slot of a message of one packet. */
void datagram__freed(struct pspin *nic, struct slot *slot);
/* Returns an event about the packet, with its source and ports. */
struct spin_event datagram__describe(const struct inflight *inflight, enum spin_event_type type, enum spin_handler_kind kind);

/* An execution context. */
struct pspin {
	struct device *device;
	unsigned number; /* among the device's, and its program in the machine */
	struct spin_meta meta;
	struct spin_rule rule;
	void *elf_data;
	struct hw_elf *elf;
	struct pspin_image image; /* third-party image; the caller owns what its pointers name */
	struct storage *memory;   /* that the program sees; for contexts that joined: */
	struct storage own_memory;
	uint32_t code_at; /* added to its addresses: offset of its code for the caches */

	const struct nic_kind *kind;
	int is_image;                               /* from pspin__open_image(): no registration and no matching entries */
	uint32_t entry[NIC_ENTRIES][2], completion; /* addresses of the image's entry functions */
	uint32_t program_end;
	struct messages *messages;       /* of contexts that take messages; else NULL */
	struct connections *connections; /* of contexts that take segments; else NULL */

	/* host memory of entries' handlers: the context's own for the first entry, and the current memory of each */
	struct nic_segments first_segments, segments[SPIN_MES_MAX];
	uint32_t put_id;          /* SLMP message id of the next put */
	uint32_t work_counts;     /* address of its struct spin_work_counts_; 0: its handlers leave no work items */
	uint32_t work_taken;      /* items passed to the host's program, including those of the current result */
	uint32_t watchdog_cycles; /* limit for the context's tasks; 0: their HPU's */

	/* queues that a packet passes through, in this order */
	struct ingress_queue line;
	uint32_t placed_bytes;        /* packet memory that its packets use */
	struct inflight_queue stored; /* packets that are not assigned to a message yet, */
	struct inflight_queue ready;  /* and packets whose HERs the MPQ engine has not accepted */
	struct slots slots;
	unsigned wanted_per_home; /* of slots__open() */
	int ids_in_turn;          /* as in struct pspin_limits */

	/* reports */
	struct pspin_observer observer;
	struct event_log event_log;

	uint64_t count[SPIN_REASON_COUNT];
	struct pspin_traffic traffic; /* the part that is counted while running */
	uint64_t busy_cycles, blocked_cycles, first_ps, last_ps;
};

/* Returns the context whose message has that MPQ. */
static inline struct pspin *device__context(const struct device *device, uint32_t message_id)
{
	return device->contexts[message_id / (uint32_t)device->target.clusters % device->count];
}

/* Returns the bytes of packet memory that each context may use. */
static inline uint32_t device__packet_bytes(const struct device *device)
{
	return device->soc.memory.l2_packet_bytes / device->count / BUFFER_UNIT_BYTES * BUFFER_UNIT_BYTES;
}

/* --- contexts.c --- */

/* Returns the context that a frame belongs to; the first one if no rule matches. */
struct pspin *device__match(const struct device *device, const void *frame, size_t frame_bytes);
/*
 * May another context join with that rule? Returns 0, -EBUSY, -EEXIST, -ENOSPC or -EOPNOTSUPP; err has the reason. device__admit() then
 * checks, with its program loaded, that it fits together with the others. Returns 0 with code_at set, or -ENOSPC.
 */
int device__may_join(const struct device *device, const struct spin_rule *rule, char *err, size_t err_bytes);
int device__admit(const struct device *device, struct pspin *nic, char *err, size_t err_bytes);
/* Divides the shared resources again among all contexts. Returns 0, -ENOSPC or -ENOMEM. */
int device__divide(struct device *device, char *err, size_t err_bytes);

#endif
