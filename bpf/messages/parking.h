/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_PARKING_H
#define BPF_PARKING_H

/*
 * Parking: packets that overtook the first packet of their message wait here until it has been handled (steps 9, 10 and 13 of
 * <spin/message.h>). Also has the bitmaps from which the buffers for them, MPQs (states of messages in flight) and unexpected messages
 * (unexpected.h) are allocated. Called by message_begin.h, message.h, evict.h and unexpected.h. A buffer has the layout of a copied
 * frame, so handlers can read it as one.
 */
#include "bpf/atomic.h"
#include "bpf/messages/message_state.h"

/* Buffer for a copied frame. */
struct spin_copy {
	uint8_t frame[SPIN_COPY_BYTES + SPIN_COPY_SLACK];
	uint64_t scratch[SPIN_SCRATCH_WORDS];
};

static struct spin_park spin_parks[SPIN_PARKING_MAX] SPIN_MPQ_ATTR_;
static uint64_t spin_parks_used[SPIN_PARKING_MAX / 64] SPIN_MPQ_ATTR_;
static uint32_t spin_parks_next SPIN_MPQ_ATTR_;
static struct spin_copy spin_park_buffers[SPIN_PARKING_MAX] SPIN_PARKED_ATTR_;

SPIN_INLINE struct spin_park *spin_park_at(uint32_t buffer)
{
	return &spin_parks[spin_barrier_var_(buffer) & (SPIN_PARKING_MAX - 1)];
}

/* Returns the free bits among the 64 from `first` on that are below `limit`. */
SPIN_INLINE uint64_t spin_free_bits_(const uint64_t *used, uint32_t first, uint32_t words, uint32_t limit)
{
	uint64_t free = ~spin_read_once(&used[(first >> 6) & (words - 1)]);

	if (limit <= first)
		return 0;
	return limit - first < 64 ? free & (((uint64_t)1 << ((limit - first) & 63)) - 1) : free;
}

/*
 * Allocates a free bit below `limit`. Returns `words` * 64 if none is free; `words` is a power of two. The search starts at *next and goes
 * round, so that a freed bit is reused as late as possible: other HPUs may still be about to look at it.
 */
SPIN_INLINE uint32_t spin_alloc_bit(uint64_t *used, uint32_t *next, uint32_t words, uint32_t limit)
{
	uint32_t start = spin_read_once(next), first;
	uint64_t free, bit, round = 0;

	if (start >= limit)
		start = 0;
	/* visits the first word twice: its end first, its beginning last */
	for (uint32_t i = 0; i <= words && spin_can_loop_(&round, words + 1); i = spin_verifier_forget32(i + 1)) {
		first = (((start >> 6) + i) & (words - 1)) << 6;
		free = spin_free_bits_(used, first, words, limit);
		if (!i)
			free &= ~(uint64_t)0 << (start & 63);
		bit = free & -free;
		if (bit && !(spin_fetch_or(&used[(first >> 6) & (words - 1)], bit) & bit)) {
			first = spin_barrier_var_(first + spin_bit_number(bit));
			spin_write_once(next, first + 1);
			return first;
		}
	}
	return words * 64;
}

/* Is there a free bit below `limit`? */
SPIN_INLINE _Bool spin_has_free_bit(const uint64_t *used, uint32_t words, uint32_t limit)
{
	uint64_t round = 0;

	for (uint32_t i = 0; i < words && spin_can_loop_(&round, words); i = spin_verifier_forget32(i + 1))
		if (spin_free_bits_(used, i << 6, words, limit))
			return 1;
	return 0;
}

/* Allocates an MPQ. Returns SPIN_MPQS_MAX if none is free. */
SPIN_GLOBAL_FN uint32_t spin_mpq_alloc(void)
{
	return spin_alloc_bit(spin_mpqs_used, &spin_mpqs_next, SPIN_MPQ_WORDS, spin_config.mpqs);
}

SPIN_GLOBAL_FN _Bool spin_mpq_is_free(void)
{
	return spin_has_free_bit(spin_mpqs_used, SPIN_MPQ_WORDS, spin_config.mpqs);
}

/* Allocates a buffer. Returns SPIN_PARKING_MAX if none is free. */
SPIN_GLOBAL_FN uint32_t spin_park_alloc(void)
{
	return spin_alloc_bit(spin_parks_used, &spin_parks_next, SPIN_PARKING_MAX / 64, spin_config.parking);
}

SPIN_INLINE void spin_free_bit(uint64_t *used, uint32_t words, uint32_t bit)
{
	bit = spin_barrier_var_(bit); /* the mask is for the verifier, even after a test of bit */
	spin_fetch_and(&used[(bit >> 6) & (words - 1)], ~((uint64_t)1 << (bit & 63)));
}

SPIN_INLINE void spin_park_free(uint32_t buffer)
{
	spin_free_bit(spin_parks_used, SPIN_PARKING_MAX / 64, buffer);
}

/*
 * Chains are walked without counting. The verifier knows nothing of a link, so all iterations are one state (spin_can_loop_()). A chain is
 * no longer than the number of buffers.
 */
SPIN_INLINE uint32_t spin_park_next_(uint32_t at)
{
	return spin_read_once(&spin_park_at(at - 1)->next);
}

/* Returns 1 if a packet with that offset is parked. */
SPIN_GLOBAL_FN _Bool spin_park_has(uint32_t mpq, uint32_t owner, uint32_t offset)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);
	uint64_t round = 0;

	for (uint32_t at = spin_read_once(&q->parked); at && spin_can_loop_(&round, SPIN_PARKING_MAX); at = spin_park_next_(at))
		if (spin_read_once(&spin_park_at(at - 1)->offset) == offset && spin_read_once(&spin_park_at(at - 1)->owner) == owner)
			return 1;
	return 0;
}

/* Pushes a packet to the front of the message's list. */
SPIN_GLOBAL_FN int spin_park_push(uint32_t mpq, uint32_t buffer)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint64_t round = 0;
	uint32_t first;

	do {
		first = spin_read_once(&q->parked);
		spin_write_once(&spin_park_at(buffer)->next, first);
	} while (spin_cmpxchg(&q->parked, first, buffer + 1) != first && spin_can_loop_(&round, SPIN_PARKING_MAX));
	return 0;
}

/*
 * Takes the message's parked packets, in order of arrival. Returns the first buffer + 1; 0 if there is none. Packets that were put back
 * after an earlier call are returned first and alone.
 */
SPIN_GLOBAL_FN uint32_t spin_park_take(uint32_t mpq)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t last = spin_xchg(&q->replay, 0), at, next;
	uint64_t round = 0;

	if (last)
		return last;
	/* last is 0; the verifier does not know that, so it sees one state */
	for (at = spin_xchg(&q->parked, 0); at && spin_can_loop_(&round, SPIN_PARKING_MAX); at = next) {
		next = spin_park_next_(at);
		spin_write_once(&spin_park_at(at - 1)->next, last);
		last = at;
	}
	return last;
}

/* Frees a chain. Its packets are lost and counted for the HPU. */
SPIN_GLOBAL_FN int spin_park_forget(uint32_t at, uint32_t hpu)
{
	uint64_t *lost = &spin_stats_at(hpu)->replay_lost, round = 0;

	for (uint32_t next; at && spin_can_loop_(&round, SPIN_PARKING_MAX); at = next) {
		next = spin_park_next_(at);
		spin_park_free(at - 1);
		spin_write_once(lost, spin_read_once(lost) + 1);
	}
	return 0;
}

#endif
