/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_LOOPS_LOOPS_H
#define TESTS_LOOPS_LOOPS_H

/*
 * The state of all handlers in this directory, which have loops over the payload (SPIN_FOR_EACH) as users write them. Each loop stores its
 * results in elements of `result`. tests/unit/loops_agree.c runs the handlers on the same packets and compares `result` between the
 * engines: kernel, model of the card and plain C on the host.
 */
#include <spin/spin.h>

#define LOOPS_RESULTS 32

struct loops {
	uint32_t result[LOOPS_RESULTS];
};

SPIN_STATE(struct loops);

#endif
