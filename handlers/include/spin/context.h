/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_CONTEXT_H
#define SPIN_CONTEXT_H

/*
 * What a live execution context shares between its BPF program and user space:
 * not for handlers. The BPF object's names, for whoever loads it:
 *
 *	spin_xdp       the program, section "xdp"
 *	spin_copied    the program that copies the packet, section "?xdp": loaded by libspin only. Programs with bounded loops are
 *	               without it, its like below, and those for TCP
 *	spin_icmp, spin_icmp_copy, spin_ether, spin_ether_copy  the two for rules of ICMP, and of types that are not IP
 *	spin_long      array of programs: spin_copied, for frames that spin_xdp finds in several pieces
 *	spin_spread    the program that gives packets to CPUs, section "?xdp"; spin_cpus, those, and
 *	               spin_spread_config, spin_loads (bpf/spread.h)
 *	spin_config    struct spin_config in .rodata, written before loading
 *	spin_name, spin_rule  the context's, in .rodata, for whoever looks from outside
 *	spin_counters  struct spin_counters[SPIN_HPUS_MAX] in .bss, mapped
 *	spin_events    ring buffer of struct spin_event
 *	spin_work_counts  struct spin_work_counts_ in .bss, mapped (SPIN_WORK): who reads spin_events without libspin adds 1 to
 *	               `taken` for each SPIN_EVENT_WORK
 *	spin_stream, spin_stream_end, spin_stream_on, spin_streams, spin_units, spin_units_taken  its programs and maps for TCP (bpf/abi/stream.h)
 *	spin_requests  ring buffer of struct spin_request (SPIN_PUTS): what the host is to send; the loader sets its size
 *	spin_virtual   struct spin_virtual in .bss, mapped: of handlers that ask for the time or random numbers (<spin/clock.h>)
 *	spin_state     HPU state in .data, mapped; tables under their own names in .bss, mapped
 *
 *	spin_send      the program that sends what handlers sent, section "?xdp"; behind spin_parked (bpf/actions/out.h)
 *	spin_ways, spin_way, spin_out_owner, spin_out_stats, spin_outs, spin_outboxes  its ways out (bpf/abi/tx_ring.h)
 *
 * and of a context that takes messages (<spin/message.h>):
 *
 *	spin_replay    the program that handles a parked packet, section "?xdp"
 *	spin_begin     the program for a packet whose message is not open, section "?xdp"
 *	spin_parked    array of programs: spin_replay, spin_begin (bpf/abi/mpq.h)
 *	spin_tell      the program that makes an event of what it is given, section "?xdp": run with BPF_PROG_TEST_RUN
 *	spin_progress  the program that sweeps, section "?xdp": run with BPF_PROG_TEST_RUN
 *	spin_swept     array of programs: what that goes on to, spin_replay or spin_replay_swept
 *	spin_host      array of one value, mapped: host memory; the loader sets its size (in every object)
 *	spin_mes       struct spin_me[SPIN_MES_MAX] in .data.me, mapped
 *	spin_me_memory struct spin_me_memory[SPIN_MES_MAX] in .bss, mapped; if handlers use it, of datagrams, too
 *	spin_mpqs      struct spin_mpq[SPIN_MPQS_MAX] in .bss, mapped
 *	spin_message_stats  struct spin_message_stats[SPIN_HPUS_MAX] in .bss, mapped
 *	spin_wide      array of uint64_t, mapped: the windows' words, wide_lanes for each MPQ, if windows are wide; the loader
 *	               sets its size
 *	spin_clock     uint64_t in .bss, mapped: the time, if that is virtual; else what it was at the last
 *	               sweep, which spin_progress leaves there
 *	spin_flows     struct spin_flow[SPIN_FLOWS], spin_parks struct spin_park[SPIN_PARKING_MAX] (bpf/abi/mpq.h)
 *	               in .bss, mapped
 */
#include <spin/hpu.h>
#include <spin/message.h>
#include <spin/meta.h>
#include <spin/put.h>
#include <spin/reason.h>
#include <spin/rule.h>

/* Contexts an interface can have at a time. Matching costs the same for one and for all of them. */
#define SPIN_CONTEXTS_MAX 64

