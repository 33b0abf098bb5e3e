/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_UNEXPECTED_H
#define BPF_UNEXPECTED_H

/*
 * Unexpected messages (Portals 4): messages that matched only an entry of the overflow list, kept for an entry that is posted later.
 * libspin searches them (user/libspin/messages/unexpected.c). With spin_config.unexpected 0 nothing here runs.
 *
 * An append (the host searches these messages for an entry that it posts) must not miss a message that is on its way into an overflow
 * entry. The host makes spin_unexpected_appends odd while it searches and posts, and even again afterwards. A CPU that handles a first
 * packet reads it before it searches the entries, and again when the host can see the message. If the value has changed or is odd, the
 * message does not land. Both sides write before they read, with a barrier in between, so at least one of them sees the other.
 */
#include "bpf/messages/flow.h"
#include "bpf/messages/parking.h"

static struct spin_unexpected spin_unexpected[SPIN_UNEXPECTED_MAX] SPIN_MPQ_ATTR_;
static uint64_t spin_unexpected_used[SPIN_UNEXPECTED_MAX / 64] SPIN_MPQ_ATTR_;
static uint32_t spin_unexpected_next SPIN_MPQ_ATTR_;
static uint32_t spin_unexpected_appends SPIN_MPQ_ATTR_;
static uint64_t spin_unexpected_order SPIN_MPQ_ATTR_;

SPIN_INLINE struct spin_unexpected *spin_unexpected_at(uint32_t place)
{
	return &spin_unexpected[spin_barrier_var_(place) & (SPIN_UNEXPECTED_MAX - 1)];
}

/* Must be called before the entries are searched. */
SPIN_INLINE uint32_t spin_unexpected_begin(void)
{
	return spin_config.unexpected ? spin_load32(&spin_unexpected_appends) : 0;
}

SPIN_INLINE void spin_unexpected_free(uint32_t place)
{
	spin_store32(&spin_unexpected_at(place)->state, SPIN_UNEXPECTED_FREE);
	spin_free_bit(spin_unexpected_used, SPIN_UNEXPECTED_MAX / 64, place);
}

/*
 * Records a message that lands in an overflow entry. Returns its index + 1; 0 if it must not land, because no slot is free or entries were
 * posted.
 */
SPIN_INLINE uint32_t spin_unexpected_land(const struct spin_key *key, uint64_t match_bits, uint32_t appends)
{
	uint32_t place = spin_alloc_bit(spin_unexpected_used, &spin_unexpected_next, SPIN_UNEXPECTED_MAX / 64, spin_config.unexpected);
	struct spin_unexpected *u = spin_unexpected_at(place);

	if (place >= SPIN_UNEXPECTED_MAX)
		return 0;
	u->order = spin_fetch_add(&spin_unexpected_order, (uint64_t)1);
	u->src[0] = key->src[0];
	u->src[1] = key->src[1];
	u->source = (uint32_t)key->id;
	u->match_bits = match_bits;
	(void)SPIN_USED_(spin_cmpxchg(&u->state, SPIN_UNEXPECTED_FREE, SPIN_UNEXPECTED_LANDING));
	if (!(appends & 1) && spin_load32(&spin_unexpected_appends) == appends)
		return (place & (SPIN_UNEXPECTED_MAX - 1)) + 1;
	spin_unexpected_free(place);
	return 0;
}

#endif
