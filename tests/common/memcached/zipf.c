/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Random numbers with a Zipf distribution, by inversion: the keys that clients of caches request. Used by tests/bench/memcached.c and the
 * demo. The same seed gives the same numbers.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/common/memcached/zipf.h"
#include "tests/common/random.h"

/* Inverts the exact distribution: binary search in the cumulative weights. */
int zipf_fill(uint32_t *ranks, size_t count, uint32_t n, double theta, uint64_t seed)
{
	double *cumulative = malloc(n * sizeof(*cumulative)), sum = 0;

	if (!cumulative)
		return -1;
	for (uint32_t r = 0; r < n; r++)
		cumulative[r] = sum += pow(r + 1, -theta);
	for (size_t i = 0; i < count; i++) {
		double at = (double)(random_next(&seed) >> 11) * 0x1p-53 * sum;
		uint32_t low = 0, high = n - 1;

		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (cumulative[middle] > at)
				high = middle;
			else
				low = middle + 1;
		}
		ranks[i] = low;
	}
	free(cumulative);
	return 0;
}