struct spin_config {
	struct spin_rule rule;
	uint32_t accept_partial; /* 1: a bare pseudo-header sum is a good UDP checksum (local senders) */
	uint32_t matched;        /* 1: packets come from the interface's program, which has parsed and matched them */
	/* of messages; all zero for datagrams */
	uint32_t mpqs;       /* messages in flight, at most SPIN_MPQS_MAX */
	uint32_t parking;    /* packets parked, at most SPIN_PARKING_MAX */
	uint32_t host_bytes; /* host memory, at most SPIN_HOST_BYTES_MAX */
	uint32_t idle_ticks; /* of the clock; virtual: milliseconds */
	uint32_t tombstone_ticks;
	uint32_t take_put;      /* 1: packets may have struct spin_slmp_put */
	uint32_t virtual_clock; /* 1: time is what spin_clock says, and struct spin_virtual; 0: the kernel's */
	uint32_t note_runs;     /* 1: SPIN_EVENT_RAN for every handler that runs */
	uint32_t window;        /* packets, SPIN_WINDOW to SPIN_WINDOW_MAX */
	uint32_t event_bytes;   /* of the ring spin_events, if no message's last event may be lost; 0: they may */
	uint32_t age_ticks;
	uint32_t wide_lanes; /* words of a window that is larger than SPIN_WINDOW, a power of two; 0: the MPQ's own */
	/* of both */
	uint32_t put_id;       /* message_id of the first packet that is put */
	uint32_t hpus;         /* spin_num_hpus() */
	uint32_t hpu_is_queue; /* 1: spin_my_hpu() is the receive queue; 0: the CPU */
	uint32_t redirect;     /* 1: packets that handlers send leave at once; 0: all of them by spin_requests */
	uint32_t age_bytes;    /* in a tick: SPIN_AGE_BYTES in a millisecond */
	uint32_t unexpected;   /* messages that are kept, at most SPIN_UNEXPECTED_MAX; of messages */
	uint32_t stream_units; /* HPUs of streams, the last ones; 0: it takes none */
	uint32_t unused;
	uint64_t key[3]; /* of the hash of flows: odd numbers that senders cannot guess */
};

/* What handlers get with virtual_clock, when one HPU runs them: as the host left it, but for the draws they took. */
struct spin_virtual {
	uint64_t now_ns;
	uint32_t draw; /* the last one (<spin/random.h>) */
	uint32_t unused;
};

/* Written by one HPU only, read by anyone. */
struct spin_counters {
	uint64_t packets[SPIN_REASON_COUNT];
} __attribute__((aligned(64)));

enum spin_event_type {
	SPIN_EVENT_FAIL = 1, /* a handler returned FAIL */
	SPIN_EVENT_SEGV = 2, /* a checked access failed */
	SPIN_EVENT_BAD_RETURN = 3,
	/* of messages only */
	SPIN_EVENT_MESSAGE = 4, /* it is complete, and so is its matching entry for it */
	SPIN_EVENT_TIMEOUT = 5, /* it was evicted */
	SPIN_EVENT_RAN = 6,     /* a handler has returned; if asked for, for tests */
	/* of both */
	SPIN_EVENT_OVERRUN = 7, /* an error: a handler used up its budget */
	/*
	 * The host gave up a put from host memory, or any other one that was to be acknowledged: no acknowledgement, no way,
	 * too many of them. src_addr and src_port are the target's, `length` bytes were to go there: from `offset` in the host
	 * memory; 0 of bytes that came from elsewhere. Answers to gets have none, nor has a put that was lost because the ring
	 * of requests was full (lost_queue).
	 */
	SPIN_EVENT_PUT_FAILED = 8,
	SPIN_EVENT_PUT_ACKED = 9,     /* the same of one that was acknowledged, and asked for that (SPIN_PUT_ACK_REQ) */
	SPIN_EVENT_PUT_OVERFLOW = 10, /* of an unexpected message, as its MESSAGE was, to an entry that was posted later (libspin) */
	SPIN_EVENT_WORK = 11,         /* a handler leaves an item to the program (<spin/work.h>) */
};

/* Of struct spin_event. */
enum {
	SPIN_EVENT_FLOW_CONTROL = 1, /* flow control dropped packets of this message */
	SPIN_EVENT_UNLINKED = 2,     /* the matching entry was to be used once, and is gone */
	SPIN_EVENT_FAILED = 4,       /* a handler of this message failed; that had its event */
	SPIN_EVENT_PROCEEDED = 8,    /* the header handler said PROCEED */
	SPIN_EVENT_DROPPED = 16,     /* the header handler said DROP */
	SPIN_EVENT_REFUSED = 32,     /* it was longer than its entry, and that truncates nothing */
	SPIN_EVENT_GET = 64,         /* it was a get; `length` is of its own payload */
	SPIN_EVENT_ATOMIC = 128,     /* it was an atomic */
	SPIN_EVENT_OVERFLOW = 256,   /* its matching entry was one of the overflow list */
};

