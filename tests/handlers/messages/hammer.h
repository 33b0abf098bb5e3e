/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_HAMMER_H
#define TESTS_HANDLERS_HAMMER_H

/*
 * State of the handlers that all HPUs run at once (hammer.c, hammer_message.c), shared with tests/common/traffic/shared_updates.h. In the
 * end `added`, `fetched` and `locked` must be the number of runs, and counts of errors 0.
 */
#include <stdint.h>

#define HAMMER_CELLS 4u

struct hammer_state {
	uint32_t rounds;        /* of work per run, set by the host: sets the length of a handler */
	uint32_t added;         /* spin_add32() */
	uint32_t fetched;       /* spin_fadd32() */
	uint32_t locked;        /* counted under the lock, without atomics */
	uint32_t lock;          /* struct spin_lock */
	uint32_t rw_lock;       /* struct spin_rw_lock */
	uint32_t first, second; /* written together by the holder of rw_lock as a writer: every HAMMER_WRITES-th run */
	uint32_t torn;          /* readers that saw them differ */
	uint32_t writes;
	uint32_t foreign; /* spin_my_hpu() was not less than spin_num_hpus(), or changed during a run */
	uint32_t wrong;   /* messages whose scratchpad does not match their packets */
	uint32_t messages, message_packets;
	uint32_t sink;
	uint32_t unused;
};

#define HAMMER_WRITES 4u

/* Offsets in the handler's own host memory. */
#define HAMMER_WORD_AT 0u
#define HAMMER_LONG_AT 8u

#endif
