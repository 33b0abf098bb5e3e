/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_MESSAGE_STATE_H
#define HWMODEL_NIC_MESSAGE_STATE_H

/*
 * Messages of many packets: the part of the NIC's hardware in front of the MPQ engine. Written from the text of <spin/message.h>,
 * and independent of the runtime in bpf/; tests compare the two.
 *
 * Steps are numbered as in that text. Those up to 11 are done when a packet is stored, in order of arrival; its handlers run when
 * the machine schedules its task.
 */
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"

/* Keys of messages, and what became of them: the MPQ that one has, or a tombstone. */

struct nic_mpq;

struct flow_key {
	uint32_t src_addr[4]; /* network byte order, IPv4 in word 0, the others 0 */
	uint32_t message_id;  /* host byte order */
	uint16_t src_port;    /* host byte order */
	uint16_t ip_version;
};
_Static_assert(sizeof(struct flow_key) == 24, "compared as bytes");

struct flow {
	struct flow *next;
	struct flow_key key;
	struct nic_mpq *mpq; /* NULL: a tombstone */
	uint32_t left_ms;    /* when it was left, and what tells its message from another one: */
	uint32_t stride, length, sum;
	int pressed;   /* 1: its message was ended for another one */
	int is_hidden; /* 1: it is found no more, its message being about to complete */
};

#define FLOW_LISTS 4096u

struct flows {
	struct flow *list[FLOW_LISTS];
};

struct flow *flows__find(const struct flows *flows, const struct flow_key *key);
/*
 * A new one for a message. Tombstones of its list that are older than tombstone_ms are
 * forgotten. NULL: no memory.
 */
struct flow *flows__add(struct flows *flows, const struct flow_key *key, struct nic_mpq *mpq, uint32_t now_ms, uint32_t tombstone_ms);
/* From now on it is not found; flows__remove() frees it. */
void flows__hide(struct flows *flows, struct flow *flow);
void flows__remove(struct flows *flows, struct flow *flow);
void flows__clear(struct flows *flows);

/* 1: a tombstone that still counts. */
int flow__is_tombstone(const struct flow *flow, uint32_t now_ms, uint32_t tombstone_ms);

enum mpq_phase {
	MPQ_FREE,
	MPQ_WAITING,
	MPQ_OPEN,
	MPQ_ENDING, /* all its packets have come; to others it is as complete */
};

struct nic_mpq {
	enum mpq_phase phase;
	struct flow *flow;
	uint16_t dst_port; /* host byte order */
	uint32_t opened_ms;
	uint32_t looked_handled, looked_times; /* packets handled when it was looked at under pressure; how often since */
	uint32_t last_ms;                      /* when a packet came that gave it time */
	struct inflight_queue parked;          /* in their order of arrival */
	struct slot *slot;                     /* of an open message; */

	/* and of that, too */
	uint32_t stride;
	uint32_t sum;             /* of the first packet's datagram */
	uint32_t total;           /* packets; 0: the last one has not been handled */
	uint32_t length;          /* bytes of payload; SPIN_LENGTH_UNKNOWN before the last one came */
	uint32_t end;             /* of what has come: the last packet's number + 1 */
	uint32_t next_offset;     /* where flows are messages: of the packet that comes next */
	uint32_t lowest;          /* missing packet */
	uint32_t handled;         /* or on their way to it */
	uint32_t *window;         /* packet i came: bit i modulo window_bits; from lowest on */
	enum spin_reason verdict; /* SUCCESS: payload handlers run; PROCEEDED, HEADER_DROPPED, or the error */
	int completes;            /* PROCEEDED, and the completion handler runs */
	int no_payload;           /* its entry has no payload handler */
	uint32_t place;           /* of its first byte in host memory */
	uint32_t place_bytes;     /* from there to the end of its matching entry */
	uint32_t me;              /* SPIN_MES_MAX: none */
	uint32_t offset;          /* in it, saturated */
	uint64_t match_bits, hdr_data;
	uint32_t type; /* enum spin_type */
	int took_me, pending, error, refused, overflow;

	uint32_t dropped_bytes, deposited_bytes;
	int flow_control;
};

