/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_WORDS_H
#define TESTS_MODEL_HANDLERS_WORDS_H

/* State of the handler words.c: words in the L1 of each cluster. */
#include <stdint.h>

#define WORDS_TURNS   3u
#define WORDS_TASKS   320u
#define WORDS_TICKETS (WORDS_TURNS * WORDS_TASKS)

#define WORDS_L1       0x10090000u
#define WORDS_OTHER_L1 0x10890000u /* of cluster 2 */
#define WORDS_L2       0x1c380000u
#define WORDS_NOWHERE  0x30000000u

#define WORDS_OTHER_GUARD 0x108fffc0u /* how many HPUs of cluster 2 are with its words (pspin.ld) */

struct words {
	uint32_t tickets, compared, locked, first, second, torn, host;
#ifdef SPIN_SPIN_H
	struct spin_lock lock;
	struct spin_rw_lock rw;
#else
	uint32_t lock, rw;
#endif
	uint32_t taken[WORDS_TICKETS];
};

#endif
