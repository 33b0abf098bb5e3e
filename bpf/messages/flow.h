/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_FLOW_H
#define BPF_FLOW_H

/*
 * The flow table (abi/mpq.h): finds a message by its packet's key (source address, port and message id), inserts and removes keys. Called
 * by message_begin.h and message.h on several CPUs at once. Invariant: a key is in the table at most once.
 */
#include "bpf/atomic.h"
#include "bpf/abi/mpq.h"
#include "bpf/messages/slmp.h"

static struct spin_flow spin_flows[SPIN_FLOWS] SPIN_MPQ_ATTR_;
static uint32_t spin_flow_locks[SPIN_FLOW_LOCKS] SPIN_MPQ_ATTR_;

#define SPIN_FLOW_KIND_      3u
#define SPIN_FLOW_MPQ_(s)    ((s) >> 2 & (SPIN_MPQS_MAX - 1))
#define SPIN_FLOW_LOCK_TRIES 512

_Static_assert(SPIN_MPQS_MAX <= 1u << 14, "a flow's state has 14 bits for the MPQ");

/*
 * The state of a flow with a message, or with a tombstone, which has its message's MPQ and generation: so a state that has not changed is
 * that of the same tombstone.
 */
SPIN_INLINE uint32_t spin_flow_state(enum spin_flow_kind kind, uint32_t mpq, uint32_t generation)
{
	return kind | (mpq & (SPIN_MPQS_MAX - 1)) << 2 | generation << 16;
}

/* A message's key as the flow table has it, and the index at which the search for it begins. */
struct spin_key {
	uint64_t id, src[2], home; /* no padding, because it is an argument of global functions */
};

/*
 * `home` is the index where the search for the key begins. The source address is hashed by multiplication with secret odd constants, so an
 * attacker cannot predict the distance between the slots of two sources. The messages of one source are spread evenly by the golden ratio,
 * in an order that is also secret, so the consecutive ids that most senders use fill the table without runs. Without the key an attacker
 * cannot choose keys or ids that collide and fill another source's SPIN_FLOW_PROBES slots.
 */
SPIN_INLINE void spin_key_of(const struct spin_view *view, const struct spin_datagram *d, uint32_t message_id, struct spin_key *key)
{
	uint64_t hash;

	key->id = (uint64_t)message_id << 32 | (uint64_t)d->udp->src_port << 16 | (6 - 2 * d->is_ip4);
	key->src[0] = key->src[1] = 0;
	hash = (uint32_t)key->id * spin_config.key[0];
	if (spin_likely(spin_verifier_forget32(d->is_ip4))) {
		key->src[0] = ((const struct spin_ip4 *)d->ip)->src;
	} else if (spin_inside_(view, (struct spin_ip6 *)d->ip + 1)) {
		const struct spin_ip6 *ip = (const void *)spin_barrier_pointer_(d->ip);

		key->src[0] = ip->src[0] | (uint64_t)ip->src[1] << 32;
		key->src[1] = ip->src[2] | (uint64_t)ip->src[3] << 32;
		hash += key->src[1] * spin_config.key[2];
	}
	hash += key->src[0] * spin_config.key[1];
	key->home = ((uint32_t)(hash >> 32) + (message_id ^ (uint32_t)(spin_config.key[0] >> 32)) * 0x9e3779b1u) >> 16 & (SPIN_FLOWS - 1);
}

SPIN_INLINE _Bool spin_flow_is_(const struct spin_flow *flow, const struct spin_key *key)
{
	return spin_read_once(&flow->id) == key->id && spin_read_once(&flow->src[0]) == key->src[0] &&
	       spin_read_once(&flow->src[1]) == key->src[1];
}

/*
 * Returns the flow's state and sets *place to its index; 0 if the key is not in the table. A live flow may be about to end: its generation
 * is checked again when a packet is claimed. A tombstone is certain.
 */
