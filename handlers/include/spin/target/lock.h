/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_LOCK_H
#define SPIN_TARGET_LOCK_H

/*
 * Loops that end, by steps of a budget, and locks (<spin/lock.h>) for handlers on BPF and in the host build. Included by bpf.h, host.h and
 * nfp.h of this directory. A value-returning atomic is a full barrier.
 */

/*
 * Takes one step of the budget in a loop whose iterations *round counts. Returns 0 if there is none left: the run has overrun. Where the
 * verifier follows each iteration (Linux 6.1 to 6.8), one loop has at most SPIN_BOUNDED_STEPS steps.
 */
SPIN_INLINE _Bool spin_step_(struct spin_packet *packet, uint64_t *round)
{
	uint32_t left = spin_verifier_forget32(packet->steps);

	if (!left || !spin_can_loop_(round, SPIN_BOUNDED_STEPS)) {
		packet->overrun = 1;
		packet->steps = 0;
		return 0;
	}
	packet->steps = left - 1;
	return 1;
}

#define SPIN_WHILE_(v, condition) for (uint64_t spin_round_ = 0; (condition) && spin_step_((v)->packet, &spin_round_);)

/*
 * The loop variable is unknown to the verifier from the first iteration on, and so is what the body changes (user/spincc/loops.c, which
 * recognises the loop by its call of spin_for_step_): all iterations are one state.
 */
struct spin_for_ {
	uint64_t round;
	uint32_t end;
	_Bool over;
};

SPIN_INLINE _Bool spin_for_step_(struct spin_packet *packet, struct spin_for_ *loop, _Bool more)
{
	return more && spin_step_(packet, &loop->round);
}

#define SPIN_FOR_(v, i, from, to)                                                                                         \
	for (struct spin_for_ i##_for_ = { .end = spin_verifier_forget32(to) }; !i##_for_.over; i##_for_.over = 1)        \
		for (uint32_t i = spin_verifier_forget32(from); spin_for_step_((v)->packet, &i##_for_, i < i##_for_.end); \
		     i = spin_verifier_forget32(i + 1))

/*
 * The value that a lock must have to be taken: 0, or, once the run has overrun, a value that no lock ever has. It is not a branch: the
 * verifier would follow everything after it twice, for each lock.
 */
#define SPIN_NEVER_ 0x40000000u

SPIN_INLINE uint32_t spin_never_(const struct spin_packet *packet)
{
	return spin_verifier_forget32((uint32_t)packet->overrun << 30);
}

SPIN_INLINE _Bool spin_try_lock_(struct spin_lock *lock)
{
	return spin_cas32(&lock->held, 0, 1);
}

SPIN_INLINE void spin_unlock_(struct spin_lock *lock)
{
	spin_store32(&lock->held, 0);
}

SPIN_INLINE struct spin_lock *spin_lock_(struct spin_packet *packet, struct spin_lock *lock)
{
	uint64_t round = 0;

	while (!spin_cas32(&lock->held, spin_never_(packet), 1))
		if (!spin_step_(packet, &round))
			return 0;
	return lock;
}

SPIN_INLINE void spin_unlock_at_(struct spin_lock **lock)
{
	if (*lock)
		spin_unlock_(*lock);
}

#define SPIN_WRITER_ 0x80000000u

SPIN_INLINE struct spin_rw_lock *spin_read_lock_(struct spin_packet *packet, struct spin_rw_lock *lock)
{
	uint64_t round = 0;

	while ((spin_fadd32_(&lock->readers, 1) | spin_never_(packet)) & (SPIN_WRITER_ | SPIN_NEVER_)) {
		spin_fadd32_(&lock->readers, 0xffffffffu);
		if (!spin_step_(packet, &round))
			return 0;
	}
	return lock;
}

SPIN_INLINE void spin_read_unlock_at_(struct spin_rw_lock **lock)
{
	if (*lock)
		spin_fadd32_(&(*lock)->readers, 0xffffffffu);
}

SPIN_INLINE struct spin_rw_lock *spin_write_lock_(struct spin_packet *packet, struct spin_rw_lock *lock)
{
	uint64_t round = 0;

	while (!spin_cas32(&lock->readers, spin_never_(packet), SPIN_WRITER_))
		if (!spin_step_(packet, &round))
			return 0;
	return lock;
}

/* An addition, because readers that found the writer may not have removed their counts yet. */
SPIN_INLINE void spin_write_unlock_at_(struct spin_rw_lock **lock)
{
	if (*lock)
		spin_fadd32_(&(*lock)->readers, SPIN_WRITER_);
}

#endif
