/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ZIPF_H
#define TESTS_COMMON_ZIPF_H

/* Random numbers with a Zipf distribution, as clients of caches request keys. Used by tests/bench/memcached.c and the demo. */
#include <stddef.h>
#include <stdint.h>

/* Fills `ranks` with ranks 0 to n-1; rank r has a probability proportional to 1 / (r + 1)^theta. Returns 0, or -1 if there is no memory. */
int zipf_fill(uint32_t *ranks, size_t count, uint32_t n, double theta, uint64_t seed);

#endif
