/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_CONNECTION_H
#define HWMODEL_NIC_CONNECTION_H

/*
 * The table of TCP connections in the modelled NIC, for contexts that take segments: what <spin/segment.h> says about keys, sequence
 * numbers and places, without the segments' tasks (runs of handlers). Included by segment.c, which calls it. Written from the text of
 * <spin/segment.h>, independently of the runtime in bpf/; tests compare the two.
 *
 * Steps are numbered as in that text.
 */
#include <spin/segment.h>

#include "hwmodel/nic/nic.h"

/* Addresses in network byte order, an IPv4 address in word 0; ports as they are in the packet. */
struct connection_key {
	uint32_t src_addr[4], dst_addr[4];
	uint32_t ports;
	uint32_t ip_version;
};
_Static_assert(sizeof(struct connection_key) == 40, "compared as bytes");

/* Bytes that were accepted, from a sequence number up to another. */
struct byte_range {
	uint32_t from, to;
};

/* Ranges in order, which neither overlap nor touch. */
struct byte_ranges {
	struct byte_range *at;
	unsigned count, room;
};

/* Which handlers of a connection may still run. */
enum connection_state {
	CONNECTION_OPENING, /* its header handler runs */
	CONNECTION_OPEN,
	CONNECTION_REFUSED,
	CONNECTION_ENDED,
};

/* A TCP connection, or one that has ended and is still remembered. */
struct connection {
	struct connection *next_listed;
	struct connection_key key;
	uint32_t number; /* of its place in the table: spin_connection() */
	enum connection_state state;
	uint32_t header_rc;        /* enum spin_rc of its header handler, or HPU_SCRATCH_FAILED, as its segments' tasks read it */
	uint32_t first, next, fin; /* sequence numbers, as in <spin/segment.h> */
	int has_fin;
	/* beyond `next`; more than SPIN_SEGMENT_RANGES only if handlers dropped segments in front of others that were already in flight */
	struct byte_ranges accepted;
	uint64_t length_bytes, dropped_bytes;
	int flow_control; /* 1: a segment was BEYOND_WINDOW */
	int has_failed;   /* its first error was reported */
	uint32_t accepted_segments;
	uint64_t over; /* if it is refused or has ended: when, as a number that grows */

	/* segments with tasks, and those that wait for them (segment.c) */
	struct inflight *running;
	unsigned running_count;
	int is_alone; /* 1: the next one must wait until no other has a task */
	struct inflight_queue waiting;
	struct connection *next_resumed; /* in the list of those whose waiting segments can be decided */
	int is_resumed;
};

#define CONNECTION_LISTS 1024u

/* The table: a fixed number of places, found by key. */
struct connections {
	struct connection all[SPIN_CONNECTIONS_MAX];
	unsigned used; /* places that have had a connection: the first of them */
	struct connection *list[CONNECTION_LISTS];
	uint64_t over_count;
	struct byte_ranges trial; /* memory of connection__has_room() */
	struct connection *first_resumed, *last_resumed;
};

/* Step 6. */
enum segment_role {
	SEGMENT_BELONGS, /* to the key's connection */
	SEGMENT_BEGINS,  /* may begin one */
	SEGMENT_PASSES,  /* PROCEEDED, without a connection */
};

/* Opens a context of segments (segment.c). Returns 0, -EINVAL or -ENOMEM. */
int nic_connections__open(struct pspin *nic);
/* Forgets all connections. None of their segments may be in flight. */
void nic_connections__reset(struct pspin *nic);
void nic_connections__free(struct pspin *nic);

void connection_key__read(struct connection_key *key, const uint8_t *frame, const struct inbound *in);
void tcp_segment__read(struct tcp_segment *segment, const uint8_t *frame, const struct inbound *in);

struct connection *connections__find(const struct connections *connections, const struct connection_key *key);
/* Frees all. None of their segments may have a task or wait. */
void connections__clear(struct connections *connections);

/* `c` is the key's connection; NULL: it has none. */
enum segment_role connection__role(const struct connection *c, const struct tcp_segment *s);

/*
 * Step 7. Returns the place in which the connection of a key can begin: that of the key's earlier one, `old`, if it is not NULL; a free
 * one; or the one of a connection that yields. Returns NULL if there is none. connection__begin() then evicts the connection there.
 */
struct connection *connections__place(struct connections *connections, const struct connection_key *key, struct connection *old);
void connection__begin(struct connections *connections, struct connection *place, const struct connection_key *key,
		       const struct tcp_segment *s, enum connection_state state);

/*
 * Step 10: is the segment's payload within the window? Counts the segments in flight as accepted. Returns -1 if out of memory.
 */
int connection__has_room(struct connections *connections, const struct connection *c, const struct tcp_segment *s);
/* Step 11. Returns 0, or -1 if out of memory. */
int connection__accept(struct connection *c, const struct tcp_segment *s);
/* Step 12: will all bytes up to a FIN have been accepted once this segment is? No other segment of it may have a task. */
int connection__would_end(const struct connection *c, const struct tcp_segment *s);

#endif
