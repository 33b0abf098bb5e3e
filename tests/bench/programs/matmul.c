/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Benchmark program: integer matrix product (word loads, multiply, nested loops). Run by iss.sh, which compares the speed of the modelled
 * core with qemu; the result must be the same on both.
 */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 420
#endif
enum { N = 64 };

static int32_t a[N][N], b[N][N], c[N][N];

int main(void)
{
	uint32_t sum = 0;

	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			a[i][j] = i * 3 - j;
			b[i][j] = i ^ j;
		}
	}
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < N; i++) {
			for (int j = 0; j < N; j++) {
				int32_t s = 0;

				for (int k = 0; k < N; k++)
					s += a[i][k] * b[k][j];
				c[i][j] = s;
			}
		}
		a[r % N][r / N % N] += c[r % N][1];
		sum = sum * 31 + (uint32_t)c[r % N][r % N];
	}
	return (int)sum;
}
