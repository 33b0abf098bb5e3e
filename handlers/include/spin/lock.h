/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_LOCK_H
#define SPIN_LOCK_H

/*
 * For handlers: loops that certainly end, and locks (PsPIN's spin_lock and spin_rw_lock).
 *
 * A handler's run may take `.budget` steps of the loops below (SPIN_BUDGET_STEPS if none is
 * registered). When they are used up the run has overrun: these loops end, no more locks are taken, and
 * whatever the handler returns, it fails with SPIN_REASON_OVERRUN and its event. Steps are
 *
 *	SPIN_WHILE    each round
 *	SPIN_FOR      each round
 *	a lock        each attempt that found it taken
 *	SPIN_FOR_EACH its pieces, all of them when it begins; only if .budget is registered.
 *	              With fewer steps left than pieces it ends after that many; same for _WITH
 *
 * On a NIC a watchdog, in cycles, ends other loops; the kernel rejects loops whose end it cannot prove.
 */

/* while (condition) */
#define SPIN_WHILE(v, condition) SPIN_WHILE_(v, condition)

/*
 * SPIN_FOR(v, i, from, to) statement: for (uint32_t i = from; i < to; i++), with bounds known only at run time; both are
 * evaluated once. break and continue work, and loops may be nested. `i` must not be written.
 *
 *	SPIN_FOR(p, block, first, last)
 *		bytes += state->table[block & 63];
 */
#define SPIN_FOR(v, i, from, to) SPIN_FOR_(v, i, from, to)

/* In state, scratchpad or a table. 0, the initial value, means free. */
struct spin_lock {
	uint32_t held;
};
struct spin_rw_lock {
	uint32_t readers; /* bit 31: a writer */
};

/*
 * SPIN_LOCKED(v, lock) statement: runs it with the lock held. The lock is released however the statement is left (break,
 * return, its end). The statement does not run if the handler overruns while it waits. A handler must not take a lock
 * twice: that overruns.
 *
 *	SPIN_LOCKED(p, &state->lock)
 *		state->longest = p->length > state->longest ? p->length : state->longest;
 */
#define SPIN_LOCKED(v, lock) SPIN_GUARDED_((v), struct spin_lock *, (lock), spin_lock_, spin_unlock_at_)
/* Shared with other readers; exclusive. A writer waits until no reader is left. */
#define SPIN_READ_LOCKED(v, lock)  SPIN_GUARDED_((v), struct spin_rw_lock *, (lock), spin_read_lock_, spin_read_unlock_at_)
#define SPIN_WRITE_LOCKED(v, lock) SPIN_GUARDED_((v), struct spin_rw_lock *, (lock), spin_write_lock_, spin_write_unlock_at_)

/* Returns 1 if the lock was taken, without waiting. Release it with spin_unlock(). */
#define spin_try_lock(lock) spin_try_lock_(lock)
#define spin_unlock(lock)   spin_unlock_(lock)

/* NULL: the lock is not held. */
#define SPIN_GUARDED_(v, TYPE, lock, take, give)                                                                                 \
	for (TYPE spin_guard_ __attribute__((cleanup(give))) = take((v)->packet, (lock)), *spin_once_ = spin_guard_; spin_once_; \
	     spin_once_ = 0)

#endif
