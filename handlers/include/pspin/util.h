/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_UTIL_H
#define PSPIN_UTIL_H

#include <stdio.h>

#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))

#define DIV_CEIL(a, b) (((a) + (b) - 1) / (b))
#define FAST_DIV(a, log2_b) ((a) >> (log2_b))
#define FAST_MOD(a, b) ((a) & ((b) - 1)) /* b: a power of two */
#define AND(a, b) ((a) & (b))

#define STRINGIFY(x) #x
/* Handlers run in user mode: most CSRs trap there. */
#define read_csr(reg, val) __asm__ volatile("csrr %0, " STRINGIFY(reg) : "=r"(val));

/* With -DCHECK_ASSERTS a condition that does not hold ends the task with an error. */
#ifdef CHECK_ASSERTS
#define ASSERT(condition)                                                                        \
	if (!(condition)) {                                                                      \
		printf("Assertion fail: " #condition " at " __FILE__ ":%d\n", __LINE__);         \
		__asm__ volatile("ebreak");                                                      \
	}
#else
#define ASSERT(condition)
#endif

#define SPIN_PRINTF(format, ...) printf("%s:%s:%d: " format, __FILE__, __FUNCTION__, __LINE__, ##__VA_ARGS__)
#ifdef LOG
#define DEBUG_PRINT(format, ...) SPIN_PRINTF(format, ##__VA_ARGS__)
#else
#define DEBUG_PRINT(...)
#endif

#define LABEL(name) __asm__ volatile(#name ":;" : : : "memory")
#define TRACING_DUMMY_INSTR()

#endif
