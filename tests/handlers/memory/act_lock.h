/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ACT_LOCK_H
#define TESTS_HANDLERS_ACT_LOCK_H

/*
 * Handlers that loop and lock as selected by each packet's payload (struct act_lock_ask, little-endian), with a budget of 64 loop steps:
 * act_lock for messages, act_lock_d for datagrams. A run that uses up its steps is an overrun; it releases the locks that it holds. For
 * tests/vectors/actions and actions_memory.
 */
#include <stdint.h>

#define ACT_BUDGET 64

enum act_lock_op {
	ACT_LOCK_NONE,
	ACT_WHILE,         /* n iterations of SPIN_WHILE */
	ACT_LOCKED,        /* counts in `rounds` with the lock */
	ACT_LOCKED_TWICE,  /* takes it twice: overruns */
	ACT_LOCKED_BREAK,  /* leaves by break */
	ACT_LOCKED_RETURN, /* leaves by return, with DROP */
	ACT_READ,          /* counts under the readers-writer lock, as a nested reader */
	ACT_WRITE,
	ACT_TRY,          /* spin_try_lock: counts in `rounds` if it was taken, and releases it */
	ACT_WALK,         /* SPIN_FOR_EACH over bytes: counts them in `rounds` */
	ACT_WALK_WORDS,   /* over words */
	ACT_WHILE_LOCKED, /* n iterations under the lock, which is released on overrun */
	ACT_LOCKED_AFTER, /* n iterations, then 1,000 with each lock in turn */
};

struct act_lock_ask {
	uint8_t when; /* 0: payload handler; 1: header handler, 2: completion handler; those support ACT_WHILE and ACT_LOCKED */
	uint8_t op;
	uint16_t n;
};

struct act_lock_state {
	struct spin_lock lock;
	struct spin_rw_lock rw;
	uint32_t rounds;
	uint32_t unused;
};

#ifdef SPIN_SPIN_H
#define ACT_ROUNDS(v, state, n_)               \
	do {                                   \
		uint32_t act_i_ = 0;           \
		SPIN_WHILE(v, act_i_ < (n_)) { \
			(state)->rounds++;     \
			act_i_++;              \
		}                              \
	} while (0)

SPIN_INLINE void act_walk(struct spin_payload *p, uint32_t op, struct act_lock_state *state)
{
	uint32_t pieces = 0;

	if (op == ACT_WALK) {
		SPIN_FOR_EACH(p, uint8_t, byte)
			pieces += *byte != 0xee;
	} else {
		SPIN_FOR_EACH(p, uint32_t, word)
			pieces += *word != 0xeeeeeeee;
	}
	state->rounds += pieces;
}

SPIN_INLINE enum spin_payload_rc act_lock(struct spin_payload *p, const struct act_lock_ask *ask, struct act_lock_state *state)
{
	uint32_t op = ask->op, n = ask->n;

	switch (op) {
	case ACT_WHILE:
		ACT_ROUNDS(p, state, n);
		break;
	case ACT_LOCKED:
		SPIN_LOCKED(p, &state->lock)
			state->rounds++;
		break;
	case ACT_LOCKED_TWICE:
		SPIN_LOCKED(p, &state->lock) {
			SPIN_LOCKED(p, &state->lock)
				state->rounds += 100;
			state->rounds++;
		}
		break;
	case ACT_LOCKED_BREAK:
		SPIN_LOCKED(p, &state->lock) {
			if (n)
				break;
			state->rounds++;
		}
		break;
	case ACT_LOCKED_RETURN:
		SPIN_LOCKED(p, &state->lock)
			return SPIN_DROP;
		break;
	case ACT_READ:
		SPIN_READ_LOCKED(p, &state->rw)
		SPIN_READ_LOCKED(p, &state->rw)
		state->rounds++;
		break;
	case ACT_WRITE:
		SPIN_WRITE_LOCKED(p, &state->rw)
			state->rounds++;
		break;
	case ACT_TRY:
		if (spin_try_lock(&state->lock)) {
			state->rounds++;
			spin_unlock(&state->lock);
		}
		break;
	case ACT_WALK:
	case ACT_WALK_WORDS:
		act_walk(p, op, state);
		break;
	case ACT_WHILE_LOCKED:
		SPIN_LOCKED(p, &state->lock)
			ACT_ROUNDS(p, state, n);
		break;
	case ACT_LOCKED_AFTER:
		ACT_ROUNDS(p, state, n);
		SPIN_LOCKED(p, &state->lock)
			state->rounds += 1000;
		SPIN_READ_LOCKED(p, &state->rw)
		state->rounds += 1000;
		SPIN_WRITE_LOCKED(p, &state->rw)
			state->rounds += 1000;
		break;
	}
	return SPIN_SUCCESS;
}
#endif

#endif