enum spin_handler_kind { SPIN_KIND_HEADER, SPIN_KIND_PAYLOAD, SPIN_KIND_COMPLETION };

/* An error, the first of its message (sPIN B.3), or news of a message. */
struct spin_event {
	uint32_t type;    /* enum spin_event_type */
	uint32_t handler; /* enum spin_handler_kind */
	uint32_t hpu;
	uint32_t ip_version;  /* 4 or 6; 0: no IP */
	uint32_t src_addr[4]; /* network byte order, IPv4 in word 0 */
	uint16_t src_port;    /* host byte order; 0 of ICMP */
	uint16_t dst_port;
	uint32_t length; /* bytes of the message's payload; SPIN_LENGTH_UNKNOWN until its last packet is handled */
	/* of messages only, else 0 */
	uint32_t message_id; /* host byte order */
	uint32_t me;         /* index of the matching entry; SPIN_MES_MAX: none (a message without its first packet) */
	uint32_t offset;     /* RAN: the packet's in the message; else the message's in the entry */
	/* of MESSAGE and TIMEOUT, else 0 */
	uint32_t dropped_bytes;
	uint32_t deposited_bytes; /* by the default action */
	union {
		uint32_t flags;      /* SPIN_EVENT_* */
		uint32_t item_bytes; /* of WORK */
	};
	union {
		struct {
			uint64_t match_bits, hdr_data;
			union {
				/* of the matching entry as it was posted, whatever its index stands for by now; 0: none */
				struct {
					uint32_t me_start, me_length;
				}; /* in the context's host memory, in bytes */
				uint64_t
					user_ptr; /* of PUT_ACKED and PUT_FAILED: of struct spin_put_acked, else 0; `me` is its entry then */
			};
			uint32_t me_serial; /* of its posting (struct spin_me) */
			uint32_t unused;
		};
		uint32_t item[SPIN_WORK_BYTES_MAX / 4]; /* of WORK: as the handler gave it, and zeros */
	};
};

/*
 * What the host's library does for handlers, in their order: the packets of handlers that cannot leave from where the
 * handler runs (its own packet goes on to the host; it ran in a sweep; the way to the target is not known),
 * and puts from host memory.
 */
enum spin_request_type {
	SPIN_REQUEST_PACKET = 1,
	SPIN_REQUEST_PUT = 2,       /* from host memory */
	SPIN_REQUEST_PUT_BYTES = 3, /* to be acknowledged: a packet's payload, as a message of the library's */
};

#define SPIN_REQUEST_FRAME_MAX (128u + SPIN_PUT_BYTES_MAX) /* Ethernet, two VLAN tags, IP with options, UDP, SLMP, its put */

struct spin_request {
	uint32_t type;                   /* enum spin_request_type */
	uint32_t bytes;                  /* of the frame; PUT: of host memory */
	uint32_t start;                  /* PUT: in the context's host memory */
	uint32_t ip_at;                  /* PACKET, PUT_BYTES: where its IP header is in the frame */
	struct spin_process source;      /* PUT, PUT_BYTES: whom it is to come from */
	uint32_t acked;                  /* PUT, PUT_BYTES: 1: the rest is of struct spin_put_acked, and the matching entry; else 0 */
	uint32_t options, me, me_serial; /* of a PUT that answers a get: SPIN_REQUEST_ANSWER, and the entry that is read */
	uint64_t user_ptr;
	struct spin_put put;                   /* PUT, PUT_BYTES; of a PACKET the target alone */
	uint8_t frame[SPIN_REQUEST_FRAME_MAX]; /* PACKET, PUT_BYTES: as it is to leave, or would; the record's end */
};

#define SPIN_REQUEST_ANSWER 0x80000000u /* an option like SPIN_PUT_*: an answer to a get, which no handler sent */

/* A key for who has no better one. */
#define SPIN_HASH_KEY                                                      \
	{                                                                  \
		0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb \
	}

_Static_assert(sizeof(struct spin_config) == 456 && sizeof(struct spin_event) == 96, "shared by BPF and user space");

#endif
