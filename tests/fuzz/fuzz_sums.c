/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spin_folds_to_() and spin_folds_to_ones_() (bpf/checksum.h), which test an Internet checksum without folding its sum. For every sum
 * that is tried they, and spin_fold(), must agree with RFC 1071's folding: the first and the last million 64-bit sums, and for each number
 * of bits 200,000 random ones and the multiples of 0xffff near them. fuzz_sums [SEED]. Run by tests/run.
 */
#include <stdio.h>
#include <stdlib.h>

#include <spin/spin.h>

#include "bpf/checksum.h"
#include "tests/common/random.h"

#define SMALL 1000000u
#define NEAR  200000u /* for each number of bits */

/* RFC 1071, as slowly as it is defined. */
static uint16_t folded(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void try(uint64_t sum)
{
	const uint16_t value = folded(sum), others[] = { 0, 1, 0xfffe, 0xffff, value, (uint16_t)(value + 1), (uint16_t)(value - 1) };

	if (spin_fold(sum) != value || spin_folds_to_ones_(sum) != (value == 0xffff)) {
		printf("FAIL: the sum %#llx folds to %#x\n", (unsigned long long)sum, value);
		exit(1);
	}
	/* with the complement that is added to it, a sum must not wrap around; the sums of packets have less than 50 bits */
	for (size_t i = 0; sum && sum >> 63 == 0 && i < sizeof(others) / sizeof(others[0]); i++)
		if (spin_folds_to_(sum, others[i]) != (value == others[i])) {
			printf("FAIL: the sum %#llx folds to %#x, compared with %#x\n", (unsigned long long)sum, value, others[i]);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;

	for (uint64_t sum = 0; sum < SMALL; sum++)
		try(sum);
	for (uint64_t back = 0; back < SMALL; back++)
		try(UINT64_MAX - back);
	for (unsigned bits = 0; bits < 64; bits++)
		for (unsigned i = 0; i < NEAR; i++) {
			const uint64_t sum = random_next(&random) >> bits, multiple = sum / 0xffff * 0xffff;

			try(sum);
			try(multiple);
			try(multiple + 1);
			try(multiple - 1);
		}
	printf("%u sums\n", 2 * SMALL + 64 * 4 * NEAR);
	return 0;
}
