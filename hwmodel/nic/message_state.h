/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_MESSAGE_STATE_H
#define HWMODEL_NIC_MESSAGE_STATE_H

/*
 * State of messages of many packets in the modelled NIC, in front of the MPQ engine, which schedules their tasks (runs of handlers).
 * Included by the files of nic/ that handle messages. Written from the text of <spin/message.h>, independently of the runtime in bpf/;
 * tests compare the two.
 *
 * Steps are numbered as in that text. Steps up to 11 are done when a packet is stored, in order of arrival. Its handlers run when the
 * machine schedules its tasks.
 */
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"

/* Flows: a message's key with its MPQ (its state while in flight), or with a tombstone (it has ended; further packets are duplicates). */

struct nic_mpq;

/* What identifies a message. */
struct flow_key {
	uint32_t src_addr[4]; /* network byte order; IPv4 in word 0, other words 0 */
	uint32_t message_id;  /* host byte order */
	uint16_t src_port;    /* host byte order */
	uint16_t ip_version;
};
_Static_assert(sizeof(struct flow_key) == 24, "compared as bytes");

/* A message that is in flight, or that has ended and is remembered. */
struct flow {
	struct flow *next;
	struct flow_key key;
	struct nic_mpq *mpq; /* NULL: a tombstone */
	uint32_t left_ms;    /* time at which it became a tombstone, and values that identify its message: */
	uint32_t stride, length, sum;
	int evicted;   /* 1: its message was evicted */
	int is_lost;   /* 1: it was waiting then, so its parked packets are lost */
	int is_hidden; /* 1: not found any more, since its message is about to complete */
};

#define FLOW_LISTS 4096u

/* All flows, in lists by a hash of the key. */
struct flows {
	struct flow *list[FLOW_LISTS];
};

struct flow *flows__find(const struct flows *flows, const struct flow_key *key);
/* Adds a flow for a message. Frees tombstones of the same list that are older than tombstone_ms. Returns NULL if out of memory. */
struct flow *flows__add(struct flows *flows, const struct flow_key *key, struct nic_mpq *mpq, uint32_t now_ms, uint32_t tombstone_ms);
/* Removes it from its list; flows__remove() then frees it. */
void flows__hide(struct flows *flows, struct flow *flow);
void flows__remove(struct flows *flows, struct flow *flow);
void flows__clear(struct flows *flows);

/* Is it a tombstone that has not expired? */
int flow__is_tombstone(const struct flow *flow, uint32_t now_ms, uint32_t tombstone_ms);

/* Where a message is between its first packet and its end. */
enum mpq_phase {
	MPQ_FREE,
	MPQ_WAITING,
	MPQ_OPEN,
	MPQ_ENDING, /* all its packets have arrived; for other packets it counts as complete */
};

/* The state of one message in flight. */
struct nic_mpq {
	enum mpq_phase phase;
	struct flow *flow;
	uint16_t dst_port; /* host byte order */
	uint32_t opened_ms;
	uint32_t scan_handled, scan_stalls; /* value of `handled` at the last look under pressure; number of looks since it changed */
	uint32_t last_ms;                   /* time of the last packet that restarted its idle time */
	struct inflight_queue parked;       /* in order of arrival */
	struct slot *slot;                  /* of a message that is open or ending */

	/* of an open message */
	uint32_t stride;
	uint32_t sum;             /* of the first packet's datagram */
	uint32_t total;           /* number of packets; 0: the last one has not been handled */
	uint32_t length;          /* bytes of payload; SPIN_LENGTH_UNKNOWN before the last packet arrived */
	uint32_t end;             /* highest packet number that arrived, + 1 */
	uint32_t next_offset;     /* where flows are messages: offset of the next packet */
	uint32_t lowest;          /* lowest number of a missing packet */
	uint32_t handled;         /* packets handled or passed to handlers */
	uint32_t *window;         /* bit i modulo window_bits: packet i arrived; from `lowest` on */
	enum spin_reason verdict; /* SUCCESS: payload handlers run; PROCEEDED, HEADER_DROPPED, or the error */
	int completes;            /* 1: PROCEEDED, and the completion handler runs */
	int no_payload;           /* its entry runs no payload handler */
	uint32_t place;           /* offset of its first byte in host memory */
	uint32_t place_bytes;     /* from there to the end of its matching entry */
	uint32_t me;              /* SPIN_MES_MAX: none */
	uint32_t offset;          /* in the entry, saturated */
	uint64_t match_bits, hdr_data;
	uint32_t type; /* enum spin_type */
	int holds_me, pending, error, overflow;
	int refused; /* longer than its entry; while it is open: it ends when its handlers have ended */

	uint32_t dropped_bytes, deposited_bytes;
	int flow_control;
};

