/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_HER_QUEUE_H
#define NIC_HER_QUEUE_H

/*
 * The queue of HERs between packet memory and the MPQ engine, and the way back. Stored packets are decided in their order: a packet that
 * handlers are to see gets a slot and a HER, which waits until the MPQ engine has room. Tasks that end are reported to the context's kind.
 */
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"

enum decision {
	DECIDED_HANDLED, /* it has a slot, and was passed to her_queue__add() */
	DECIDED_DONE,    /* no handler sees it; it is recorded and freed */
	DECIDED_PARKED,  /* recorded, and kept by its message */
	DECIDED_WAIT,    /* no MPQ is free, but one will be: decide again later */
};

/* What differs between contexts of datagrams, of messages, and third-party images. */
struct nic_kind {
	/* Classifies a frame that arrives. Returns the bytes that it takes in packet memory, or 0: not matched, and its record says why. */
	uint32_t (*classify)(struct pspin *nic, struct inflight *inflight);
	/* Writes the packet to packet memory. Returns its bytes. */
	uint32_t (*place)(struct pspin *nic, struct inflight *inflight, uint8_t *to);
	enum decision (*decide)(struct pspin *nic, struct inflight *inflight);
	/* Decides one parked packet; these come before stored ones. Returns 0 if there is none. NULL: nothing is ever parked. */
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

extern const struct nic_kind datagram_kind, message_kind, image_kind;

/* The machine's callbacks. */
extern const struct soc_nic nic_hooks;

/* Runs the inbound engine's tests. Returns 0 if the packet is not matched; its record says why. */
int her_queue__classify(struct pspin *nic, struct inflight *inflight);
/* The whole packet is in packet memory. */
void her_queue__stored(struct pspin *nic, struct inflight *inflight);
/* Queues a HER of the slot, whose data task is the function at `payload`. */
void her_queue__add(struct pspin *nic, struct inflight *inflight, struct slot *slot, uint32_t payload, int end_of_message);
/* Drops the packet: no MPQ is free, and the link does not wait. */
enum decision her_queue__lose(struct pspin *nic, struct inflight *inflight);
/* A packet may advance now that could not before: adds an event that tries. */
void her_queue__wake(struct pspin *nic);

/* Frees the packet and its packet memory. */
void her_queue__free(struct pspin *nic, struct inflight *inflight);

/* Runs the NIC until nothing is left to do. 0; -EDEADLK if packets are left, -ENOMEM. */
int nic__run_to_end(struct pspin *nic);
/*
 * 1: from here on each packet has the whole machine for itself, in home cluster 0 and with every fetch a hit; 0: no longer.
 */
void nic__one_at_a_time(struct pspin *nic, int on);
/* Memory ran out: results are not to be used. */
int device__is_incomplete(const struct device *device);
/* The first context with a packet that nothing will move; NULL: none. */
struct pspin *device__find_stuck(const struct device *device);

#endif
