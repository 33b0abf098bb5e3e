/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_HER_QUEUE_H
#define NIC_HER_QUEUE_H

/*
 * From packet memory to the machine and back: packets that are stored wait for their message's decision in their order, those
 * that handlers are to see for the MPQ engine to take their HERs; tasks that end are told to the packet's kind.
 */
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"

enum decision {
	DECIDED_HANDLED, /* it has its slot, and was given to her_queue__add() */
	DECIDED_DONE,    /* it goes no further: its record says what it came to */
	DECIDED_PARKED,  /* told, and kept by its message */
	DECIDED_WAIT,    /* later: there is no MPQ, but there will be one */
};

/* What is different between datagrams, messages and images that are not ours. */
struct nic_kind {
	/* Of a frame that arrives: how many bytes it takes in packet memory. 0: it is not ours, and its record says why. */
	uint32_t (*classify)(struct pspin *nic, struct inflight *inflight);
	/* Writes it there; returns how many bytes the packet has. */
	uint32_t (*place)(struct pspin *nic, struct inflight *inflight, uint8_t *to);
	enum decision (*decide)(struct pspin *nic, struct inflight *inflight);
	/* A packet that was kept has its turn before those that are stored: decides one. 0: there is none. NULL: never. */
	int (*replay)(struct pspin *nic);
	/* NULL: nothing to do */
	void (*starts)(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind);
	void (*ended)(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task);
	/* A handler leaves an item to the host's program. */
	void (*work)(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes);
	/* Its last task has ended: verdict and reason, and what leaves to nic->frame; returns its length. */
	size_t (*leaves)(struct pspin *nic, struct inflight *inflight);
	/* The message has ended, and its slot is to be given back. */
	void (*freed)(struct pspin *nic, struct slot *slot);
};

extern const struct nic_kind datagram_kind, message_kind, image_kind;

/* The machine's callbacks. */
extern const struct soc_nic nic_hooks;

/* The inbound engine's tests of a context's packets. 0: it is not ours; its record says why. */
int her_queue__classify(struct pspin *nic, struct inflight *inflight);
/* All of it is in packet memory. */
void her_queue__stored(struct pspin *nic, struct inflight *inflight);
/* Decided: a HER of its slot, running `payload` as data task. */
void her_queue__add(struct pspin *nic, struct inflight *inflight, struct slot *slot, uint32_t payload, int end_of_message);
/* There is no MPQ for it, and the wire does not wait. */
enum decision her_queue__lose(struct pspin *nic, struct inflight *inflight);
/* Something may go on now that could not before. */
void her_queue__wake(struct pspin *nic);

/* It leaves packet memory, and is forgotten. */
void her_queue__free(struct pspin *nic, struct inflight *inflight);

/* All that is under way on its NIC comes to its end. 0; -EDEADLK, -ENOMEM. */
int nic__run_to_end(struct pspin *nic);
/*
 * From here on (1) packets have the whole machine one after the other, in the home cluster 0 and with all code in the caches;
 * or not (0).
 */
void nic__one_at_a_time(struct pspin *nic, int on);
/* Memory ran out: results are not to be used. */
int device__is_incomplete(const struct device *device);
/* The first context with a packet that nothing will move; NULL: none. */
struct pspin *device__find_stuck(const struct device *device);

#endif
