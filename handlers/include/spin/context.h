/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_CONTEXT_H
#define SPIN_CONTEXT_H

/*
 * Interface between the BPF programs of an execution context (loaded handlers, their memories and a match rule) and user space.
 * Not for handlers. Included by the programs in bpf/, by libspin, which loads them and reads results, and by tests. Loaders find everything
 * in the BPF object by the names below. "Mapped": user space maps that section or map, and accesses it while programs run.
 *
 * Programs, in section "?xdp" unless noted, so that only libspin loads them:
 *
 *	spin_xdp       section "xdp": handles a packet of UDP, or of TCP segments
 *	spin_copied    the same on a copy of the packet: for frames that are not linear, and in the isolated class
 *	spin_icmp, spin_icmp_copy, spin_ether, spin_ether_copy  these two for rules on ICMP, and on EtherTypes other than IP
 *	spin_spread    gives packets to CPUs, before the handlers; with spin_cpus, the cpumap (bpf/spread.h)
 *	spin_send      sends the packets that handlers have made; called through spin_progs (bpf/actions/out.h)
 *
 * The variant with bounded loops lacks the copying programs and those of TCP streams (bpf/abi/stream.h).
 *
 * Settings, written before loading, in .rodata:
 *
 *	spin_config    struct spin_config
 *	spin_name, spin_rule  name and rule of the context, for other processes to read
 *	spin_spread_config    for spin_spread
 *
 * Memory of handlers, mapped:
 *
 *	spin_state     the state, in .data; tables have their own names, in .bss
 *	spin_host      array of one value: host memory; the loader sets its size (in every object)
 *	spin_me_memory struct spin_me_memory[SPIN_MES_MAX] in .bss; if handlers use it, also for datagrams
 *	spin_virtual   struct spin_virtual in .bss: only if handlers use the time or random numbers (<spin/clock.h>)
 *
 * What the application and libspin read:
 *
 *	spin_counters  struct spin_counters[SPIN_HPUS_MAX] in .bss, mapped
 *	spin_cpu_loads packets pending on each CPU, for spin_spread, in .bss, mapped
 *	spin_events    ring buffer of struct spin_event
 *	spin_work_counts  struct spin_work_counts_ in .bss, mapped (SPIN_WORK): a reader of spin_events without libspin must add 1 to
 *	               `taken` for each SPIN_EVENT_WORK
 *	spin_requests  ring buffer of struct spin_request (SPIN_PUTS): packets that the host must send; the loader sets its size
 *
 * Between programs:
 *
 *	spin_long      program array: spin_copied, which spin_xdp calls for frames that are not linear
 *	spin_egress, spin_egress_dev, spin_out_owner, spin_out_stats, spin_tx_descs, spin_tx_rings  for spin_send (bpf/abi/tx_ring.h)
 *	spin_stream, spin_stream_end, spin_stream_on, spin_streams, spin_units, spin_units_taken  for TCP streams (bpf/abi/stream.h)
 *
 * Only for a context that takes messages (<spin/message.h>):
 *
 *	spin_begin     the program for a packet whose message is not open
 *	spin_replay    the program that handles a parked packet
 *	spin_progs     program array: spin_replay, spin_begin (bpf/abi/mpq.h)
 *	spin_progress  the program that sweeps; run by libspin's timer with BPF_PROG_TEST_RUN
 *	spin_swept_progs  program array for spin_progress: spin_replay or spin_replay_swept
 *	spin_emit_event  the program that emits the event passed to it; run with BPF_PROG_TEST_RUN
 *	spin_mes       struct spin_me[SPIN_MES_MAX] in .data.me, mapped: the matching entries
 *	spin_mpqs      struct spin_mpq[SPIN_MPQS_MAX] in .bss, mapped: the messages in flight
 *	spin_flows     struct spin_flow[SPIN_FLOWS], spin_parks struct spin_park[SPIN_PARKING_MAX] (bpf/abi/mpq.h) in .bss, mapped
 *	spin_wide      array of uint64_t, mapped: the words of wide windows, wide_words per MPQ; the loader sets its size
 *	spin_message_stats  struct spin_message_stats[SPIN_HPUS_MAX] in .bss, mapped
 *	spin_clock     uint64_t in .bss, mapped: the virtual time, or else the time of the last sweep, which spin_progress stores
 */
#include <spin/hpu.h>
#include <spin/message.h>
#include <spin/meta.h>
#include <spin/put.h>
#include <spin/reason.h>
#include <spin/rule.h>

/* Most contexts per interface. Matching costs the same for one and for all of them. */
#define SPIN_CONTEXTS_MAX 64

