/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_FLOW_H
#define NIC_FLOW_H

/* Keys of messages, and what became of them: the MPQ that one has, or a tombstone. */
#include <stdint.h>

struct mpq;

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
	struct mpq *mpq;  /* NULL: a tombstone */
	uint32_t left_ms; /* when it was left, and what tells its message from another one: */
	uint32_t stride, length, sum;
	int pressed; /* 1: its message was ended for another one */
	int is_left; /* 1: it is found no more, its message being about to complete */
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
struct flow *flows__add(struct flows *flows, const struct flow_key *key, struct mpq *mpq, uint32_t now_ms, uint32_t tombstone_ms);
/* From now on it is not found; flows__remove() frees it. */
void flows__leave(struct flows *flows, struct flow *flow);
void flows__remove(struct flows *flows, struct flow *flow);
void flows__clear(struct flows *flows);

/* 1: a tombstone that still counts. */
int flow__is_tombstone(const struct flow *flow, uint32_t now_ms, uint32_t tombstone_ms);

#endif
