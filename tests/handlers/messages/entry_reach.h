/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ENTRY_REACH_H
#define TESTS_HANDLERS_ENTRY_REACH_H

/* Written by entry_reach.c and msg_entry_reach.c to host memory, once a message; read by tests/live/entries_have_memory_of_their_own.c. */
#include <stdint.h>

struct reach_note {
	uint32_t bytes;  /* of the payload */
	uint32_t before; /* successes counted before */
	uint32_t unused[2];
};

#endif
