/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Benchmark program: recursive quicksort of pseudo-random words (unpredictable branches, calls, swaps). Run by iss.sh, which compares the
 * speed of the modelled core with qemu; the result must be the same on both.
 */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 170
#endif
enum { N = 20000 };

static uint32_t data[N];

static void sort(uint32_t *v, int n)
{
	while (n > 1) {
		uint32_t pivot = v[n / 2];
		int i = 0, j = n - 1;

		for (;;) {
			uint32_t t;

			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		sort(v, i);
		v += i;
		n -= i;
	}
}

int main(void)
{
	uint32_t x = 12345, sum = 0;

	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < N; i++) {
			x = x * 1664525 + 1013904223;
			data[i] = x >> 4;
		}
		sort(data, N);
		for (int i = 1; i < N; i++)
			sum += data[i - 1] <= data[i] ? data[i] ^ (uint32_t)i : 0x80000000;
	}
	return (int)sum;
}
