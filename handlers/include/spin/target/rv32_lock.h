/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_LOCK_H
#define SPIN_TARGET_RV32_LOCK_H

/*
 * Loops that end, by steps of a budget, locks (<spin/lock.h>) and the number of the HPU, for handlers on a PsPIN HPU (a core of the NIC).
 * Included by <spin/target/rv32.h>. A lock is a word that one HPU at a time changes (rv32_atomic.h).
 */

/* Takes one step. Returns 0 if the budget is used up. */
SPIN_INLINE _Bool spin_step_(struct spin_packet *packet)
{
	if (__builtin_expect(!packet->steps, 0)) {
		packet->overran = 1;
		return 0;
	}
	packet->steps--;
	return 1;
}

#define SPIN_WHILE_(v, condition) while ((condition) && spin_step_((v)->packet))

#define SPIN_FOR_(v, i, from, to) for (uint32_t i = (from), i##_end_ = (to); i < i##_end_ && spin_step_((v)->packet); i++)

/* Takes the steps for a walk of `pieces` pieces. Returns how many pieces it may visit. */
SPIN_INLINE uint32_t spin_pieces_(struct spin_packet *packet, uint32_t pieces)
{
	if (!packet->counts_walks)
		return pieces;
	if (pieces > packet->steps) {
		packet->overran = 1;
		pieces = packet->steps;
	}
	packet->steps -= pieces;
	return pieces;
}

#define SPIN_WRITER_ 0x80000000u /* in struct spin_rw_lock */

/* Adds a reader unless there is a writer. Returns the old value. */
SPIN_INLINE uint32_t spin_enter32_(uint32_t *at)
{
	volatile struct spin_guard_ *guard = spin_guard_of_(at);
	uint32_t have, bit;

	if (!spin_amo_returns_(at))
		return spin_change_(at, 1, SPIN_WRITER_, 0);
	bit = spin_guard_enter_(guard);
	have = *(volatile uint32_t *)at;
	if (!(have & SPIN_WRITER_)) {
		have = __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
		if (have & SPIN_WRITER_) /* the writer came after the load */
			__atomic_fetch_sub(at, 1, __ATOMIC_RELAXED);
	}
	spin_guard_leave_(guard, bit);
	return have;
}

/* Sets the bit `what` unless it is set. Returns the old value. */
SPIN_INLINE uint32_t spin_set32_(uint32_t *at, uint32_t what)
{
	volatile struct spin_guard_ *guard = spin_guard_of_(at);
	uint32_t have, bit;

	if (!spin_amo_returns_(at))
		return spin_change_(at, what, what, 0);
	bit = spin_guard_enter_(guard);
	have = __atomic_fetch_or(at, what, __ATOMIC_RELAXED);
	spin_guard_leave_(guard, bit);
	return have;
}

/*
 * Polls, one step each time, until none of `bits` is set. It only loads, so waiting HPUs do not delay the holder, and another thread of the
 * same HPU may run.
 */
SPIN_INLINE _Bool spin_await_(struct spin_packet *packet, const uint32_t *at, uint32_t bits)
{
#pragma GCC unroll 1
	do {
		if (!spin_step_(packet))
			return 0;
		spin_command_yield_();
	} while (*(const volatile uint32_t *)at & bits);
	return 1;
}

SPIN_INLINE _Bool spin_try_lock_(struct spin_lock *lock)
{
	uint32_t held = spin_set32_(&lock->held, 1);

	spin_fence_();
	return __builtin_expect(!held, 1);
}

SPIN_INLINE void spin_unlock_(struct spin_lock *lock)
{
	spin_store32(&lock->held, 0);
}

SPIN_INLINE struct spin_lock *spin_lock_(struct spin_packet *packet, struct spin_lock *lock)
{
	if (!lock)
		__builtin_unreachable();
	if (packet->overran)
		return 0;
#pragma GCC unroll 1
	while (__builtin_expect(!spin_try_lock_(lock), 0))
		if (!spin_await_(packet, &lock->held, 1))
			return 0;
	return lock;
}

SPIN_INLINE void spin_unlock_at_(struct spin_lock **lock)
{
	if (*lock)
		spin_unlock_(*lock);
}

SPIN_INLINE void spin_read_unlock_(struct spin_rw_lock *lock)
{
	spin_fence_();
	__atomic_fetch_sub(&lock->readers, 1, __ATOMIC_RELAXED);
}

SPIN_INLINE struct spin_rw_lock *spin_read_lock_(struct spin_packet *packet, struct spin_rw_lock *lock)
{
	if (!lock)
		__builtin_unreachable();
	if (packet->overran)
		return 0;
#pragma GCC unroll 1
	while (__builtin_expect((int32_t)spin_enter32_(&lock->readers) < 0, 0))
		if (!spin_await_(packet, &lock->readers, SPIN_WRITER_))
			return 0;
	spin_fence_();
	return lock;
}

SPIN_INLINE void spin_read_unlock_at_(struct spin_rw_lock **lock)
{
	if (*lock)
		spin_read_unlock_(*lock);
}

SPIN_INLINE void spin_write_unlock_(struct spin_rw_lock *lock)
{
	spin_fence_();
	__atomic_fetch_and(&lock->readers, ~SPIN_WRITER_, __ATOMIC_RELAXED);
}

/* Later readers find the writer's bit, so only the present ones must leave. */
SPIN_INLINE struct spin_rw_lock *spin_write_lock_(struct spin_packet *packet, struct spin_rw_lock *lock)
{
	uint32_t had;

	if (!lock)
		__builtin_unreachable();
	if (packet->overran)
		return 0;
#pragma GCC unroll 1
	while (__builtin_expect((had = spin_set32_(&lock->readers, SPIN_WRITER_)) & SPIN_WRITER_, 0))
		if (!spin_await_(packet, &lock->readers, SPIN_WRITER_))
			return 0;
	if (__builtin_expect(had, 0) && !spin_await_(packet, &lock->readers, ~SPIN_WRITER_)) {
		spin_write_unlock_(lock);
		return 0;
	}
	spin_fence_();
	return lock;
}

SPIN_INLINE void spin_write_unlock_at_(struct spin_rw_lock **lock)
{
	if (*lock)
		spin_write_unlock_(*lock);
}

SPIN_INLINE void spin_yield_(const struct spin_packet *packet)
{
	(void)packet;
	spin_command_yield_();
}

SPIN_INLINE uint32_t spin_my_hpu_(const struct spin_packet *packet)
{
	return packet->hpu;
}

extern uint32_t spin_hpus_; /* number of HPUs; the loader of the image may change it */

SPIN_INLINE uint32_t spin_num_hpus_(const struct spin_packet *packet)
{
	(void)packet;
	return *(volatile uint32_t *)&spin_hpus_;
}

#endif
