/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_STREAM_H
#define BPF_ABI_STREAM_H

/*
 * Streams of TCP: what a context's program for them (bpf/stream.h), the program that gives connections to contexts (bpf/streams.bpf.c)
 * and libspin share. Names in a context's object:
 *
 *	spin_stream      the program, section "?sk_skb/stream_verdict": one piece of a stream, as the kernel's TCP hands it over
 *	spin_stream_end  section "?xdp": a stream has ended. Run with BPF_PROG_TEST_RUN on struct spin_stream_end_frame
 *	spin_stream_on   array of programs: spin_stream, which continues with the rest of a piece
 *	spin_streams     array of struct spin_stream, mapped: the streams that are open
 *	spin_units       array of struct spin_unit: an HPU for each program that runs at the same time; the loader sets its size
 *	spin_units_taken which of them are taken; of contexts that share a state one for all
 *	spin_streams_taken  which numbers of streams are taken, likewise
 *	spin_streams_seen   struct spin_streams_seen, mapped, likewise: whether handlers see all that comes
 *
 * and in the object of streams.bpf.c, which the contexts of a process share:
 *
 *	spin_stream_begins    section "sockops", on the root of the control groups: sockets connect, change their state, end
 *	spin_stream_guard     section "sk_skb/stream_verdict": what pieces of all streams come to first
 *	spin_stream_programs  array of programs: those of contexts, by their slot
 *	spin_stream_attached  numbers of contexts, by slot: those whose sockets' connections are taken
 *	spin_stream_owner     storage of sockets: struct spin_stream_owner; connections have that of the listening socket they come from
 *	spin_stream_seen      array of maps: spin_streams_seen of contexts, by their slot
 *	spin_stream_socks, spin_stream_kept  connections by their cookie: those with handlers, and those that may have bytes to be read
 *	spin_stream_known     struct spin_stream_known, by cookie: of each of these connections
 *	spin_stream_news      ring buffer of struct spin_stream_news
 */
#include <stdint.h>

#define SPIN_STREAMS_MAX   1024u /* open at a time, of a context */
#define SPIN_STREAM_WAYS   8u    /* places that a stream may have: by its number in the kernel */
#define SPIN_STREAM_PIECES 8192u /* bytes of a stream that a handler sees at a time, at most */

/* Units of a context: more than programs that may run at once, for those of a CPU interrupt each other. */
#define SPIN_UNITS_OF_CPU 4u
#define SPIN_UNIT_TRIES   8u

struct spin_stream {
	uint64_t cookie;        /* of its socket, for as long as that lives; 0: the place is free */
	uint64_t bytes;         /* that handlers have run for, or that passed without */
	uint64_t dropped_bytes; /* of those: acknowledged, and never read */
	uint32_t phase;         /* enum spin_stream_phase */
	uint32_t at;            /* in the piece at hand */
	uint32_t piece_dropped; /* 1: a handler dropped a part of it */
	uint32_t number;        /* its place in spin_streams */
	uint32_t unit;          /* that its program has taken, + 1; 0: none */
	uint32_t unused[5];
};

/* Of all contexts of a state (spin_connections_missed()). Both numbers are changed atomically. */
struct spin_streams_seen {
	uint32_t missed;  /* pieces that were passed without a handler, connections that had none and have ended; modulo 2^32 */
	uint32_t without; /* connections that are open and have no handlers, and contexts that were detached */
};

enum spin_stream_phase {
	SPIN_STREAM_NEW,     /* the header handler is to run */
	SPIN_STREAM_OPEN,    /* payload handlers */
	SPIN_STREAM_PROCEED, /* no more handlers; bytes are read */
	SPIN_STREAM_DROP,    /* no more payload handlers; bytes are acknowledged and never read */
	SPIN_STREAM_OVER,    /* no more handlers, not even the completion handler; bytes are read */
};

#define SPIN_STREAM_SLOTS    4608u  /* contexts of a network namespace that have streams */
#define SPIN_STREAMS_OF_HOST 65536u /* connections of all of them */

struct spin_stream_owner {
	uint32_t context, slot;
	uint32_t without; /* of a connection: it is counted in spin_streams_seen */
	uint32_t unused;
};

struct spin_stream_known {
	struct spin_stream_owner owner;
	uint32_t next;     /* sequence number of its next byte, */
	uint32_t has_next; /* 1: which is known */
};

/* A connection ends, or has ended: by FIN (its state is 8, CLOSE_WAIT) or otherwise (7, CLOSE). */
struct spin_stream_news {
	uint64_t cookie;
	uint64_t bytes; /* that came in all */
	uint32_t context, state;
	uint32_t family;
	uint32_t unused;
	uint32_t remote[4], local[4]; /* network byte order; of IPv4 the first word */
	uint16_t remote_port;         /* host byte order, both */
	uint16_t local_port;
	uint32_t unused2;
};

#define SPIN_STREAM_IP6_AT 14u /* in a frame made for handlers: where its headers are */
#define SPIN_STREAM_IP4_AT 34u
#define SPIN_STREAM_UDP_AT 54u
#define SPIN_STREAM_DATA   62u /* bytes of the stream */

#endif
