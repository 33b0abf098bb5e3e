/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_STDLIB_H
#define PSPIN_STDLIB_H

/*
 * <stdlib.h> for handler files written for PsPIN's own runtime (`spincc --api pspin`). Only abs() and abort(): an HPU has no heap, no files
 * and no exit.
 */
#include <stddef.h>

static inline int abs(int n)
{
	return n < 0 ? -n : n;
}

/* Ends the task with an error. */
static inline __attribute__((noreturn)) void abort(void)
{
	__asm__ volatile("ebreak");
	__builtin_unreachable();
}

#endif
