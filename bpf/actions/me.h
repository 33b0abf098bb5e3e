/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ME_H
#define BPF_ME_H

/*
 * Matching entries (<spin/message.h>; sPIN B.1): memory that the host posts for messages. The host writes them; the functions here match,
 * take and release them when messages begin and end. Called by the headers of bpf/messages/.
 */
#include "bpf/messages/flow.h"
#include "bpf/messages/unexpected.h"

/* The first entry exists from the start: persistent, open to all sources, over the whole host memory. */
static struct spin_me spin_mes[SPIN_MES_MAX] SPIN_ME_ATTR_ = {
	{ .state = SPIN_ME_OPEN, .ignore_bits = ~(uint64_t)0, .length = 0xffffffff },
};

/* No entry with this or a higher index was ever posted, so searches stop here. The host updates it before it posts a higher entry. */
static uint32_t spin_mes_end SPIN_ME_ATTR_ = 1;

#define SPIN_ME_PLACE_ 16 /* in the options that spin_me_take() returns: the unexpected message */

/* Retries if another message took the entry that was found; after that the packet finds none. Only before Linux 6.9. */
#define SPIN_ME_TRIES 4

SPIN_INLINE struct spin_me *spin_me_at(uint32_t me)
{
	return &spin_mes[spin_barrier_var_(me) & (SPIN_MES_MAX - 1)]; /* the mask is for the verifier, even after a test of me */
}

/*
 * Returns 1 if the entry's match bits and source accept the message. Without branches: the verifier would follow each in every iteration.
 */
SPIN_INLINE _Bool spin_me_fits_(const struct spin_me *me, const struct spin_key *key, uint64_t match_bits)
{
	uint32_t mask = spin_read_once(&me->source_mask);
	uint64_t address = (uint64_t)((int64_t)((uint64_t)mask << 56) >> 63); /* all ones if the entry names an address */
	uint64_t other = (spin_read_once(&me->match_bits) ^ match_bits) & ~spin_read_once(&me->ignore_bits);

	other |= (spin_read_once(&me->source) ^ (uint32_t)key->id) & mask;
	other |= ((spin_read_once(&me->src[0]) ^ key->src[0]) | (spin_read_once(&me->src[1]) ^ key->src[1])) & address;
	return !other;
}

/* Returns the start of the entry's memory and sets *bytes to its length, both clipped to the context's host memory. */
SPIN_INLINE uint32_t spin_me_memory_at(const struct spin_me *me, uint32_t *bytes)
{
	uint32_t start = spin_read_once(&me->start), length = spin_read_once(&me->length);

	if (start > spin_config.host_bytes)
		start = spin_config.host_bytes;
	if (length > spin_config.host_bytes - start)
		length = spin_config.host_bytes - start;
	*bytes = length;
	return start;
}

/* Returns the bytes left in a managed entry of which `used` are used. */
SPIN_INLINE uint32_t spin_me_room_(const struct spin_me *me, uint32_t used)
{
	uint32_t length;

	spin_me_memory_at(me, &length);
	return used < length ? length - used : 0;
}

/* Returns 1 if a managed entry with `room` bytes left accepts a message of `bytes` (SPIN_LENGTH_UNKNOWN: not in the first packet). */
SPIN_INLINE _Bool spin_me_holds_(const struct spin_me *me, uint32_t options, uint32_t room, uint32_t bytes)
{
	return bytes != SPIN_LENGTH_UNKNOWN && room >= spin_read_once(&me->min_free) && !(options & SPIN_ME_NO_TRUNCATE && bytes > room);
}

/*
 * In a search: returns 1 if the entry is managed and has too little room at the moment. It uses the entry's own length; spin_me_reserve_()
 * also clips it to the host memory. Without branches or calls: with a call Linux 6.12 takes three times the verifier steps for a search.
 */
SPIN_INLINE _Bool spin_me_lacks_room_(const struct spin_me *me, uint32_t options, uint32_t bytes)
{
	int64_t room = (int64_t)spin_read_once(&me->length) - (uint32_t)spin_read_once(&me->used);
	int64_t lacks = room - spin_read_once(&me->min_free);

	lacks |= (room - bytes) & -(int64_t)(options / SPIN_ME_NO_TRUNCATE % 2);
	lacks |= -(((int64_t)bytes + 1) >> 32); /* SPIN_LENGTH_UNKNOWN */
	lacks &= -(int64_t)(options / SPIN_ME_MANAGE_LOCAL % 2);
	return lacks < 0;
}

