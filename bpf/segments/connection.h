/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_CONNECTION_H
#define BPF_CONNECTION_H

/*
 * The table of TCP connections of a context that takes segments (<spin/segment.h>): finds a connection by its key, claims a place for a
 * new one, and counts the handlers that run for it. Called by segment.h on several CPUs at once. All variables are static, so objects
 * without segments do not have them. Invariant: a place changes its owner only while its state is BEGINNING, which no HPU enters.
 */
#include <spin/context.h>
#include <spin/segment.h>

#include "bpf/atomic.h"
#include "bpf/parse.h"

/* A key may use eight places in each of two groups: then nearly all places are in use before a connection finds none. */
#define SPIN_CONNECTION_WAYS   8u
#define SPIN_CONNECTION_PLACES (2 * SPIN_CONNECTION_WAYS)
#define SPIN_CONNECTION_GROUPS (SPIN_CONNECTIONS_MAX / SPIN_CONNECTION_WAYS)
#define SPIN_CONNECTION_NONE   SPIN_CONNECTIONS_MAX

/* What a place of the table holds. The phase is in the same word as the count of running handlers, so both change at once. */
enum spin_connection_phase {
	SPIN_CONNECTION_FREE,
	SPIN_CONNECTION_BEGINNING, /* its header handler runs, or its place is being taken over */
	SPIN_CONNECTION_OPEN,
	SPIN_CONNECTION_REFUSED,
	SPIN_CONNECTION_ENDING, /* its completion handler runs */
	SPIN_CONNECTION_ENDED,
};

#define SPIN_CONNECTION_PHASE_ 7u
#define SPIN_CONNECTION_DONE_  8u  /* in a state: the last handler that leaves runs the completion handler */
#define SPIN_CONNECTION_RUN_   16u /* in a state: the unit in which running handlers are counted */

/* Flags of a connection. */
enum {
	SPIN_CONNECTION_FIN = 1,      /* `fin` is known */
	SPIN_CONNECTION_PASSES = 2,   /* PROCEED: no payload handlers */
	SPIN_CONNECTION_SILENT = 4,   /* no completion handler */
	SPIN_CONNECTION_FAILED = 8,   /* it has had the event of its first error */
	SPIN_CONNECTION_BLOCKED = 16, /* flow control dropped a segment */
	SPIN_CONNECTION_GAPS = 32,    /* a range has been used */
};

/* A place of the table: a connection's key, its sequence numbers and its counts. */
struct spin_connection {
	uint64_t id, src[2], dst[2]; /* the key, as in struct spin_segment_key */
	uint32_t state;              /* phase, DONE_, and the count of running handlers */
	uint32_t flags;
	uint32_t first, next, fin; /* as in <spin/segment.h>; changed with `lock` held */
	uint32_t lock;
	/* a cache line of what few segments need */
	uint32_t range[SPIN_SEGMENT_RANGES][2]; /* accepted beyond `next`: from, to; equal: unused. No two of them overlap or touch */
	uint64_t bytes;                         /* accepted without a gap */
	uint64_t dropped_bytes;
	uint32_t accepted; /* segments */
	uint32_t last;     /* ticks: its last accepted segment */
	uint32_t unused[2];
};

_Static_assert(sizeof(struct spin_connection) == 128, "two cache lines");

/* 0, or a hash of the key of the connection in this place: most keys are told apart without a look at the connection. */
static uint32_t spin_connection_tags[SPIN_CONNECTIONS_MAX] SPIN_MPQ_ATTR_;
static struct spin_connection spin_connections[SPIN_CONNECTIONS_MAX] SPIN_MPQ_ATTR_;

/* A connection's key, with the places and the tag that follow from its hash. */
struct spin_segment_key {
	uint64_t id; /* both ports as in the packet, and the IP version */
	uint64_t src[2], dst[2];
	uint32_t place[2], tag;
	uint32_t unused; /* no padding, because it is an argument of global functions */
};

SPIN_INLINE struct spin_connection *spin_connection_at(uint32_t number)
{
	return &spin_connections[spin_barrier_var_(number) & (SPIN_CONNECTIONS_MAX - 1)];
}

/*
 * The hash is a sum of products with secret odd numbers (struct spin_config), so a sender cannot choose addresses and ports whose
 * connections displace a particular one.
 */
