/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MPQ_H
#define BPF_MPQ_H

/*
 * The state of messages in flight (PsPIN 3.2.1). BPF programs and the host build work on it; libspin reads it. All HPUs use it
 * concurrently, without locks.
 *
 * A flow is a key (source address, source port, message_id) and its value: the MPQ of the message, or a tombstone. The flow table
 * uses open addressing. An HPU claims an entry by compare-exchange. A lock on the place where the search starts keeps two HPUs from
 * inserting the same key twice.
 */
#include <spin/context.h>
#include <spin/message.h>
#include <spin/reason.h>

/* Behind the host memory, so that the verifier is content with where a transfer begins. */
#define SPIN_HOST_SLACK 16384u

#define SPIN_FLOWS       65536u /* live messages and tombstones; a power of two */
#define SPIN_FLOW_PROBES 16u
#define SPIN_FLOW_LOCKS  1024u

enum spin_flow_kind {
	SPIN_FLOW_NONE,
	SPIN_FLOW_CLAIMED, /* being written */
	SPIN_FLOW_LIVE,    /* has an MPQ */
	SPIN_FLOW_TOMBSTONE,
};

struct spin_flow {
	uint64_t id;             /* message_id << 32 | source port (network order) << 16 | IP version; 0: never used */
	uint64_t src[2];         /* network byte order; IPv4 in the low half of word 0 */
	uint32_t state;          /* enum spin_flow_kind in bits 1:0, the MPQ in 15:2, its generation in 31:16 */
	uint32_t time;           /* tombstone: clock when it was left, and */
	uint32_t stride, length; /* of its message; the length SPIN_LENGTH_UNKNOWN: that was refused */
	uint32_t sum;            /* of the first packet's datagram; SPIN_FLOW_PRESSED: it was ended for another */
	uint32_t unused[5];      /* a cache line each */
};

#define SPIN_FLOW_PRESSED 0x10000u /* no sum of 16 bits */

enum spin_mpq_phase {
	SPIN_MPQ_FREE,
	SPIN_MPQ_WAITING, /* packets are parked, the first one has not come */
	SPIN_MPQ_HEADER,  /* the header handler runs */
	SPIN_MPQ_OPEN,
	SPIN_MPQ_ENDING, /* being completed or evicted: no packet gets in any more */
};

/*
 * The window, a ring of lanes of 32 packets each. A lane says which packets it is
 * for, so that it can be used for later ones when they have all come: generation
 * of the MPQ in bits 63:59, number of the lane's first packet / 32 in 58:32, one bit per
 * packet in 31:0. More than a window and a lane: whoever is not beyond the window finds its lane. A window
 * that is larger than SPIN_WINDOW has its lanes in the map spin_wide.
 */
#define SPIN_LANES 64u

struct spin_mpq {
	/* what every packet looks at, with the lane of the first 32: one cache line */
	uint32_t phase;      /* enum spin_mpq_phase; atomic */
	uint32_t generation; /* of this use; bits 15:0 count */
	uint32_t stride;
	uint32_t total;  /* packets; 0: unknown until the last one came */
	uint32_t lowest; /* no packet below is missing; may lag behind */
	uint32_t
		verdict; /* what the header handler said: enum spin_reason, SPIN_REASON_SUCCESS: process data; SPIN_MPQ_WHOLE, _COMPLETES */
	uint32_t done;   /* handled packets; the last one of the message counts SPIN_DONE_LAST */
	uint32_t time;   /* clock when a packet came that gave it time: <spin/message.h> */
	uint64_t next;   /* the packet after the one handled last: number << 32 | offset; a hint. Without SLMP: number.h */
	uint32_t parked; /* parked packets, the last one first: buffer + 1; atomic */
	uint32_t replay; /* those whose turn it is, in order of arrival; atomic */
	uint32_t place;  /* of the message's first byte in the host memory */
	uint32_t place_bytes; /* from there to the end of the matching entry, or of the place that a managed one gave it */
	uint64_t lane[SPIN_LANES];
	uint16_t looked_handled; /* packets that were handled when it was looked at under pressure; */
	uint16_t looked_times;   /* and how often that was since the last one of them */
	uint32_t sum;            /* of the first packet's datagram, for the tombstone */