/* Releases an entry that was taken: SPIN_ME_OPEN, or SPIN_ME_FREE to unlink it. */
SPIN_INLINE void spin_me_give(uint32_t me, enum spin_me_state state)
{
	spin_store32(&spin_me_at(me)->state, state);
}

#define SPIN_ME_RESERVED_ ((uint64_t)1 << 63)
#define SPIN_ME_LAST_     ((uint64_t)1 << 62) /* the message has taken the entry, which accepts no more messages */

_Static_assert(SPIN_HOST_BYTES_MAX < 1u << 31, "offset and length of a place have 31 bits each");

/*
 * Reserves `bytes` bytes of a managed entry for a message. Returns SPIN_ME_RESERVED_, the offset in bits 30:0 and the length in 61:31.
 * Returns 0 if the entry does not accept the message or has changed since `used` was read. The caller must read `used` before everything
 * else that it tests of the entry, because a new posting changes it. Takes numbers only: pointers would keep their objects on the caller's
 * stack.
 */
SPIN_NOINLINE uint64_t spin_me_reserve_(uint32_t index, uint64_t used, uint32_t bytes, uint32_t options)
{
	struct spin_me *me = spin_me_at(index);
	uint64_t place;
	uint32_t room;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return 0;
	room = spin_me_room_(me, (uint32_t)used);
	if (!spin_me_holds_(me, options, room, bytes))
		return 0;
	if (bytes > room)
		bytes = room;
	if (spin_cmpxchg(&me->used, used, used + bytes) != used)
		return 0;
	place = SPIN_ME_RESERVED_ | (uint64_t)bytes << 31 | (uint32_t)used;
	if (room - bytes < spin_read_once(&me->min_free) && !(options & SPIN_ME_USE_ONCE) &&
	    spin_cmpxchg(&me->state, SPIN_ME_OPEN, SPIN_ME_TAKEN) == SPIN_ME_OPEN)
		place |= SPIN_ME_LAST_;
	return place;
}

SPIN_INLINE uint32_t spin_me_place_at(uint64_t place)
{
	return (uint32_t)place & 0x7fffffff;
}

SPIN_INLINE uint32_t spin_me_place_bytes(uint64_t place)
{
	return (uint32_t)(place >> 31) & 0x7fffffff;
}

/* Frees a managed entry's range that a message reserved and did not need. Does nothing if another range was reserved after it. */
SPIN_NOINLINE int spin_me_release(uint32_t me, uint32_t offset, uint32_t bytes)
{
	struct spin_me *entry = spin_me_at(me);
	uint64_t used;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || !(spin_read_once(&entry->options) & SPIN_ME_MANAGE_LOCAL))
		return 0;
	used = spin_read_once(&entry->used);
	if ((uint32_t)used == offset + bytes)
		(void)spin_cmpxchg(&entry->used, used, used - bytes);
	return 0;
}

/* Returns the next index, SPIN_MES_MAX after the last entry. A second exit of the loop would be one more path for the verifier. */
SPIN_INLINE uint32_t spin_me_next_(uint32_t me, uint32_t end)
{
	return spin_verifier_forget32(me + 1 < end ? me + 1 : SPIN_MES_MAX);
}

/* Returns the same value, about which the verifier then knows nothing. */
SPIN_INLINE uint64_t spin_verifier_forget64_(uint64_t v)
{
	return (uint64_t)spin_verifier_forget32((uint32_t)(v >> 32)) << 32 | spin_verifier_forget32((uint32_t)v);
}

/* Returns the entry posted first among those open to the message; SPIN_MES_MAX if there is none. */
SPIN_GLOBAL_FN uint32_t spin_me_match_(const struct spin_key *key, uint64_t match_bits, uint32_t bytes)
{
	uint32_t found = spin_verifier_forget32(SPIN_MES_MAX), state, end = spin_read_once(&spin_mes_end), options;
	uint64_t round = 0, first = spin_verifier_forget64_(~(uint64_t)0), order;

	if (!key)
		return SPIN_MES_MAX; /* unreachable */
	for (uint32_t i = 0; i < SPIN_MES_MAX && spin_can_loop_(&round, SPIN_MES_MAX); i = spin_me_next_(i, end)) {
		const struct spin_me *me = spin_me_at(i);

		state = spin_load32(&me->state);
		if (state != SPIN_ME_OPEN)
			continue;
		if (!spin_me_fits_(me, key, match_bits))
			continue;
		options = spin_verifier_forget32(spin_read_once(&me->options));
		order = (uint64_t)(options & SPIN_ME_OVERFLOW) << 32 | spin_read_once(&me->serial);
		if (order > first)
			continue;
		if (spin_me_lacks_room_(me, options, bytes))
			continue;
		first = spin_verifier_forget64_(order);
		found = spin_verifier_forget32(i);
	}
	return found;
}