/* Settings of a context, constant while it is loaded: the verifier removes the code of what is switched off. */
struct spin_config {
	struct spin_rule rule;
	uint32_t accept_partial; /* 1: a bare pseudo-header sum is a valid UDP checksum (local senders) */
	uint32_t matched;        /* 1: packets come from the dispatcher, which has parsed and matched them */
	/* messages only; all zero for datagrams */
	uint32_t mpqs;       /* messages in flight, at most SPIN_MPQS_MAX */
	uint32_t parking;    /* packets parked, at most SPIN_PARKING_MAX */
	uint32_t host_bytes; /* host memory, at most SPIN_HOST_BYTES_MAX */
	uint32_t idle_ticks; /* ticks of the clock; virtual: milliseconds; also for segments */
	uint32_t tombstone_ticks;
	uint32_t take_put;      /* 1: packets may have struct spin_slmp_put */
	uint32_t virtual_clock; /* 1: time comes from spin_clock and struct spin_virtual; 0: from the kernel */
	uint32_t report_runs;   /* 1: SPIN_EVENT_RAN for every handler that runs */
	uint32_t window;        /* packets, SPIN_WINDOW to SPIN_WINDOW_MAX */
	uint32_t event_bytes;   /* size of the ring spin_events if no message's last event may be lost; 0: they may be */
	uint32_t age_ticks;     /* segments: SPIN_SEGMENT_STUCK_MS */
	uint32_t wide_words;    /* words of a window larger than SPIN_WINDOW, a power of two; 0: in the MPQ */
	/* messages and datagrams */
	uint32_t put_id;       /* message_id of the first put */
	uint32_t hpus;         /* spin_num_hpus() */
	uint32_t hpu_is_queue; /* 1: spin_my_hpu() is the receive queue; 0: the CPU */
	uint32_t redirect;     /* 1: packets that handlers send leave at once; 0: all through spin_requests */
	uint32_t age_bytes;    /* per tick: SPIN_AGE_BYTES per millisecond */
	uint32_t unexpected;   /* messages only: unexpected messages kept, at most SPIN_UNEXPECTED_MAX */
	uint32_t stream_units; /* HPUs of streams, the last ones; 0: no streams */
	uint32_t unused;
	uint64_t key[3]; /* of the flow hash: odd numbers that senders cannot guess */
};

/* Clock and random state of handlers with virtual_clock, when one HPU runs them. Set by the host; handlers advance `draw`. */
struct spin_virtual {
	uint64_t now_ns;
	uint32_t draw; /* the last draw (<spin/random.h>) */
	uint32_t unused;
};

/* Packets by enum spin_reason, of one HPU. Written by that HPU only; anyone may read it. */
struct spin_counters {
	uint64_t packets[SPIN_REASON_COUNT];
} __attribute__((aligned(64)));

enum spin_event_type {
	SPIN_EVENT_FAIL = 1, /* a handler returned FAIL */
	SPIN_EVENT_SEGV = 2, /* a checked access failed */
	SPIN_EVENT_BAD_RETURN = 3,
	/* messages only */
	SPIN_EVENT_MESSAGE = 4, /* the message and its use of the matching entry are complete */
	SPIN_EVENT_TIMEOUT = 5, /* the message was evicted */
	SPIN_EVENT_RAN = 6,     /* a handler has returned; on request, for tests */
	/* messages and datagrams */
	SPIN_EVENT_OVERRUN = 7, /* an error: a handler used up its budget */
	/*
	 * The host gave up a put from host memory, or any put that was to be acknowledged: no acknowledgement, no route, or too many puts.
	 * src_addr and src_port are the target's. `length` bytes were to be sent, from `offset` in the host memory; 0 for bytes from
	 * elsewhere. There is no event for answers to gets, or for a put that was lost because the ring of requests was full (lost_queue).
	 */
	SPIN_EVENT_PUT_FAILED = 8,
	SPIN_EVENT_PUT_ACKED = 9,     /* the same for a put that was acknowledged and requested this event (SPIN_PUT_ACK_REQ) */
	SPIN_EVENT_PUT_OVERFLOW = 10, /* an unexpected message, with the fields of its MESSAGE, for an entry posted later (libspin) */
	SPIN_EVENT_WORK = 11,         /* a handler left an item for the program (<spin/work.h>) */
};

