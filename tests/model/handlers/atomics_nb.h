/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_ATOMICS_NB_H
#define TESTS_MODEL_HANDLERS_ATOMICS_NB_H

/* State of the test handler atomics_nb.c, shared with tests/model/atomics_go_on.c, and the operations that a packet can select. */
#include <spin/spin.h>

#define ATOMICS_PACKETS 1024u
#define ATOMICS_ROUNDS  400u /* iterations of work() */

enum atomics_how {
	ATOMICS_BLOCKING,      /* an addition, then work */
	ATOMICS_OVERLAP,       /* work while an addition is in flight */
	ATOMICS_LOCKED,        /* locks the state while one is in flight, and does another one while it holds the lock */
	ATOMICS_CAS,           /* compare-and-swap until it succeeds */
	ATOMICS_NO_WAIT,       /* the handler does not wait; the result would be stored in a local variable */
	ATOMICS_NO_WAIT_STATE, /* the handler does not wait; the result is stored in the state */
};

struct atomics_nb {
	uint64_t left;
	struct spin_lock lock;
	uint32_t locked, work, twice;
	uint8_t taken[ATOMICS_PACKETS];
};

#endif
