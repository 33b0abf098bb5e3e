/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_UTIL_H
#define PSPIN_UTIL_H

/* Macros of PsPIN's runtime for its handler files (`spincc --api pspin`): arithmetic, CSRs, assertions, printing. */
#include <stdio.h>

#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))

#define DIV_CEIL(a, b)      (((a) + (b)-1) / (b))
#define FAST_DIV(a, log2_b) ((a) >> (log2_b))
#define FAST_MOD(a, b)      ((a) & ((b)-1)) /* b: a power of two */
#define AND(a, b)           ((a) & (b))

#define STRINGIFY(x) #x
/* `reg` is a number or a name. In handlers, which run in user mode, every CSR except uhartid (0x014) traps; init_handlers() may use all. */
#define PSPIN_CSR_(instruction)  ".option push; .option arch, +zicsr; " instruction "; .option pop"
#define read_csr(reg, val)       __asm__ volatile(PSPIN_CSR_("csrr %0, " STRINGIFY(reg)) : "=r"(val));
#define write_csr(reg, val)      __asm__ volatile(PSPIN_CSR_("csrw " STRINGIFY(reg) ", %0") : : "rK"(val) : "memory");
#define clear_csr(reg, mask)     __asm__ volatile(PSPIN_CSR_("csrc " STRINGIFY(reg) ", %0") : : "rK"(mask) : "memory");
#define read_register(reg, val)  __asm__ volatile("mv %0, " STRINGIFY(reg) : "=r"(val));
#define write_register(reg, val) __asm__ volatile("mv " STRINGIFY(reg) ", %0" : : "r"(val) : "memory");

/* Ends the task with an error. On PsPIN it ends the simulation. */
#define TERMINATE                           \
	{                                   \
		__asm__ volatile("ebreak"); \
	}

/* With -DCHECK_ASSERTS, a false condition ends the task with an error. */
#ifdef CHECK_ASSERTS
#define ASSERT(condition)                                                                \
	if (!(condition)) {                                                              \
		printf("Assertion fail: " #condition " at " __FILE__ ":%d\n", __LINE__); \
		__asm__ volatile("ebreak");                                              \
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
