/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_LOCK_H
#define SPIN_LOCK_H

/*
 * Loops that end, and locks (PsPIN's spin_lock and spin_rw_lock).
 *
 * A handler's run may take `.budget` steps of the loops below (SPIN_BUDGET_STEPS where none is
 * registered). When they are used up it has overrun: these loops end, locks are not given any more, and
 * whatever the handler returns, it has failed as SPIN_REASON_OVERRUN, with its event. Steps are
 *
 *	SPIN_WHILE    each round
 *	SPIN_FOR      each round
 *	a lock        each look at it that found it taken
 *	SPIN_FOR_EACH its pieces, all of them where it begins; only where .budget is registered.
 *	              With fewer steps left than pieces it ends after so many; _WITH the same
 *
 * On a card a watchdog in cycles ends loops of other kinds; the kernel refuses those it sees no end of.
 */

/* while (condition) */
#define SPIN_WHILE(v, condition) SPIN_WHILE_(v, condition)

/*
 * SPIN_FOR(v, i, from, to) statement: for (uint32_t i = from; i < to; i++), with bounds that are known when it runs; both are
 * evaluated once. break and continue work, and one loop may stand in another. `i` is not to be written.
 *
 *	SPIN_FOR(p, block, first, last)
 *		bytes += state->table[block & 63];
 */
#define SPIN_FOR(v, i, from, to) SPIN_FOR_(v, i, from, to)

/* In state, scratchpad or a table; 0 at the start: free. */
struct spin_lock {
	uint32_t held;
};
struct spin_rw_lock {
	uint32_t readers; /* bit 31: a writer */
};

/*
 * SPIN_LOCKED(v, lock) statement: with the lock, which is given back however the statement is left (break,
 * return, its end). Not run at all where the handler overruns while it waits. Not to be taken twice by one
 * handler: that overruns.
 *
 *	SPIN_LOCKED(p, &state->lock)
 *		state->longest = p->length > state->longest ? p->length : state->longest;
 */
#define SPIN_LOCKED(v, lock) SPIN_GUARDED_((v), struct spin_lock *, (lock), spin_lock_, spin_unlock_at_)
/* With others that read; alone. A writer waits until no reader is left. */
#define SPIN_READ_LOCKED(v, lock)  SPIN_GUARDED_((v), struct spin_rw_lock *, (lock), spin_read_lock_, spin_read_unlock_at_)
#define SPIN_WRITE_LOCKED(v, lock) SPIN_GUARDED_((v), struct spin_rw_lock *, (lock), spin_write_lock_, spin_write_unlock_at_)

/* 1: taken, without waiting; to be given back with spin_unlock(). */
#define spin_try_lock(lock) spin_try_lock_(lock)
#define spin_unlock(lock)   spin_unlock_(lock)

/* NULL: not taken (any more). */
#define SPIN_GUARDED_(v, TYPE, lock, take, give)                                                                                 \
	for (TYPE spin_guard_ __attribute__((cleanup(give))) = take((v)->packet, (lock)), *spin_once_ = spin_guard_; spin_once_; \
	     spin_once_ = 0)

#endif
