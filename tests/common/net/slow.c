/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Scales tests on slow machines: the number of rounds of random tests, and timeouts. On an ordinary machine the number of rounds never
 * changes. Used by tests with random input or timeouts (slow.h).
 */
#include <stdlib.h>

#include "tests/common/net/slow.h"

#define SLOW_MOST 1000

int slow_factor(void)
{
	const char *text = getenv("SPIN_TEST_SLOW");
	long factor = text ? strtol(text, NULL, 10) : 1;

	return factor < 1 ? 1 : factor > SLOW_MOST ? SLOW_MOST : (int)factor;
}

uint64_t slow_rounds(uint64_t rounds)
{
	uint64_t part = rounds / (unsigned)slow_factor();

	return part ? part : 1;
}

struct timeval slow_wait(unsigned ms)
{
	uint64_t all = (uint64_t)ms * (uint64_t)slow_factor();

	return (struct timeval){ .tv_sec = (time_t)(all / 1000), .tv_usec = (suseconds_t)(all % 1000 * 1000) };
}