/* Flags of struct spin_event. */
enum {
	SPIN_EVENT_FLOW_CONTROL = 1, /* flow control dropped packets of this message */
	SPIN_EVENT_UNLINKED = 2,     /* the matching entry was use-once and is unlinked */
	SPIN_EVENT_FAILED = 4,       /* a handler of this message failed, with its own event */
	SPIN_EVENT_PROCEEDED = 8,    /* the header handler returned PROCEED */
	SPIN_EVENT_DROPPED = 16,     /* the header handler returned DROP */
	SPIN_EVENT_REFUSED = 32,     /* longer than its entry, which does not truncate */
	SPIN_EVENT_GET = 64,         /* a get; `length` is that of its own payload */
	SPIN_EVENT_ATOMIC = 128,     /* an atomic */
	SPIN_EVENT_OVERFLOW = 256,   /* its matching entry was in the overflow list */
};

enum spin_handler_kind { SPIN_KIND_HEADER, SPIN_KIND_PAYLOAD, SPIN_KIND_COMPLETION };

/* What handlers report to the application: an error (of a message only the first, sPIN B.3), the end of a message, or a work item. */
struct spin_event {
	uint32_t type;    /* enum spin_event_type */
	uint32_t handler; /* enum spin_handler_kind */
	uint32_t hpu;
	uint32_t ip_version;  /* 4 or 6; 0: no IP */
	uint32_t src_addr[4]; /* network byte order, IPv4 in word 0 */
	uint16_t src_port;    /* host byte order; 0 for ICMP */
	uint16_t dst_port;
	uint32_t length; /* bytes of the message's payload; SPIN_LENGTH_UNKNOWN until its last packet is handled */
	/* messages only, else 0 */
	uint32_t message_id; /* host byte order */
	uint32_t me;         /* index of the matching entry; SPIN_MES_MAX: none (a message without its first packet) */
	uint32_t offset;     /* RAN: of the packet in the message; else of the message in the entry */
	/* MESSAGE and TIMEOUT only, else 0 */
	uint32_t dropped_bytes;
	uint32_t deposited_bytes; /* by the default action */
	union {
		uint32_t flags;      /* SPIN_EVENT_* */
		uint32_t item_bytes; /* WORK */
	};
	union {
		struct {
			uint64_t match_bits, hdr_data;
			union {
				/* the matching entry as posted, even if its index has been reused; 0: none */
				struct {
					uint32_t me_start, me_length;
				};                 /* in the context's host memory, in bytes */
				uint64_t user_ptr; /* PUT_ACKED, PUT_FAILED: from struct spin_put_acked, else 0; `me` is then its entry */
			};
			uint32_t me_serial; /* of the entry's posting (struct spin_me) */
			uint32_t unused;
		};
		uint32_t item[SPIN_WORK_BYTES_MAX / 4]; /* WORK: the handler's bytes, padded with zeros */
	};
};

/*
 * Requests to libspin, executed in order: packets of handlers that cannot leave from where the handler runs (its own packet goes to the
 * host; it ran in a sweep; no route to the target is known), and puts from host memory.
 */
enum spin_request_type {
	SPIN_REQUEST_PACKET = 1,
	SPIN_REQUEST_PUT = 2,       /* from host memory */
	SPIN_REQUEST_PUT_BYTES = 3, /* to be acknowledged: a packet's payload, sent as a message by libspin */
};

#define SPIN_REQUEST_FRAME_MAX (128u + SPIN_PUT_BYTES_MAX) /* Ethernet, two VLAN tags, IP with options, UDP, SLMP, its put */

/* One request. The words in capitals say for which types a field is valid. */
struct spin_request {
	uint32_t type;                   /* enum spin_request_type */
	uint32_t bytes;                  /* bytes of the frame; PUT: of host memory */
	uint32_t start;                  /* PUT: offset in the context's host memory */
	uint32_t ip_at;                  /* PACKET, PUT_BYTES: offset of the IP header in the frame */
	struct spin_process source;      /* PUT, PUT_BYTES: the source to send from */
	uint32_t acked;                  /* PUT, PUT_BYTES: 1: the next fields are from struct spin_put_acked and its entry; else 0 */
	uint32_t options, me, me_serial; /* PUT that answers a get: SPIN_REQUEST_ANSWER and the entry that is read */
	uint64_t user_ptr;
	struct spin_put put;                   /* PUT, PUT_BYTES; PACKET: only the target */
	uint8_t frame[SPIN_REQUEST_FRAME_MAX]; /* PACKET, PUT_BYTES: the frame as it would leave; end of the record */
};

#define SPIN_REQUEST_ANSWER 0x80000000u /* an option like SPIN_PUT_*: an answer to a get, not sent by a handler */

/* Default key if no random one is available. */
#define SPIN_HASH_KEY                                                      \
	{                                                                  \
		0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb \
	}

_Static_assert(sizeof(struct spin_config) == 456 && sizeof(struct spin_event) == 96, "shared by BPF and user space");

#endif