/* The messages of a context: its limits, its clock, MPQs, flows and entries. */
struct messages {
	struct pspin_limits limits;
	uint32_t now_ms;
	struct nic_mpq *mpqs; /* limits.mpqs of them */
	uint32_t window_bits; /* a power of two, with room for one more packet than the window: the lowest missing one has a bit */
	uint32_t *windows;    /* of all MPQs */
	uint64_t taken[SPIN_MPQS_MAX / 64];
	struct flows flows;
	unsigned next_mpq;          /* index after the MPQ taken last */
	unsigned scan_mpq, scan_me; /* where the next look under pressure starts */
	unsigned parked_count;
	struct nic_mpq *replaying; /* NULL: none */
	unsigned replays_left;
	struct spin_me mes[SPIN_MES_MAX];
	uint32_t next_serial;
	struct spin_segment reserved; /* in a managed entry, for the current packet */
	struct spin_message_stats stats;
};

/* Opens a context of messages with the default limits. Returns 0, -EINVAL or -ENOMEM. */
int nic_messages__open(struct pspin *nic);
void nic_messages__free(struct pspin *nic);

/* --- mpq.c: MPQs --- */

/* Takes the next free MPQ after the one taken last, cyclically; NULL if none is free. */
struct nic_mpq *mpq__alloc(struct pspin *nic, const struct arrival *a);
/* Frees an MPQ with its parked packets, which are counted as lost. */
void mpq__free(struct pspin *nic, struct nic_mpq *mpq);
/* Frees the MPQ of a message that has not ended. None of its packets may be in flight. */
void mpq__abandon(struct pspin *nic, struct nic_mpq *mpq);
/*
 * Ends a message that is not complete. report 0: without an event for the host. keeps_tombstone 1: its flow becomes a tombstone, which
 * tells the sender to restart the message. None of its packets may be in flight.
 */
void mpq__evict(struct pspin *nic, struct nic_mpq *mpq, int report, int keeps_tombstone);
/*
 * Ends a message that is longer than its entry, which does not truncate. While handlers have packets of it, it only accepts no more
 * packets, and mpq__expire() ends it.
 */
void mpq__refuse(struct pspin *nic, struct nic_mpq *mpq);
/* Second half of step 8: opens the message with its first packet. Entry `me` must be open to it. */
void mpq__begin(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *first, unsigned me);
/* Step 11. SPIN_REASON_COUNT: the packet goes to its handlers; after the last packet the message is ending. */
enum spin_reason mpq__packet(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight);
/* Schedules step 13; mpq__replay_one() does it for one packet. Returns 0 if no packet is left. */
void mpq__replay(struct pspin *nic, struct nic_mpq *mpq);
int mpq__replay_one(struct pspin *nic);
/* Step 12, when all tasks have ended: updates the entry, reports the event, leaves a tombstone, and frees the MPQ. */
void mpq__complete(struct pspin *nic, struct nic_mpq *mpq);
/* Counts a packet of the message that flow control dropped. */
void mpq__flow_control(struct pspin *nic, struct nic_mpq *mpq, uint32_t payload_bytes);
/* Ends refused messages, expires idle ones, and replays parked packets. Nothing else may run. */
void mpq__expire(struct pspin *nic);

/* --- message.c: handlers of a message --- */

/* Bytes in front of a packet's payload in packet memory, as slmp__strip() writes them. */
uint32_t message__header_bytes(const struct arrival *a);
/* Sets what its packets' HERs say, and its place in host memory. */
void message__describe(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *first);
/* Then selects the handlers that run in an entry with these options, and the verdict that replaces a header handler's. */
void message__install(struct pspin *nic, struct nic_mpq *mpq, uint32_t options);
/* Queues the packet's HER, with the payload handler or the default action. */
void message__run(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight, int is_last);
void message__starts(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind);
void message__ended(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task);
void message__work(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes);
void message__report(struct pspin *nic, const struct nic_mpq *mpq, enum spin_event_type type, enum spin_handler_kind kind, uint32_t offset,
		     uint32_t flags);

/* --- entries.c: matching entries --- */

/* Does the entry match this key and these match bits? */
int entries__fit(const struct spin_me *me, const struct flow_key *key, uint64_t match_bits);
/* Returns the first entry posted that is open to a message with this first packet; SPIN_MES_MAX: none. */
unsigned entries__match(const struct messages *messages, const struct flow_key *key, const struct slmp *first);
/* Reserves a part of an entry that manages its offset; unreserve returns it if there is no MPQ. */
void entries__reserve(struct messages *messages, unsigned index, const struct slmp *first);
void entries__unreserve(struct messages *messages, unsigned index);
/* Sets the message's offset and place in its entry, using the reservation; the message takes the entry if it is its last. */
void entries__assign(struct messages *messages, struct nic_mpq *mpq, const struct slmp *first);
/* Releases a message's part of an entry: it ended before it was complete, or without an event for the host. */
void entries__release(struct messages *messages, const struct nic_mpq *mpq);
/* Resets to no entry, or to the initial one. Its handlers' memory is set by nic_host__open(). */
void entries__reset(struct pspin *nic);
/* Called when a result passes its events to the host: frees the entries that their messages unlinked. */
void entries__events_taken(struct messages *messages);

/* Step 9, for a message that waits for its first packet. Returns PARKED, DUPLICATE or NO_PARKING. */
enum spin_reason mpq__park(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight);

#endif
