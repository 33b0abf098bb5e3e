/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_STREAM_H
#define BPF_ABI_STREAM_H

/*
 * Handlers on TCP streams: interface between the program that runs a context's handlers on the bytes of connections (bpf/stream.h), the
 * programs that give connections to contexts (bpf/streams.bpf.c), and libspin. A piece is what TCP delivers at once. Names in a context's
 * object:
 *
 *	spin_stream      section "?sk_skb/stream_verdict": handles one piece of a stream as the kernel's TCP delivers it
 *	spin_stream_end  section "?xdp": ends a stream. Run with BPF_PROG_TEST_RUN on struct spin_stream_end_frame
 *	spin_stream_on   program array: spin_stream, tail-called for the rest of a piece
 *	spin_streams     array of struct spin_stream, mapped: the open streams
 *	spin_units       array of struct spin_unit: one HPU for each program running at the same time; the loader sets its size
 *	spin_units_taken since when units are in use; contexts that share a state share one
 *	spin_streams_taken  bitmap of stream numbers in use, shared likewise
 *	spin_streams_seen   struct spin_streams_seen, mapped, shared likewise: whether handlers see all data
 *
 * and in the object of streams.bpf.c, shared by the contexts of a process:
 *
 *	spin_stream_begins    section "sockops", on the root cgroup: sockets connect, change state, close
 *	spin_stream_guard     section "sk_skb/stream_verdict": first program for the pieces of all streams; SPIN_STREAM_BEGINS
 *	spin_stream_admit     section "?cgroup_skb/ingress", on the root cgroup: drops segments of contexts that have used up a limit
 *	spin_stream_limits    struct spin_guard_share in .rodata: the limits, those of guards (abi/guard.h)
 *	spin_guard_cpus       as of guards, and shared with them
 *	spin_stream_programs  program array: the contexts' stream programs, by slot
 *	spin_stream_attached  context numbers by slot: only connections of these contexts are accepted
 *	spin_stream_owner     socket storage: struct spin_stream_owner; a connection inherits it from its listening socket
 *	spin_stream_seen      array of maps: the contexts' spin_streams_seen, by slot
 *	spin_stream_socks, spin_stream_kept  connections by cookie: those with handlers, and those that may have unread bytes
 *	spin_stream_limited   socket storage of connected sockets that a client attached: struct spin_stream_owner. Not inherited
 *	spin_stream_used      hash: struct spin_guard_counts of each context, per CPU, by slot
 *	spin_stream_events    array of maps: the contexts' queues of events, by slot
 *	spin_stream_windows   struct spin_guard_events_window of each context, by slot
 *	spin_stream_known     struct spin_stream_known of each of these connections, by cookie
 *	spin_stream_news      ring buffer of struct spin_stream_news
 *	spin_stream_lost      entry 0: how many of these found no room; libspin then looks for streams whose connection has ended
 */
#include <stdint.h>

#define SPIN_STREAMS_MAX   1024u  /* open at a time, per context */
#define SPIN_STREAM_WAYS   8u     /* candidate slots of a stream, by its cookie */
#define SPIN_STREAM_PIECES 16384u /* most bytes of a stream that a handler sees at a time, if it may look at all of them */
#define SPIN_STREAM_BEYOND 32768u /* the same if it looks at the first bytes alone: the others are not copied */

/* Units of a context. More than programs can run at once, because programs on one CPU interrupt each other. */
#define SPIN_UNITS_OF_CPU 4u
#define SPIN_UNIT_TRIES   8u

/* Ticks of the kernel, 1 to 10 s: then the program that took a unit has ended. It runs for milliseconds, a trusted one for 250. */
#define SPIN_UNIT_TICKS 1024u

/* The state of one TCP stream with handlers. */
struct spin_stream {
	uint64_t cookie;        /* of its socket; 0: the slot is free */
	uint64_t bytes;         /* seen so far, with or without handlers */
	uint64_t dropped_bytes; /* of these: acknowledged but never read */
	uint32_t phase;         /* enum spin_stream_phase */
	uint32_t at;            /* offset in the current piece */
	uint32_t piece_dropped; /* 1: a handler dropped part of it */
	uint32_t number;        /* its index in spin_streams */
	uint32_t unit;          /* held by its program, + 1; 0: none */
	uint32_t unit_since;    /* when it took that unit, as in spin_units_taken */
	uint32_t unused[4];
};

/* One per shared state (spin_connections_missed()). Both numbers are changed atomically. */
struct spin_streams_seen {
	uint32_t missed;  /* pieces passed without a handler, and closed connections that had no handlers; modulo 2^32 */
	uint32_t without; /* open connections without handlers, and detached contexts */
};

/* Which handlers of a stream still run, and what happens to its bytes. */
enum spin_stream_phase {
	SPIN_STREAM_NEW,     /* the header handler must run */
	SPIN_STREAM_OPEN,    /* payload handlers run */
	SPIN_STREAM_PROCEED, /* no more payload handlers; the application reads the bytes */
	SPIN_STREAM_DROP,    /* no more payload handlers; bytes are acknowledged but never read */
	SPIN_STREAM_OVER,    /* no more handlers, including the completion handler; the application reads the bytes */
};

#define SPIN_STREAM_SLOTS    4608u  /* contexts with streams, per network namespace */
#define SPIN_STREAMS_OF_HOST 65536u /* connections of all these contexts */

/* The context that a socket belongs to. */
struct spin_stream_owner {
	uint32_t context, slot;
	uint32_t without; /* 1: this connection is counted in spin_streams_seen.without */
	uint32_t unused;
};

/* How far the pieces of a connection have been handled. */
struct spin_stream_known {
	struct spin_stream_owner owner;
	uint32_t next;     /* sequence number of the next byte */
	uint32_t has_next; /* 1: next is valid */
	uint32_t begun;    /* 1: its context's program has run */
	uint32_t unused;
};

/* skb->priority, as spin_stream_guard leaves it to a context's program: the stream begins with this piece. 0: with an earlier one. */
#define SPIN_STREAM_BEGINS 1u

/* A connection was closed by its peer (state 8, CLOSE_WAIT) or has ended (state 7, CLOSE). */
struct spin_stream_news {
	uint64_t cookie;
	uint64_t bytes; /* received in total */
	uint32_t context, state;
	uint32_t family;
	uint32_t unused;
	uint32_t remote[4], local[4]; /* network byte order; IPv4 uses the first word */
	uint16_t remote_port;         /* both in host byte order */
	uint16_t local_port;
	uint32_t unused2;
};

#define SPIN_STREAM_IP6_AT 14u /* offsets of the headers in the frame built for handlers */
#define SPIN_STREAM_IP4_AT 34u
#define SPIN_STREAM_UDP_AT 54u
#define SPIN_STREAM_DATA   62u /* the stream's bytes */

#endif