SPIN_INLINE void spin_segment_key_of(const struct spin_view *view, const struct spin_datagram *d, struct spin_segment_key *key)
{
	uint64_t hash;

	key->id = (uint64_t)d->udp->src_port << 48 | (uint64_t)d->udp->dst_port << 32 | (6 - 2 * d->is_ip4);
	key->src[0] = key->src[1] = key->dst[0] = key->dst[1] = 0;
	key->unused = 0;
	hash = (uint32_t)(key->id >> 32) * spin_config.key[0];
	if (spin_likely(spin_verifier_forget32(d->is_ip4))) {
		key->src[0] = ((const struct spin_ip4 *)d->ip)->src;
		key->dst[0] = ((const struct spin_ip4 *)d->ip)->dst;
	} else if (spin_inside_(view, (struct spin_ip6 *)d->ip + 1)) {
		const struct spin_ip6 *ip = (const void *)spin_barrier_pointer_(d->ip);

		key->src[0] = ip->src[0] | (uint64_t)ip->src[1] << 32;
		key->src[1] = ip->src[2] | (uint64_t)ip->src[3] << 32;
		key->dst[0] = ip->dst[0] | (uint64_t)ip->dst[1] << 32;
		key->dst[1] = ip->dst[2] | (uint64_t)ip->dst[3] << 32;
		hash += key->src[1] * spin_config.key[2] + key->dst[1] * (spin_config.key[2] ^ 0x5555555555555554);
	}
	hash += key->src[0] * spin_config.key[1] + key->dst[0] * (spin_config.key[0] ^ 0x3333333333333332);
	hash ^= hash >> 32;
	hash *= spin_config.key[2];
	/* unknown numbers: the isolated class requires one range for an index on all paths */
	key->place[0] = spin_verifier_forget32((uint32_t)(hash >> 57) * SPIN_CONNECTION_WAYS);
	key->place[1] = spin_verifier_forget32((uint32_t)(hash >> 50 & (SPIN_CONNECTION_GROUPS - 1)) * SPIN_CONNECTION_WAYS);
	key->tag = ((uint32_t)(hash >> 16) & 0x7fffffff) | 1; /* spin_equal_() compares 31 bits */
}

_Static_assert(SPIN_CONNECTION_GROUPS == 1u << (64 - 57), "seven bits of the hash are a group");

SPIN_INLINE _Bool spin_connection_is_(const struct spin_connection *c, const struct spin_segment_key *key)
{
	return !((spin_read_once(&c->id) ^ key->id) | (spin_read_once(&c->src[0]) ^ key->src[0]) |
		 (spin_read_once(&c->src[1]) ^ key->src[1]) | (spin_read_once(&c->dst[0]) ^ key->dst[0]) |
		 (spin_read_once(&c->dst[1]) ^ key->dst[1]));
}

/* Returns the number of place i of a key. Callers unroll their loops over i, so that its group is a constant. */
SPIN_INLINE uint32_t spin_connection_place_(const struct spin_segment_key *key, uint32_t i)
{
	return (key->place[i / SPIN_CONNECTION_WAYS] + (i & (SPIN_CONNECTION_WAYS - 1))) & (SPIN_CONNECTIONS_MAX - 1);
}

/*
 * Returns `value` instead of `old` if `bit` is 1, without a branch. Not with a mask: Linux 6.18.44 follows both of its values (seen: an AND
 * of a constant and a number that is 0 or -1).
 */
SPIN_INLINE uint32_t spin_select_(uint32_t bit, uint32_t value, uint32_t old)
{
	return old + (value - old) * spin_barrier_var_(bit);
}

/* Returns a place with the key's tag, but not `except`; SPIN_CONNECTION_NONE: there is none. One path for the verifier. */
SPIN_INLINE uint32_t spin_connection_tagged_(const struct spin_segment_key *key, uint32_t except)
{
	uint32_t found = SPIN_CONNECTION_NONE;

	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_CONNECTION_PLACES; i++) {
		const uint32_t at = spin_connection_place_(key, i);
		const uint32_t is = spin_equal_(spin_read_once(&spin_connection_tags[at]), key->tag) & (spin_equal_(at, except) ^ 1);

		found = spin_select_(is, at, found);
		spin_verifier_merge_(found);
	}
	return found;
}

