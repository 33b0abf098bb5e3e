/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_INFLIGHT_H
#define HWMODEL_NIC_INFLIGHT_H

/*
 * A packet in flight: its way from the ingress link through packet memory, the HER queue and its tasks to its disposition. Shared
 * by the files of nic/.
 */
#include <hwmodel/traffic.h>

#include "hwmodel/soc/soc.h"
#include "hwmodel/nic/inbound.h"
#include "hwmodel/nic/packet_buffer.h"
#include "hwmodel/nic/slmp.h"

struct slot;

/* A packet as it came, and what its headers say. */
struct arrival {
	const uint8_t *frame;
	size_t frame_bytes;
	struct inbound in;
	struct slmp slmp; /* of messages, if it is well-formed */
};

/* Bytes that a command moved out of the NIC. */
struct moved {
	uint8_t *at;
	uint32_t bytes, room;
	int done;      /* 1: it was, even if nothing came of it */
	uint64_t left; /* the cycle in which its last byte was where it goes */
};

struct inflight {
	struct inflight *next; /* in its queue */
	struct pspin *nic;     /* whose it is */
	struct pspin_packet_record record;
	struct arrival arrival;
	int end_of_message;   /* as it was offered, of images; */
	uint64_t message;     /* and whose it is */
	int is_malformed;     /* of messages */
	int again;            /* its message was ended for another one: the sender is to begin it again */
	int is_matched;       /* its message has been: it is not the first packet */
	int is_replayed;      /* it was parked, and is recorded already */
	uint32_t index;       /* of the flight: what its HER calls it */
	struct buffer *place; /* NULL: not in packet memory */
	uint32_t lead_bytes;  /* of its place before it, so that its payload begins a line */
	uint32_t placed_bytes;
	uint32_t stored_bytes; /* of packet memory that its beats write as it comes, with those before it */
	struct slot *slot;     /* its message's MPQ, while it is in there */
	struct soc_her her;

	/* the results of its tasks so far */
	enum pspin_task_kind kind; /* of the data task, */
	uint32_t handler_bytes;    /* and what its payload handler is given; 0: none runs */
	enum spin_reason reason;
	uint32_t error;
	int has_failed;
	struct moved reply, deposit;
	uint32_t delivered_bytes;

	struct offered *offered; /* holds the frame */
};

/* Where it is, from the start of packet memory; it must have a place. */
uint32_t inflight__offset(const struct inflight *inflight);

struct inflight_queue {
	struct inflight *first, *last;
};

struct inflights {
	struct inflight **all; /* by index */
	unsigned count, room;
	struct inflight *unused;
};

/* Allocates one, all zero but for its index; NULL: out of memory. */
struct inflight *inflights__take(struct inflights *inflights);
/* Frees it, with its frame. It must have no packet memory and no slot. */
void inflights__give_back(struct inflights *inflights, struct inflight *inflight);
void inflights__close(struct inflights *inflights);

void inflight_queue__add(struct inflight_queue *queue, struct inflight *inflight);
struct inflight *inflight_queue__take(struct inflight_queue *queue);

/* Keeps a copy of so many bytes that go to `offset`. 0, or -1: no memory. */
int moved__keep(struct moved *moved, uint32_t offset, const uint8_t *from, uint32_t bytes);

#endif