struct messages {
	struct pspin_limits limits;
	uint32_t now_ms;
	struct nic_mpq *mpqs; /* limits.mpqs of them */
	uint32_t window_bits; /* a power of two, for one packet beyond the window, too: the lowest missing one has a bit */
	uint32_t *windows;    /* of all of them */
	uint64_t taken[SPIN_MPQS_MAX / 64];
	struct flows flows;
	unsigned next_mpq;              /* behind the one that was taken last */
	unsigned looked_mpq, looked_me; /* where a look under pressure goes on */
	unsigned parked_count;
	struct nic_mpq *replaying; /* NULL: none */
	unsigned replays_left;
	struct spin_me mes[SPIN_MES_MAX];
	uint32_t next_serial;
	struct spin_segment reserved; /* of a managed entry, for the packet at hand */
	struct spin_message_stats stats;
};

/* For a context of messages, with the default limits. 0 or -ENOMEM. */
int nic_messages__open(struct pspin *nic);
void nic_messages__free(struct pspin *nic);

/* --- mpq.c: an MPQ's life --- */

/* Takes the first free one behind the one taken last, round and round; NULL if none is. */
struct nic_mpq *mpq__take(struct pspin *nic, const struct arrival *a);
/* Forgets it, with the packets that it has parked: these are counted as lost. */
void mpq__free(struct pspin *nic, struct nic_mpq *mpq);
/* The same of one that has not ended; none of its packets is in flight. */
void mpq__abandon(struct pspin *nic, struct nic_mpq *mpq);
/* Ends a message in favour of another one. report 0: without an event for the host. None of its packets may be in flight. */
void mpq__evict(struct pspin *nic, struct nic_mpq *mpq, int report);
/* It is longer than its entry, which truncates nothing: it ends, unless handlers are at work on it. */
void mpq__refuse(struct pspin *nic, struct nic_mpq *mpq);
/* Step 8's second half: the message is open with its first packet. `me` is open to it. */
void mpq__begin(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *first, unsigned me);
/* Step 11: SPIN_REASON_COUNT: it is on its way to its handlers. After the last one the message is ending. */
enum spin_reason mpq__packet(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight);
/* Step 13 is to be done; and one packet of it. 0: there is none left. */
void mpq__replay(struct pspin *nic, struct nic_mpq *mpq);
int mpq__replay_one(struct pspin *nic);
/* Step 12, when all its tasks have ended: what becomes of the entry, the host's event, a tombstone. The MPQ is free. */
void mpq__complete(struct pspin *nic, struct nic_mpq *mpq);
/* Counts a packet of the message that flow control drops. */
void mpq__flow_control(struct pspin *nic, struct nic_mpq *mpq, uint32_t payload_bytes);
/* Expires idle messages, and replays what they have parked. Nothing else may run. */
void mpq__sweep(struct pspin *nic);

/* --- message.c: its handlers --- */

/* Of a packet in packet memory, in front of its payload: what slmp__strip() leaves. */
uint32_t message__header_bytes(const struct arrival *a);
/* What its packets' HERs say, and where it goes in host memory. */
void message__describe(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *first);
/* Then: those handlers that run in an entry with such options; and what is as if the header handler had said so. */
void message__install(struct pspin *nic, struct nic_mpq *mpq, uint32_t options);
/* To its slot, with payload handler or default action. */
void message__run(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight, int is_last);
void message__starts(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind);
void message__ended(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task);
void message__work(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes);
void message__report(struct pspin *nic, const struct nic_mpq *mpq, enum spin_event_type type, enum spin_handler_kind kind, uint32_t offset,
		     uint32_t flags);

/* --- entries.c: matching entries --- */

/* Is it for messages with this key and these match bits? */
int entries__fit(const struct spin_me *me, const struct flow_key *key, uint64_t match_bits);
/* The first one posted that is open to a message with this first packet; SPIN_MES_MAX: none. */
unsigned entries__match(const struct messages *messages, const struct flow_key *key, const struct slmp *first);
/* A place in an entry that manages its offset; and back, for there is no MPQ. */
void entries__reserve(struct messages *messages, unsigned index, const struct slmp *first);
void entries__unreserve(struct messages *messages, unsigned index);
/* The message's offset and place in its entry, that which was reserved, and the entry, if it takes it. */
void entries__assign(struct messages *messages, struct nic_mpq *mpq, const struct slmp *first);
/* Frees what a message has of an entry: it ended before it was complete, or without an event for the host. */
void entries__release(struct messages *messages, const struct nic_mpq *mpq);
/* None, or the one that there is at the start. Its handlers' memory is nic_host__open()'s. */
void entries__reset(struct pspin *nic);
/* A result goes to the host with its events: the entries that their messages unlinked are free. */
void entries__events_taken(struct messages *messages);

/* Step 9, for a message that waits: PARKED, DUPLICATE or NO_PARKING. */
enum spin_reason parking__add(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight);

#endif