/* The same for a linear frame. A global function, so that the verifier follows it once and not for each state of its caller. */
SPIN_NOINLINE uint32_t spin_connection_tagged_direct_(const struct spin_segment_key *key, uint32_t except)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_SEGMENTS || !key)
		return SPIN_CONNECTION_NONE; /* unreachable */
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_CONNECTION_PLACES; i++) {
		const uint32_t at = spin_connection_place_(key, i);

		if (spin_likely(spin_read_once(&spin_connection_tags[at]) == key->tag) && spin_likely(at != except))
			return at;
	}
	return SPIN_CONNECTION_NONE;
}

/*
 * Returns the number of the key's connection, but not `except`; SPIN_CONNECTION_NONE: there is none. Two keys with the same tag are as
 * likely as two equal hashes of 30 bits in the same places; then the second has no connection until the first gives way.
 */
SPIN_INLINE uint32_t spin_connection_find(const struct spin_view *view, const struct spin_segment_key *key, uint32_t except)
{
	uint32_t found = view->access == SPIN_COPIED ? spin_connection_tagged_(key, except) : spin_connection_tagged_direct_(key, except);

	found = spin_verifier_forget32(found);
	if (found < SPIN_CONNECTION_NONE && spin_likely(spin_connection_is_(spin_connection_at(found), key)))
		return found;
	return SPIN_CONNECTION_NONE;
}

#define SPIN_CONNECTION_STAYS_ 127u /* a rank: it does not yield */

/* Returns 1 if the ticks since `last` are more than `ticks`, which is not 0. */
SPIN_INLINE uint32_t spin_connection_is_older_(const struct spin_connection *c, uint32_t now, uint32_t ticks)
{
	const uint32_t age = now - spin_read_once(&c->last);

	/* an age beyond 2^30 is that of an HPU whose clock was read earlier */
	return spin_below_(0, ticks) & spin_below_(ticks, age) & spin_below_(age, 1u << 30);
}

/*
 * Returns 1 if a handler that is counted, or that begins or ends the connection, cannot be running any more: the work limit of the isolated
 * class ended its program.
 */
SPIN_INLINE uint32_t spin_connection_is_stuck(const struct spin_connection *c, uint32_t now)
{
	return spin_connection_is_older_(c, now, spin_config.age_ticks);
}

/* Returns how little would be lost if this connection yielded its place. Without branches: it is done for each place. */
SPIN_INLINE uint32_t spin_connection_rank_(const struct spin_connection *c, uint32_t state, uint32_t now)
{
	const uint32_t accepted = spin_read_once(&c->accepted);
	uint32_t rank = spin_select_(spin_connection_is_stuck(c, now), 2 + SPIN_PROVEN_PACKETS, SPIN_CONNECTION_STAYS_), open;

	open = spin_select_(spin_connection_is_older_(c, now, spin_config.idle_ticks), 2 + SPIN_PROVEN_PACKETS, SPIN_CONNECTION_STAYS_);
	open = spin_select_(spin_below_(accepted, SPIN_PROVEN_PACKETS), 2 + accepted, open);
	/* a state with running handlers equals none of these */
	rank = spin_select_(spin_equal_(state, SPIN_CONNECTION_OPEN), open, rank);
	rank = spin_select_(spin_equal_(state, SPIN_CONNECTION_ENDED) | spin_equal_(state, SPIN_CONNECTION_REFUSED), 1, rank);
	return spin_select_(spin_equal_(state, SPIN_CONNECTION_FREE), 0, rank);
}

_Static_assert(2 + SPIN_PROVEN_PACKETS < SPIN_CONNECTION_STAYS_, "ranks");

#define SPIN_CONNECTION_SHARE_ 126u /* a rank: it yields to another source */

/* The source of a connection: an IPv4 address, or the first half of an IPv6 address, which is what one host can have. */
SPIN_INLINE uint64_t spin_connection_source_(uint64_t id, uint64_t src)
{
	return src ^ (id & 2) << 62;
}

/*
 * Called if no place yields otherwise. If all connections in the key's places are of one source, and the key is of another, returns the
 * place of the one with the fewest segments; else SPIN_CONNECTION_NONE.
 */
