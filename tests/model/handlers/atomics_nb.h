/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_ATOMICS_NB_H
#define TESTS_MODEL_HANDLERS_ATOMICS_NB_H

/* State of the handlers with non-blocking atomics, and what a packet asks them to do. */
#include <spin/spin.h>

#define ATOMICS_PACKETS 1024u
#define ATOMICS_ROUNDS  400u /* of that work */

enum atomics_how {
	ATOMICS_BLOCKING,      /* an addition, then work */
	ATOMICS_OVERLAP,       /* work while one is under way */
	ATOMICS_LOCKED,        /* a lock of the handlers is taken while one is under way, and one is done while that lock is held */
	ATOMICS_CAS,           /* compare-and-swap until it succeeds */
	ATOMICS_LEFT,          /* nobody waits for it; what it finds would be in a variable, */
	ATOMICS_LEFT_IN_STATE, /* or is in the state */
};

struct atomics_nb {
	uint64_t left;
	struct spin_lock lock;
	uint32_t locked, work, twice;
	uint8_t taken[ATOMICS_PACKETS];
};

#endif
