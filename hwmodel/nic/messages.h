/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_MESSAGES_H
#define NIC_MESSAGES_H

/*
 * Messages of many packets: the MPQ engine, for one packet at a time. Written from
 * <spin/message.h>, and independent of the kernel's runtime: tests hold one to the other.
 * Steps are that text's.
 */
#include "flow.h"
#include "nic.h"
#include "slmp.h"

/* A packet as it goes through the steps. */
struct arrival {
	const uint8_t *frame;
	size_t frame_bytes;
	struct inbound in;
	struct slmp slmp;
};

/* A parked one, in its message's order of arrival. */
struct parked {
	struct parked *next;
	struct arrival arrival;
	uint8_t frame[];
};

/* Enough for one packet beyond the window, too: the lowest missing one has a bit as well. */
#define WINDOW_BITS (2 * SPIN_WINDOW)

enum mpq_phase { MPQ_FREE, MPQ_WAITING, MPQ_OPEN };

struct mpq {
	enum mpq_phase phase;
	struct flow *flow;
	uint16_t dst_port;   /* host byte order */
	uint32_t last_ms;    /* when a packet of it came */
	struct parked *first, *last;

	/* of an open message */
	uint32_t stride;
	uint32_t total;      /* packets; 0: the last one has not been handled */
	uint32_t length;     /* bytes of payload; SPIN_LENGTH_UNKNOWN before the last one came */
	uint32_t end;        /* of what has come: the last packet's number + 1 */
	uint32_t lowest;     /* missing packet */
	uint32_t handled;
	uint32_t window[WINDOW_BITS / 32]; /* packet i came: bit i modulo WINDOW_BITS; from lowest on */
	enum spin_reason verdict; /* SUCCESS: payload handlers run; PROCEEDED, HEADER_DROPPED, or the error */
	uint32_t place;      /* of its first byte in host memory */
	uint32_t place_bytes; /* from there to the end of its matching entry */
	uint32_t me;         /* SPIN_MES_MAX: none */
	uint32_t offset;     /* in it, saturated */
	uint64_t match_bits, hdr_data;
	int took_me, pending, error;

	uint32_t dropped_bytes, deposited_bytes;
	int flow_control;
	uint8_t *scratch;    /* its scratchpad while another message has the place in L1 */
};

struct messages {
	struct pspin_limits limits;
	uint32_t now_ms;
	struct mpq *mpqs;                /* limits.mpqs of them */
	uint64_t taken[SPIN_MPQS_MAX / 64];
	struct flows flows;
	unsigned parked_count;
	struct spin_me mes[SPIN_MES_MAX];
	uint32_t next_serial;
	struct spin_message_stats stats;

	/* scratchpads: places in the home cluster's L1, and whose content each has */
	uint32_t scratch_bytes;
	unsigned scratch_places;
	struct mpq **scratch_owner;
	uint8_t *scratch_memory;
};

/* For a context of messages, with the default limits. 0 or -ENOMEM. */
int nic_messages__open(struct pspin *nic);
void nic_messages__free(struct pspin *nic);

/* arrival.c: steps 6 to 13 for a packet that passed the others. */
void nic_messages__packet(struct pspin *nic, const uint8_t *frame, size_t frame_bytes, const struct inbound *in,
		      struct pspin_result *out);

/* --- mpq.c: an MPQ's life --- */

/* Takes the lowest one that is free; NULL if none is. */
struct mpq *mpq__take(struct pspin *nic, const struct arrival *a);
/* Forgets it, with the packets that it has parked: these are counted as lost. */
void mpq__free(struct pspin *nic, struct mpq *mpq);
/* Step 8's second half: the message is open with its first packet. `me` is open to it. */
void mpq__begin(struct pspin *nic, struct mpq *mpq, const struct arrival *first, unsigned me);
/* Steps 11 and 12. The message may have ended. */
enum spin_reason mpq__packet(struct pspin *nic, struct mpq *mpq, const struct arrival *a);
/* Step 13. */
void mpq__replay(struct pspin *nic, struct mpq *mpq);
/* Flow control drops a packet of the message. */
void mpq__flow_control(struct pspin *nic, struct mpq *mpq, uint32_t payload_bytes);
void mpq__sweep(struct pspin *nic);

/* --- message_run.c: its handlers --- */

/* The first packet is placed; header handler, if there is one: sets verdict, pending. */
void message__header(struct pspin *nic, struct mpq *mpq, const struct arrival *a);
/* Payload handler or default action. */
enum spin_reason message__data(struct pspin *nic, struct mpq *mpq, const struct arrival *a);
/* Completion handler, if there is one: sets pending. */
void message__completion(struct pspin *nic, struct mpq *mpq, const struct arrival *last);
void message__tell(struct pspin *nic, const struct mpq *mpq, enum spin_event_type type,
		   enum spin_handler_kind kind, uint32_t offset, uint32_t flags);

/* --- scratchpad.c --- */

/* The message's scratchpad in the home cluster's L1, with its content, and its address there. */
struct hpu_scratch *scratchpad__of(struct pspin *nic, struct mpq *mpq, uint32_t *addr);
/* The same, all zero. */
struct hpu_scratch *scratchpad__clear(struct pspin *nic, struct mpq *mpq);
void scratchpad__forget(struct pspin *nic, struct mpq *mpq);

/* --- entries.c: matching entries --- */

/* The first one posted that is open to the match bits; SPIN_MES_MAX: none. */
unsigned entries__match(const struct messages *messages, uint64_t match_bits);
/* None, or the one that there is at the start. Its handlers' memory is nic_host__open()'s. */
void entries__reset(struct pspin *nic);

/* --- parking.c --- */

/* Step 9, for a message that waits: PARKED, DUPLICATE or NO_PARKING. */
enum spin_reason parking__add(struct pspin *nic, struct mpq *mpq, const struct arrival *a);
/* Takes the first one out; NULL if there is none. Its memory is the caller's. */
struct parked *parking__take(struct pspin *nic, struct mpq *mpq);

#endif
