/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MPQ_H
#define BPF_MPQ_H

/*
 * State of the messages in flight, each in an MPQ (message processing queue, PsPIN 3.2.1). BPF programs and the host build change it,
 * through bpf/messages/; libspin reads it. All HPUs (here CPUs or receive queues) use it concurrently, without locks.
 *
 * A flow is a key (source address, source port, message_id) and its value: the MPQ of the message, or a tombstone, which keeps the key of a
 * message that has ended, so that duplicates are recognised. The flow table uses open addressing. An HPU claims an entry by
 * compare-exchange. A lock on the home index of a key, where its search starts, prevents two HPUs from inserting the same key.
 */
#include <spin/context.h>
#include <spin/message.h>
#include <spin/reason.h>

/* Slack after the host memory: the verifier can then prove a transfer in bounds from its start offset alone. */
#define SPIN_HOST_SLACK 16384u

#define SPIN_FLOWS       65536u /* live messages and tombstones; a power of two */
#define SPIN_FLOW_PROBES 16u
#define SPIN_FLOW_LOCKS  1024u

/* What an entry of the flow table is. */
enum spin_flow_kind {
	SPIN_FLOW_NONE,
	SPIN_FLOW_CLAIMED, /* being written */
	SPIN_FLOW_LIVE,    /* has an MPQ */
	SPIN_FLOW_TOMBSTONE,
};

/* An entry of the flow table: a key, and the message or tombstone that it belongs to. */
struct spin_flow {
	uint64_t id;             /* message_id << 32 | source port (network order) << 16 | IP version; 0: never used */
	uint64_t src[2];         /* network byte order; IPv4 in the low half of word 0 */
	uint32_t state;          /* enum spin_flow_kind in bits 1:0; its message's MPQ in 15:2, the MPQ's generation in 31:16 */
	uint32_t time;           /* tombstone: clock when it was created */
	uint32_t stride, length; /* of the tombstone's message; length SPIN_LENGTH_UNKNOWN: the message was refused */
	uint32_t sum;            /* checksum of the first packet's datagram, or one of the following values: the message was evicted */
	uint32_t unused[5];      /* pads to a cache line */
};

/* No 16-bit sum has these values. */
#define SPIN_FLOW_PRESSED 0x10000u /* the message was open: its first packet begins it again */
#define SPIN_FLOW_LOST    0x10001u /* the message was waiting: its parked packets are lost, and its sender must restart it */

/* Where a message is between its first packet and its end. */
enum spin_mpq_phase {
	SPIN_MPQ_FREE,
	SPIN_MPQ_WAITING, /* packets are parked; the first one has not arrived */
	SPIN_MPQ_HEADER,  /* the header handler runs */
	SPIN_MPQ_OPEN,
	SPIN_MPQ_ENDING, /* being completed or evicted: accepts no more packets */
};

/*
 * The window is a ring of words, each a bitmap of 32 packets. The tag in a word tells which packets it covers, so that it can be reused
 * for later packets when all of its own have arrived: generation of the MPQ in bits 63:59, number of the first packet / 32 in 58:32, one
 * bit per packet in 31:0. The ring is larger than a window and one word, so every packet inside the window finds its word. If the window is
 * larger than SPIN_WINDOW, words SPIN_WINDOW_WORDS and above of the ring are in the map spin_wide, at the same index.
 */
#define SPIN_WINDOW_WORDS 64u

/* The state of one message in flight. */
struct spin_mpq {
	/* used by every packet, with the word of the first 32 packets: one cache line */
	union {
		struct {
			uint32_t phase;      /* enum spin_mpq_phase; atomic */
			uint32_t generation; /* of this use of the MPQ; bits 15:0 are compared */
		};
		uint64_t phase_generation; /* both: evict.h changes them together */
	};
	uint32_t stride;
	uint32_t total;  /* packets; 0: unknown until the last one has arrived */
	uint32_t lowest; /* no packet below is missing; may lag behind */
	uint32_t
		verdict; /* of the header handler: enum spin_reason (SPIN_REASON_SUCCESS: process data) | SPIN_MPQ_NO_TRUNCATE, _COMPLETES */
	uint32_t done;   /* packets handled; the message's last one adds SPIN_DONE_LAST */
	uint32_t time;   /* clock at the last packet that restarted the idle timeout: <spin/message.h> */
	uint64_t next;   /* hint: the packet after the last handled one, number << 32 | offset. Without SLMP: number.h */
	uint32_t parked;      /* list of parked packets, last one first: buffer + 1; atomic */
	uint32_t replay;      /* list of packets to replay, in order of arrival; atomic */
	uint32_t place;       /* offset of the message's first byte in the host memory */
	uint32_t place_bytes; /* from there to the end of the matching entry, or of the range that a managed entry assigned */
	uint64_t word[SPIN_WINDOW_WORDS];
	uint16_t scan_handled; /* pressure.h: packets handled at the last look, */
	uint16_t scan_stalls;  /* and number of looks since then without progress */
	uint32_t sum;          /* of the first packet's datagram, for the tombstone */