SPIN_INLINE uint32_t spin_connection_of_other_source_(const struct spin_view *view, const struct spin_segment_key *key)
{
	const struct spin_connection *c = spin_connection_at(spin_connection_place_(key, 0));
	const uint64_t first = spin_connection_source_(spin_read_once(&c->id), spin_read_once(&c->src[0]));
	uint32_t least = SPIN_CONNECTION_NONE, fewest = 0xffffffff;
	uint64_t mixed = 0;

	if (first == spin_connection_source_(key->id, key->src[0]))
		return SPIN_CONNECTION_NONE;
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_CONNECTION_PLACES; i++) {
		const uint32_t at = spin_connection_place_(key, i);
		uint32_t accepted, is_less;

		c = spin_connection_at(at);
		accepted = spin_read_once(&c->accepted);
		is_less = spin_equal_(spin_load32(&c->state), SPIN_CONNECTION_OPEN) & spin_below_(accepted, fewest);
		least = spin_select_(is_less, at, least);
		fewest = spin_select_(is_less, accepted, fewest);
		mixed |= spin_connection_source_(spin_read_once(&c->id), spin_read_once(&c->src[0])) ^ first;
		if (view->access == SPIN_COPIED)
			spin_verifier_merge_(least);
	}
	return mixed ? SPIN_CONNECTION_NONE : least;
}

/* Returns the place that loses least, and its rank; SPIN_CONNECTION_NONE: none yields. */
SPIN_INLINE uint32_t spin_connection_yields_(const struct spin_view *view, const struct spin_segment_key *key, uint32_t now, uint32_t *rank)
{
	uint32_t best = SPIN_CONNECTION_NONE;

	*rank = SPIN_CONNECTION_STAYS_;
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_CONNECTION_PLACES; i++) {
		const uint32_t at = spin_connection_place_(key, i);
		const struct spin_connection *c = spin_connection_at(at);
		const uint32_t own = spin_connection_rank_(c, spin_load32(&c->state), now), is_better = spin_below_(own, *rank);

		best = spin_select_(is_better, at, best);
		*rank = spin_select_(is_better, own, *rank);
		if (view->access == SPIN_COPIED)
			spin_verifier_merge_(best);
	}
	if (*rank < SPIN_CONNECTION_STAYS_)
		return best;
	*rank = SPIN_CONNECTION_SHARE_;
	return spin_connection_of_other_source_(view, key);
}

/* Returns 1 if the place that was chosen by this rank still yields to the key's connection: another HPU may have taken it since. */
SPIN_INLINE _Bool spin_connection_still_yields_(const struct spin_connection *c, const struct spin_segment_key *key, uint32_t state,
						uint32_t now, uint32_t rank)
{
	if (rank != SPIN_CONNECTION_SHARE_)
		return spin_connection_rank_(c, state, now) <= rank;
	return state == SPIN_CONNECTION_OPEN &&
	       spin_connection_source_(spin_read_once(&c->id), spin_read_once(&c->src[0])) != spin_connection_source_(key->id, key->src[0]);
}

/* Changes the phase. The count of handlers is kept: an HPU that finds the wrong phase may be about to take its own back. */
SPIN_INLINE void spin_connection_becomes(struct spin_connection *c, enum spin_connection_phase from, enum spin_connection_phase to)
{
	(void)spin_fetch_add(&c->state, (uint32_t)to - from);
}

/* Frees a place that was claimed and is not needed. */
SPIN_INLINE void spin_connection_unclaim(uint32_t number)
{
	spin_store32(&spin_connection_tags[spin_barrier_var_(number) & (SPIN_CONNECTIONS_MAX - 1)], 0);
	spin_connection_becomes(spin_connection_at(number), SPIN_CONNECTION_BEGINNING, SPIN_CONNECTION_FREE);
}

/* Returns 1 if a key's earlier connection may be replaced: no handler of it runs. */
SPIN_INLINE _Bool spin_connection_rests_(const struct spin_connection *c, uint32_t state, uint32_t now)
{
	const uint32_t phase = state & SPIN_CONNECTION_PHASE_;

	return (state < SPIN_CONNECTION_DONE_ && phase != SPIN_CONNECTION_BEGINNING && phase != SPIN_CONNECTION_ENDING) ||
	       spin_connection_is_stuck(c, now);
}

/*
 * Takes a place in the table for a new connection, or for a key's next one (`old`: where the last is). Its state is then BEGINNING. Returns
 * SPIN_CONNECTION_NONE if there is none, or if another HPU was faster.
 */
