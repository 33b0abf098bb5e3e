/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SLOW_H
#define TESTS_COMMON_SLOW_H

/*
 * How much slower this machine is than an ordinary one, as measured by tests/run. An emulated one is 10 to 40 times slower. A factor below
 * 8 counts as ordinary: all rounds run, and time limits are not extended. Used by tests with random input or timeouts.
 */
#include <stdint.h>
#include <sys/time.h>

/* Returns the factor, 1 for an ordinary machine. The value is from SPIN_TEST_SLOW, which tests/run sets. */
int slow_factor(void);

/* Returns the rounds of a random test that this machine can run in the usual time; at least 1. */
uint64_t slow_rounds(uint64_t rounds);

/* Returns the socket timeout for an event that takes at most `ms` on an ordinary machine. */
struct timeval slow_wait(unsigned ms);

#endif