/* Undoes spin_me_take(): releases the entry, its range and the slot of the unexpected message. Takes the results of that call. */
SPIN_NOINLINE int spin_me_untake(uint32_t me, uint32_t options, uint64_t place)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return 0;
	if (options & SPIN_ME_MANAGE_LOCAL)
		spin_me_release(me, spin_me_place_at(place), spin_me_place_bytes(place));
	if (options & SPIN_ME_USE_ONCE)
		spin_me_give(me, SPIN_ME_OPEN);
	if (spin_config.unexpected && options >> SPIN_ME_PLACE_)
		spin_unexpected_free((options >> SPIN_ME_PLACE_) - 1);
	return 0;
}

/*
 * Last step of spin_me_take(). An entry of the overflow list must also have room for an unexpected message, which is recorded. Returns the
 * entry; SPIN_MES_MAX if that fails: the entry is released, and the sender must retransmit.
 */
SPIN_INLINE uint32_t spin_me_land_(const struct spin_key *key, uint64_t match_bits, uint32_t appends, uint32_t me, uint32_t *options,
				   uint64_t place)
{
	uint32_t landed;

	if (!spin_config.unexpected || !(*options & SPIN_ME_OVERFLOW))
		return me;
	landed = spin_unexpected_land(key, match_bits, appends);
	if (!landed) {
		spin_me_untake(me, *options, place);
		return SPIN_MES_MAX;
	}
	*options |= landed << SPIN_ME_PLACE_;
	return me;
}

/* Reserves a range of a managed entry, in *place. Returns 0 if that fails; 1 also for other entries, which need no range. */
SPIN_INLINE _Bool spin_me_has_place_(uint32_t me, uint64_t used, uint32_t bytes, uint64_t *place, uint32_t *options)
{
	uint64_t reserved;

	if (spin_likely(!(*options & SPIN_ME_MANAGE_LOCAL)))
		return 1;
	reserved = spin_me_reserve_(me, used, bytes, *options);
	if (!reserved)
		return 0;
	*place = reserved;
	if (reserved & SPIN_ME_LAST_)
		*options |= SPIN_ME_USE_ONCE;
	return 1;
}

/*
 * Finds the entry for a message of `bytes` bytes (SPIN_LENGTH_UNKNOWN: not in the first packet) and takes it if it is use-once. *options
 * becomes the entry's options, with SPIN_ME_USE_ONCE if the entry was taken and, from bit SPIN_ME_PLACE_ on, the index of the unexpected
 * message + 1, if any. *place becomes the result of spin_me_reserve_() for a managed entry and is otherwise unchanged.
 */
SPIN_GLOBAL_FN uint32_t spin_me_take(const struct spin_key *key, uint64_t match_bits, uint32_t bytes, uint64_t *place, uint32_t *options)
{
	uint32_t found, appends = spin_unexpected_begin();
	uint64_t round = 0, used;
	struct spin_me *me;

	if (!key || !place || !options)
		return SPIN_MES_MAX; /* unreachable */
	do {
		found = spin_me_match_(key, match_bits, bytes);
		if (found >= SPIN_MES_MAX)
			break;
		me = spin_me_at(found);
		used = spin_read_once(&me->used);
		*options = spin_read_once(&me->options);
		/* the host may have posted another entry here in the meantime: check it again */
		if (!(*options & SPIN_ME_USE_ONCE)) {
			if (spin_load32(&me->state) == SPIN_ME_OPEN && spin_me_fits_(me, key, match_bits) &&
			    spin_me_has_place_(found, used, bytes, place, options))
				return spin_me_land_(key, match_bits, appends, found, options, *place);
			continue;
		}
		if (spin_cmpxchg(&me->state, SPIN_ME_OPEN, SPIN_ME_TAKEN) != SPIN_ME_OPEN)
			continue;
		used = spin_read_once(&me->used);
		*options = spin_read_once(&me->options);
		if (spin_me_fits_(me, key, match_bits) && *options & SPIN_ME_USE_ONCE &&
		    spin_me_has_place_(found, used, bytes, place, options))
			return spin_me_land_(key, match_bits, appends, found, options, *place);
		spin_me_give(found, SPIN_ME_OPEN);
	} while (spin_can_loop_(&round, SPIN_ME_TRIES)); /* another message took it first */
	return SPIN_MES_MAX;
}

#endif