	/* what opening and ending a message look at in addition: one cache line, too */
	uint32_t flags;                          /* SPIN_MPQ_*; atomic */
	uint32_t me;                             /* matching entry, SPIN_MES_MAX: none yet */
	uint32_t dropped_bytes, deposited_bytes; /* atomic */
	uint32_t length;                         /* bytes of payload, when known */
	uint32_t offset;                         /* in the matching entry */
	uint64_t match_bits, hdr_data;
	uint32_t flow;       /* its flow's place */
	uint32_t opened;     /* clock when it was taken */
	uint16_t dst_port;   /* host byte order, of the packet that opened it */
	uint16_t unexpected; /* its place among the unexpected messages + 1; 0: it has none */
	uint32_t broken;     /* packets that were claimed and are at odds with the message: it cannot complete */
	uint64_t top;        /* the last lane of which a packet came: its number / 32, its MPQ's generation in 47:32; atomic */
};

/* In the array of programs spin_parked. */
#define SPIN_REPLAY_SLOT  0
#define SPIN_BEGIN_SLOT   1
#define SPIN_SEND_SLOT    2 /* for whatever came, if handlers send packets */
#define SPIN_OPENED_SLOT  3 /* with bounded loops */
#define SPIN_PARKED_SLOTS 4

#define SPIN_DONE_LAST 0x80000000u

/* Of struct spin_mpq. */
enum {
	SPIN_MPQ_FLOW_CONTROL = 1,
	SPIN_MPQ_ERROR = 2, /* an error had its event */
	SPIN_MPQ_PENDING = 4,
	SPIN_MPQ_TOOK_ME = 8,   /* its matching entry is to be used once */
	SPIN_MPQ_EVICTING = 16, /* it ends as soon as no HPU is at work on it */
	SPIN_MPQ_REFUSED = 32,  /* it was longer than its entry */
	SPIN_MPQ_GET = 64,      /* what it is, in the bits that its event says it with */
	SPIN_MPQ_ATOMIC = 128,
};

/* In its verdict, behind the reason: its entry truncates nothing. There, for it costs packets no other line. */
#define SPIN_MPQ_WHOLE     256u
#define SPIN_MPQ_COMPLETES 512u /* likewise: the header handler said PROCEED_COMPLETE */

SPIN_INLINE enum spin_reason spin_mpq_verdict(const struct spin_mpq *q)
{
	return (enum spin_reason)(q->verdict & (SPIN_MPQ_WHOLE - 1));
}

/* A parked packet; its frame lies in the buffer of the same number. */
struct spin_park {
	uint32_t next;   /* buffer + 1; 0: the end */
	uint32_t offset; /* of the packet in its message */
	uint32_t frame_bytes;
	uint32_t owner; /* MPQ in bits 15:0, its generation in 31:16 */
};

enum spin_unexpected_state {
	SPIN_UNEXPECTED_FREE,
	SPIN_UNEXPECTED_LANDING,  /* what an entry is compared with is there; its message goes on */
	SPIN_UNEXPECTED_COMPLETE, /* all of it is there; the host frees it */
};

/* An unexpected message (unexpected.h). */
struct spin_unexpected {
	uint32_t state;  /* enum spin_unexpected_state; atomic */
	uint32_t source; /* as in struct spin_me */
	uint64_t src[2];
	uint64_t match_bits;
	uint64_t order;          /* of arrival */
	struct spin_event event; /* its MESSAGE event */
	uint64_t unused;
};

#define SPIN_MPQ_WORDS (SPIN_MPQS_MAX / 64)

_Static_assert(sizeof(struct spin_flow) == 64 && sizeof(struct spin_mpq) == 640, "shared by BPF and user space");
_Static_assert(__builtin_offsetof(struct spin_mpq, lane) == 56 && __builtin_offsetof(struct spin_mpq, flags) == 576,
	       "begin with the first lane at the end of a cache line, and at one");

#endif
