/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_WORDS_H
#define TESTS_MODEL_HANDLERS_WORDS_H

/*
 * State of the test handler words.c, shared with words_in_any_l1.c and words_on_a_nic.c in tests/model, and the operations that a packet
 * can select on a NIC.
 */
#include <stdint.h>

#define WORDS_TURNS   3u
#define WORDS_TASKS   320u
#define WORDS_TICKETS (2 * WORDS_TURNS * WORDS_TASKS) /* one by fetch-and-add, one by compare-and-swap */
#define WORDS_BUDGET  20000                           /* steps */

enum words_how {
	WORDS_ALL_OPS,        /* all operations on the words, WORDS_TURNS times */
	WORDS_ADD_FOREVER,    /* adds 0 to the tickets until the watchdog ends it */
	WORDS_TICKET,         /* one ticket */
	WORDS_TICKETS_SPACED, /* WORDS_TURNS tickets, with pauses in between */
	WORDS_LOCK,           /* locks and unlocks once */
	WORDS_READ_LOCK,      /* same with a readers-writer lock */
	WORDS_WRITE_LOCK,
};

#define WORDS_L1       0x10090000u
#define WORDS_OWN_L1   0x1b090000u /* seen by each cluster at the same address */
#define WORDS_OTHER_L1 0x10890000u /* of cluster 2 */
#define WORDS_L2       0x1c380000u
#define WORDS_NOWHERE  0x30000000u

#define WORDS_OTHER_GUARD 0x108fffc0u /* number of HPUs of cluster 2 that are inside the guard of its words (pspin.ld) */

struct words {
	uint32_t tickets, locked, first, second, torn, host;
#ifdef SPIN_SPIN_H
	struct spin_lock lock;
	struct spin_rw_lock rw;
#else
	uint32_t lock, rw;
#endif
	uint32_t taken[WORDS_TICKETS];
};

#endif
