/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * big_memory - has all the memory that handlers can have, 1 MiB of state and 3 MiB of tables, and counts in the last word of each. For
 * tests/live/limits_are_kept.c.
 */
#include <spin/spin.h>

struct state {
	uint32_t word[262144];
};

struct row {
	uint32_t word[12];
};

SPIN_STATE(struct state);
SPIN_TABLE(rows, struct row, 65536);

static enum spin_payload_rc big_memory_payload(struct spin_payload *p, struct state *state)
{
	(void)p;
	spin_add32(&state->word[262143], 1);
	spin_add32(&rows[65535].word[11], 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(big_memory, .payload = big_memory_payload);
