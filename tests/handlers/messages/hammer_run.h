/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_HAMMER_RUN_H
#define TESTS_HANDLERS_HAMMER_RUN_H

/*
 * One run of the handlers in hammer.c and hammer_message.c: counts once in each kind of memory that HPUs share. No count may be lost;
 * struct hammer_state (hammer.h) has what must come out.
 */
#include <spin/spin.h>

#include "hammer.h"

struct cell {
	SPIN_COUNTER(runs);
};
SPIN_TABLE(cells, struct cell, HAMMER_CELLS);

struct mine {
	uint32_t runs;
};
SPIN_PER_HPU(struct mine, mine);

SPIN_STATE(struct hammer_state, .rounds = 0);

/* Loops for `rounds` iterations, set by the host. */
static inline __attribute__((always_inline)) void hammer_work(struct spin_payload *p, struct hammer_state *state)
{
	uint32_t left = state->rounds, sum = state->added;

	SPIN_WHILE(p, left) {
		sum = sum * 1664525u + 1013904223u;
		left--;
	}
	if (sum == 0x5eed)
		state->sink = sum;
}

static inline __attribute__((always_inline)) enum spin_payload_rc hammer(struct spin_payload *p, struct hammer_state *state)
{
	uint32_t hpu = spin_my_hpu(p), turn, before;
	uint64_t before_long;
	struct cell *cell = SPIN_AT(cells, spin_src_port(p) & 1);

	if (!cell || spin_dma_fadd32(p, SPIN_HANDLER_MEM, HAMMER_WORD_AT, 1, &before) ||
	    spin_dma_fadd64(p, SPIN_HANDLER_MEM, HAMMER_LONG_AT, 1, &before_long))
		return SPIN_SEGV;
	spin_ct_inc(p, 1, 0);
	spin_count(&cell->runs, 1);
	spin_add32(&state->added, 1);
	turn = spin_fadd32(&state->fetched, 1);
	SPIN_LOCKED(p, (struct spin_lock *)&state->lock)
		state->locked++;
	if (turn % HAMMER_WRITES == 0) {
		SPIN_WRITE_LOCKED(p, (struct spin_rw_lock *)&state->rw_lock) {
			state->first++;
			state->writes++;
			state->second++;
		}
	} else {
		SPIN_READ_LOCKED(p, (struct spin_rw_lock *)&state->rw_lock)
		if (*(volatile uint32_t *)&state->first != *(volatile uint32_t *)&state->second)
			spin_add32(&state->torn, 1);
	}
	hammer_work(p, state);
	SPIN_MINE(p, mine)->runs++;
	if (hpu >= spin_num_hpus(p) || hpu != spin_my_hpu(p))
		spin_add32(&state->foreign, 1);
	return SPIN_DROP;
}

#endif