SPIN_GLOBAL_FN uint32_t spin_flow_find(const struct spin_key *key, uint32_t *place)
{
	uint32_t i = 0, state;
	uint64_t round = 0;

	if (!key || !place)
		return 0; /* unreachable */

	do {
		uint32_t at = (uint32_t)(key->home + i) & (SPIN_FLOWS - 1);
		struct spin_flow *flow = &spin_flows[at];

		state = spin_load32(&flow->state);
		if (spin_likely(spin_flow_is_(flow, key)) && spin_likely(state & 2) &&
		    (spin_likely(!(state & 1)) || spin_load32(&flow->state) == state)) {
			*place = at;
			return state;
		}
		if (state == SPIN_FLOW_NONE && !spin_read_once(&flow->id))
			break; /* never used, so no key was ever inserted after it */
		i = spin_verifier_forget32(i + 1);
	} while (i < SPIN_FLOW_PROBES && spin_can_loop_(&round, SPIN_FLOW_PROBES));
	return 0;
}

/* Returns the ticks since `since`; 0 if another HPU stored `since` after this HPU read the clock. */
SPIN_INLINE uint32_t spin_age(uint32_t now, uint32_t since)
{
	uint32_t age = now - since;

	return age > 0xffff0000 ? 0 : age;
}

/* Returns 1 if the tombstone is older than `ticks`. */
SPIN_INLINE _Bool spin_tombstone_old(const struct spin_flow *flow, uint32_t now, uint32_t ticks)
{
	return spin_age(now, spin_read_once(&flow->time)) > ticks;
}

/* Returns 1 if a new flow may have the slot: it is free, or has an old tombstone or, if `evicted`, one of an evicted message. */
SPIN_INLINE _Bool spin_flow_yields_(const struct spin_flow *flow, uint32_t state, uint32_t now, uint32_t ticks, _Bool evicted)
{
	uint32_t kind = state & SPIN_FLOW_KIND_;

	if (spin_likely(kind == SPIN_FLOW_NONE))
		return 1;
	return kind == SPIN_FLOW_TOMBSTONE &&
	       (spin_tombstone_old(flow, now, ticks) || (evicted && spin_read_once(&flow->sum) >= SPIN_FLOW_PRESSED));
}

/*
 * Claims a slot for a new flow and returns its index; SPIN_FLOWS if none is free. The caller holds the lock of the key's home, so the key
 * is inserted once; other HPUs may claim the same slots for other keys. The slots are searched a second time for a tombstone of an evicted
 * message: its sender has to be told to restart the message, so it gives way only if nothing else does.
 */
SPIN_GLOBAL_FN uint32_t spin_flow_claim(const struct spin_key *key, uint32_t now, uint32_t ticks)
{
	uint64_t round = 0;

	if (!key)
		return SPIN_FLOWS; /* unreachable */
	for (uint32_t i = 0, state; i < 2 * SPIN_FLOW_PROBES && spin_can_loop_(&round, 2 * SPIN_FLOW_PROBES);
	     i = spin_verifier_forget32(i + 1)) {
		uint32_t at = (uint32_t)(key->home + (i & (SPIN_FLOW_PROBES - 1))) & (SPIN_FLOWS - 1);
		struct spin_flow *flow = &spin_flows[at];

		state = spin_load32(&flow->state);
		if (!spin_flow_yields_(flow, state, now, ticks, i >= SPIN_FLOW_PROBES))
			continue;
		if (spin_cmpxchg(&flow->state, state, SPIN_FLOW_CLAIMED) != state)
			continue;
		spin_write_once(&flow->id, key->id);
		spin_write_once(&flow->src[0], key->src[0]);
		spin_write_once(&flow->src[1], key->src[1]);
		return spin_barrier_var_(at);
	}
	return SPIN_FLOWS;
}

/* Takes the lock of the key's home. Returns 0 if another HPU holds it for longer than an insertion takes. */
SPIN_GLOBAL_FN _Bool spin_flow_lock(const struct spin_key *key)
{
	uint64_t round = 0;
	uint32_t *lock;

	if (!key)
		return 0; /* unreachable */
	lock = &spin_flow_locks[key->home & (SPIN_FLOW_LOCKS - 1)];
	for (uint32_t i = 0, was; i < SPIN_FLOW_LOCK_TRIES && spin_can_loop_(&round, SPIN_FLOW_LOCK_TRIES);
	     i = spin_verifier_forget32(i + 1)) {
		was = spin_xchg(lock, 1);
		if (!was)
			return 1;
	}
	return 0;
}

SPIN_INLINE void spin_flow_unlock(const struct spin_key *key)
{
	spin_store32(&spin_flow_locks[key->home & (SPIN_FLOW_LOCKS - 1)], 0);
}

#endif
