/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_INFLIGHT_H
#define HWMODEL_NIC_INFLIGHT_H

/*
 * A packet in flight, from the ingress link through packet memory, the queue of requests to run handlers (her_queue.h) and its tasks to its
 * disposition. Shared by the files of nic/.
 */
#include <hwmodel/traffic.h>

#include "hwmodel/soc/soc.h"
#include "hwmodel/nic/inbound.h"
#include "hwmodel/nic/packet_buffer.h"
#include "hwmodel/nic/slmp.h"

struct slot;
struct connection;

/* The sequence numbers of a TCP segment (<spin/segment.h>), and flags of its header. */
struct tcp_segment {
	uint32_t seq;
	uint32_t start, end; /* numbers of its first payload byte, and of its FIN */
	uint32_t bytes;      /* of payload */
	int syn, fin, rst;
};

/* A packet as it arrived, and the content of its headers. */
struct arrival {
	const uint8_t *frame;
	size_t frame_bytes;
	struct inbound in;
	struct slmp slmp;           /* for messages, if it is well-formed */
	struct tcp_segment segment; /* for segments */
};

/* Bytes that a command moved out of the NIC. */
struct moved {
	uint8_t *at;
	uint32_t bytes, room;
	int done;      /* 1: the transfer was made, even if it had no effect */
	uint64_t left; /* the cycle in which its last byte reached the destination */
};

/* One packet in the NIC. */
struct inflight {
	struct inflight *next; /* in its queue */
	struct pspin *nic;     /* its context */
	struct pspin_packet_record record;
	struct arrival arrival;
	int end_of_message;   /* for images: as offered, */
	uint64_t message;     /* and the message's number */
	int is_malformed;     /* for messages */
	int again;            /* its message was evicted: the sender must restart it */
	int is_matched;       /* not its message's first packet */
	int is_replayed;      /* it was parked, and has been recorded already */
	uint32_t index;       /* in struct inflights; its HER carries it */
	struct buffer *place; /* its buffer; NULL: not in packet memory */
	uint32_t lead_bytes;  /* free bytes of the buffer in front of it, so that its payload begins a line */
	uint32_t placed_bytes;
	uint32_t stored_bytes; /* bytes that its beats write to packet memory, with those in front of it */
	struct slot *slot;     /* its message's MPQ, while the packet is in it */
	struct soc_her her;
	struct connection *connection; /* for segments that have tasks */
	struct inflight *next_running; /* of the connection's segments that have tasks */
	int ends;                      /* for segments: the last task ends the connection, unless the segment is dropped */

	/* results of its tasks so far */
	enum pspin_task_kind kind; /* of the data task, */
	uint32_t handler_bytes;    /* bytes for its payload handler; 0: none runs */
	enum spin_reason reason;
	uint32_t error;
	int has_failed;
	struct moved reply, deposit;
	uint32_t delivered_bytes;

	struct offered *offered; /* holds the frame */
};

/* Returns its offset in packet memory; it must have a buffer. */
uint32_t inflight__offset(const struct inflight *inflight);

/* A queue, linked by inflight.next. */
struct inflight_queue {
	struct inflight *first, *last;
};

/* All packets in flight, and unused ones for reuse. */
struct inflights {
	struct inflight **all; /* by index */
	unsigned count, room;
	struct inflight *unused;
};

/* Allocates a packet, zero except for its index; NULL: out of memory. */
struct inflight *inflights__alloc(struct inflights *inflights);
/* Frees a packet with its frame. It must have no packet memory and no slot. */
void inflights__free(struct inflights *inflights, struct inflight *inflight);
void inflights__close(struct inflights *inflights);

void inflight_queue__add(struct inflight_queue *queue, struct inflight *inflight);
struct inflight *inflight_queue__take(struct inflight_queue *queue);

/* Keeps a copy of `bytes` bytes for `offset`. Returns 0, or -1 if out of memory. */
int out_buffer__store(struct moved *moved, uint32_t offset, const uint8_t *from, uint32_t bytes);

#endif