SPIN_INLINE uint32_t spin_connection_claim_(const struct spin_view *view, const struct spin_segment_key *key, uint32_t old, uint32_t now)
{
	const _Bool is_new = old == SPIN_CONNECTION_NONE;
	uint32_t rank, yields = spin_connection_yields_(view, key, now, &rank), at, state;
	struct spin_connection *c;

	at = spin_verifier_forget32(spin_select_(is_new, yields, old));
	if (at >= SPIN_CONNECTION_NONE)
		return SPIN_CONNECTION_NONE;
	c = spin_connection_at(at);
	state = spin_load32(&c->state);
	if (is_new ? !spin_connection_still_yields_(c, key, state, now, rank)
		   : !spin_connection_is_(c, key) || !spin_connection_rests_(c, state, now))
		return SPIN_CONNECTION_NONE;
	spin_write_once(&c->last, now); /* before: a place that is BEGINNING must not look stuck to another HPU */
	if (spin_cmpxchg(&c->state, state, SPIN_CONNECTION_BEGINNING) != state)
		return SPIN_CONNECTION_NONE;
	spin_write_once(&c->id, key->id);
	spin_write_once(&c->src[0], key->src[0]);
	spin_write_once(&c->src[1], key->src[1]);
	spin_write_once(&c->dst[0], key->dst[0]);
	spin_write_once(&c->dst[1], key->dst[1]);
	(void)spin_xchg(&spin_connection_tags[spin_barrier_var_(at) & (SPIN_CONNECTIONS_MAX - 1)], key->tag);
	/*
	 * Another HPU may have begun the same connection in another place. The exchange is a barrier: of two at least one sees the other,
	 * and gives way.
	 */
	if (is_new && spin_connection_find(view, key, at) != SPIN_CONNECTION_NONE) {
		spin_connection_unclaim(at);
		return SPIN_CONNECTION_NONE;
	}
	return at;
}

/* The same for a linear frame: a global function, which the verifier follows once. */
SPIN_NOINLINE uint32_t spin_connection_claim_direct_(const struct spin_segment_key *key, uint32_t old, uint32_t now)
{
	const struct spin_view view = { .access = SPIN_DIRECT };

	if (spin_handlers_.delivery != SPIN_DELIVER_SEGMENTS || !key)
		return SPIN_CONNECTION_NONE; /* unreachable */
	return spin_connection_claim_(&view, key, old, now);
}

/*
 * Takes a place for the key: `old`, that of its earlier connection, or, if that is SPIN_CONNECTION_NONE, a free one or one that yields. The
 * place is then BEGINNING and has the key. Returns SPIN_CONNECTION_NONE if there is none, or if another HPU was faster.
 */
SPIN_INLINE uint32_t spin_connection_claim(const struct spin_view *view, const struct spin_segment_key *key, uint32_t old, uint32_t now)
{
	return view->access == SPIN_COPIED ? spin_connection_claim_(view, key, old, now) : spin_connection_claim_direct_(key, old, now);
}

/* Counts a handler in. Returns 0 if the place no longer has an open connection of this key. */
SPIN_INLINE _Bool spin_connection_enter(struct spin_connection *c, const struct spin_segment_key *key)
{
	const uint32_t state = spin_fetch_add(&c->state, SPIN_CONNECTION_RUN_);

	if (spin_likely((state & SPIN_CONNECTION_PHASE_) == SPIN_CONNECTION_OPEN) && spin_likely(spin_connection_is_(c, key)))
		return 1;
	(void)spin_fetch_add(&c->state, -SPIN_CONNECTION_RUN_);
	return 0;
}

/* Counts it out. Returns 1 to the one that has to run the completion handler and then calls spin_connection_becomes(ENDING, ENDED). */
SPIN_INLINE _Bool spin_connection_leave(struct spin_connection *c)
{
	const uint32_t last = SPIN_CONNECTION_OPEN | SPIN_CONNECTION_DONE_;
	const uint32_t state = spin_fetch_add(&c->state, -SPIN_CONNECTION_RUN_) - SPIN_CONNECTION_RUN_;

	return spin_unlikely(state == last) && spin_cmpxchg(&c->state, last, SPIN_CONNECTION_ENDING) == last;
}

#endif