	/* used only when a message is opened or ended: one cache line */
	uint32_t flags;                          /* SPIN_MPQ_*; atomic */
	uint32_t me;                             /* matching entry, SPIN_MES_MAX: none yet */
	uint32_t dropped_bytes, deposited_bytes; /* atomic */
	uint32_t length;                         /* bytes of payload, if known */
	uint32_t offset;                         /* in the matching entry */
	uint64_t match_bits, hdr_data;
	uint32_t flow;       /* index of its flow */
	uint32_t opened;     /* clock when it was allocated */
	uint16_t dst_port;   /* host byte order, of the packet that opened it */
	uint16_t unexpected; /* index of its unexpected message + 1; 0: none */
	uint32_t broken;     /* claimed packets that contradict the message, which therefore cannot complete */
	uint64_t top;        /* highest word with a packet: its number / 32, the MPQ's generation in 47:32; atomic */
};

/* Indices in the program array spin_progs. */
#define SPIN_REPLAY_SLOT  0
#define SPIN_BEGIN_SLOT   1
#define SPIN_SEND_SLOT    2 /* sends the handlers' packets; may follow any other program */
#define SPIN_OPENED_SLOT  3 /* only with bounded loops */
#define SPIN_PARKED_SLOTS 4

#define SPIN_DONE_LAST 0x80000000u

/* Flags of struct spin_mpq. */
enum {
	SPIN_MPQ_FLOW_CONTROL = 1,
	SPIN_MPQ_ERROR = 2, /* the event of an error was emitted */
	SPIN_MPQ_PENDING = 4,
	SPIN_MPQ_TOOK_ME = 8,   /* it took a use-once matching entry */
	SPIN_MPQ_EVICTING = 16, /* evicted as soon as no HPU works on it */
	SPIN_MPQ_REFUSED = 32,  /* longer than its entry */
	SPIN_MPQ_GET = 64,      /* type of the message, same bits as in its event */
	SPIN_MPQ_ATOMIC = 128,
};

/* In the verdict, above the reason: the entry must not truncate. Kept there so that packets touch no other cache line. */
#define SPIN_MPQ_NO_TRUNCATE 256u
#define SPIN_MPQ_COMPLETES   512u /* also in the verdict: the header handler returned PROCEED_COMPLETE */

SPIN_INLINE enum spin_reason spin_mpq_verdict(const struct spin_mpq *q)
{
	return (enum spin_reason)(q->verdict & (SPIN_MPQ_NO_TRUNCATE - 1));
}

/* A parked packet. Its frame is in the buffer with the same index. */
struct spin_park {
	uint32_t next;   /* buffer + 1; 0: end of the list */
	uint32_t offset; /* of the packet in its message */
	uint32_t frame_bytes;
	uint32_t owner; /* MPQ in bits 15:0, its generation in 31:16 */
};

/* Where an unexpected message is. BPF programs set LANDING and COMPLETE; who drops it sets FREE, the host or a program. */
enum spin_unexpected_state {
	SPIN_UNEXPECTED_FREE,
	SPIN_UNEXPECTED_LANDING,  /* the fields that entries are compared with are set; the message is in flight */
	SPIN_UNEXPECTED_COMPLETE, /* the message is complete; the host frees it */
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
_Static_assert(__builtin_offsetof(struct spin_mpq, word) == 56 && __builtin_offsetof(struct spin_mpq, flags) == 576,
	       "begin with the first word at the end of a cache line, and at one");

#endif
