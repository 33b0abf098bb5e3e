/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_LOOPS_LOOPS_H
#define TESTS_LOOPS_LOOPS_H

/*
 * The state of all handlers in this directory: each loop of a file writes its results to its own elements. tests/unit/loops_agree.c
 * compares them between the engines: kernel, model of the card and plain C on the host.
 */
#include <spin/spin.h>

#define LOOPS_RESULTS 32

struct loops {
	uint32_t result[LOOPS_RESULTS];
};

SPIN_STATE(struct loops);

#endif
