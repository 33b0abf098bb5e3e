/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers for rows of the HPU core: loops that gcc generates at several optimisation levels for a sum over words in the own cluster's
 * L1. `make accuracy` runs them on the model and compares them with cycles measured on PsPIN's RTL. The task's handler_mem_size is the
 * number of words.
 */
#include "tests/model/baselines/pspin.h"

#define WORDS  ((const uint32_t *)0x1b090000)
#define RESULT (*(volatile uint32_t *)0x1b08fff0)

__attribute__((optimize("O2"))) __handler__ void sum_o2(struct handler_args *args)
{
	uint32_t n = args->task->handler_mem_size, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += WORDS[i];
	RESULT = sum;
}

__attribute__((optimize("O3"))) __handler__ void sum_o3(struct handler_args *args)
{
	uint32_t n = args->task->handler_mem_size, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += WORDS[i];
	RESULT = sum;
}

__attribute__((optimize("O2"))) __handler__ void sum_by_4(struct handler_args *args)
{
	uint32_t n = args->task->handler_mem_size, sum = 0;

	for (const uint32_t *at = WORDS, *end = at + n; at < end; at += 4)
		sum += at[0] + at[1] + at[2] + at[3];
	RESULT = sum;
}

__attribute__((optimize("O3", "unroll-loops"))) __handler__ void sum_unrolled(struct handler_args *args)
{
	uint32_t n = args->task->handler_mem_size, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += WORDS[i];
	RESULT = sum;
}
