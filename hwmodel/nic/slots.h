/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_SLOTS_H
#define HWMODEL_NIC_SLOTS_H

/*
 * Assigns slots to messages: a slot is an MPQ (message processing queue) of the modelled SoC with a scratchpad, the memory of one message.
 * Called by each kind of context and by her_queue.c. A message gets the lowest free MPQ of the home cluster whose MPQs hold the fewest
 * packets, or the one whose turn it is (struct pspin_limits.ids_in_turn). Every cluster for which the task descriptor has a scratchpad
 * register is a home cluster. Images with state in L1, and packets that come one at a time, use cluster 0 alone.
 */
#include "hwmodel/nic/nic.h"

struct nic_mpq;

/* A slot, and what the message in it needs. */
struct slot {
	uint32_t id;           /* number of the MPQ */
	unsigned home, number; /* number: among the home cluster's slots */
	int is_taken;
	unsigned in_flight; /* packets in the MPQ, or about to enter it */
	struct soc_context context;
	uint32_t place_at;   /* offset of its scratchpad in the home cluster's L1; 0: not in L1, but in */
	uint8_t *scratch;    /* this buffer */
	struct nic_mpq *mpq; /* for messages */
	uint64_t message;    /* for images: the number with which its packets were offered */
	int is_ending;       /* the message's last packet has been passed to it */
};

/* Bytes of a message's scratchpad: struct hpu_scratch, followed by the handlers' own bytes. */
static inline uint32_t slot__scratch_bytes(uint32_t own_bytes)
{
	return ((uint32_t)sizeof(struct hpu_scratch) + own_bytes + 63) & ~63u;
}

/*
 * Opens per_home slots for each home cluster, with scratchpads of scratch_bytes. The contexts of a NIC have equal parts of the target's
 * MPQs and of L1's room for scratchpads. A context that takes messages has as many MPQs as it requests, since senders rely on
 * their number. Returns 0, -EINVAL or -ENOMEM.
 */
int slots__open(struct pspin *nic, unsigned per_home, uint32_t scratch_bytes);
void slots__close(struct pspin *nic);

/* Does the target have an id for a new message? With ids in turn: is the next one free? */
int slots__has_id(const struct pspin *nic);
/* Takes a slot for a new message; its scratchpad is zero. NULL: none is free. */
struct slot *slots__alloc(struct pspin *nic);
/* Takes the slot of that number if it is free; else NULL. */
struct slot *slots__alloc_number(struct pspin *nic, uint64_t number);
void slot__free(struct pspin *nic, struct slot *slot);
struct slot *slots__find(const struct pspin *nic, uint32_t id);

/* Sets the message's own host memory and the image's functions for the IP version. */
void slot__describe(struct pspin *nic, struct slot *slot, int is_ip4, uint64_t host_mem, uint32_t host_bytes);

/* --- slots.c --- */

/* Returns the scratchpad's content, in L1 or in host memory. */
struct hpu_scratch *scratchpad__of(struct pspin *nic, struct slot *slot);
/* Moves it to L1, where it stays while packets are in flight. Returns 0 if there is no room yet. */
int scratchpad__hold(struct pspin *nic, struct slot *slot);

#endif
