/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KVSTORE_H
#define KVSTORE_H

/*
 * Definitions shared by the kvstore handlers, the key-value server behind them and its clients: the message on the wire and the cache in
 * HPU memory.
 */
#include <spin/bytes.h>

#define KV_WORDS 8 /* a value is 32 bytes */
#define KV_WAYS  4 /* PsPIN 4.3: 4-way, 500 entries, set = key modulo sets */
#define KV_SETS  125

enum kv_op { KV_GET = 1, KV_SET = 2, KV_REPLY = 3 };

/* One datagram, request or reply. */
struct kv_message {
	spin_be16 op;   /* enum kv_op */
	uint16_t found; /* in a reply, network order: 1 or 0 */
	spin_be32 id;   /* chosen by the client, returned in the reply */
	spin_be32 key;
	uint32_t lease;           /* 0 from clients; set by the NIC for the server (below) */
	uint32_t value[KV_WORDS]; /* the client's bytes; in a SET and in the reply to a GET */
};

_Static_assert(sizeof(struct kv_message) == 48, "kv_message is a wire format");

/*
 * A cache line's tag is sequence << 2 | state; 0 is a line never used. The sequence is incremented when a line is taken for a key or gets a
 * new value. A lease is sequence << 2 | way: it names a line of the key's set that the server may fill if the line still has that sequence.
 */
enum kv_state {
	KV_PENDING = 0, /* has a key but no value: the server must fill it */
	KV_BUSY = 1,    /* being changed by one HPU or by the server */
	KV_VALID = 3,   /* has the committed value: the only state that is read */
};
#define KV_STATE_MASK 3u

struct kv_line {
	uint32_t tag;
	uint32_t key; /* host order */
	uint32_t value[KV_WORDS];
};

struct kv_set {
	uint32_t clock; /* bits 3:0: line was read since the hand last passed it; bits 5:4: the hand */
	struct kv_line line[KV_WAYS];
};

struct kv_cache {
	struct kv_set set[KV_SETS];
};

_Static_assert(sizeof(struct kv_line) == 40 && sizeof(struct kv_set) == 164, "kv_cache is shared by HPU, BPF and host");

#endif
