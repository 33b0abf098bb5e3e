/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_LOOPS_LOOPS_H
#define TESTS_LOOPS_LOOPS_H

/* What the loops of a file leave: a column for each, in the order of the file. All files have the same state. */
#include <spin/spin.h>

#define LOOPS_RESULTS 32

struct loops {
	uint32_t result[LOOPS_RESULTS];
};

SPIN_STATE(struct loops);

#endif
