/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SLOW_H
#define TESTS_COMMON_SLOW_H

/*
 * How much slower than an ordinary machine this one is, as tests/run has measured it: an emulated one takes 10 to 40
 * times as long. Below 8 it counts as ordinary: all rounds are done, and no time limit is longer.
 */
#include <stdint.h>
#include <sys/time.h>

/* 1: an ordinary machine. From SPIN_TEST_SLOW, which tests/run sets. */
int slow_factor(void);

/* The rounds of a random test that such a machine does in the time of all of them; at least 1. */
uint64_t slow_rounds(uint64_t rounds);

/* How long a socket waits for what takes an ordinary machine so many milliseconds at most. */
struct timeval slow_wait(unsigned ms);

#endif
