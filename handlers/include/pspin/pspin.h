/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_PSPIN_H
#define PSPIN_PSPIN_H

/*
 * Words that the NIC's cores share: atomic memory operations (AMOs), LR/SC and futexes. Included by handler.h for handler files written for
 * PsPIN's own runtime (`spincc --api pspin`). AMOs work on L1, L2 and the driver's registers. LR/SC works on L2 only and traps on L1.
 * spin-pspin(7) says where an AMO on PsPIN's RTL does not return the old value.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <hal/pulp.h>

#define MEM_ALIGNMENT        4
#define ALIGN_UP(num, align) ((((uint32_t)(num)) + ((align)-1)) & ~((align)-1))
#define DMA_MAX_XFER_SIZE    32768
#define DMA_NULL             0

typedef uint32_t dma_t;
typedef volatile uint32_t futex_t;

/* Compiler barrier. An HPU performs its accesses in order. */
static inline void asm_mem_fence(void)
{
	__asm__ volatile("" : : : "memory");
}

/* Waits about `cycles` cycles, in iterations of 4. */
static inline void rt_time_wait_cycles(const unsigned cycles)
{
	unsigned rounds = cycles / 4;

	if (cycles <= 4)
		return;
	__asm__ volatile("1: addi %0, %0, -1; bnez %0, 1b" : "+r"(rounds));
}

/* Each returns the old value. */
#define PSPIN_AMO_(name, instruction, type)                                                                   \
	static inline type name(volatile type *const addr, const type value)                                  \
	{                                                                                                     \
		type was;                                                                                     \
                                                                                                              \
		__asm__ volatile(instruction " %0, %2, %1" : "=r"(was), "+A"(*addr) : "r"(value) : "memory"); \
		return was;                                                                                   \
	}
PSPIN_AMO_(amo_add, "amoadd.w", int32_t)
PSPIN_AMO_(amo_swap, "amoswap.w", uint32_t)
PSPIN_AMO_(amo_and, "amoand.w", uint32_t)
PSPIN_AMO_(amo_or, "amoor.w", uint32_t)
PSPIN_AMO_(amo_xor, "amoxor.w", uint32_t)
PSPIN_AMO_(amo_max, "amomax.w", int32_t)
PSPIN_AMO_(amo_min, "amomin.w", int32_t)
PSPIN_AMO_(amo_maxu, "amomaxu.w", uint32_t)
PSPIN_AMO_(amo_minu, "amominu.w", uint32_t)

static inline void amo_store(volatile uint32_t *const addr, const uint32_t value)
{
	__asm__ volatile("amoswap.w zero, %1, %0" : "+A"(*addr) : "r"(value) : "memory");
}

static inline uint32_t load_reserved(volatile const uint32_t *const addr)
{
	uint32_t value;

	__asm__ volatile("lr.w %0, %1" : "=r"(value) : "A"(*addr) : "memory");
	return value;
}

/* Returns 0 if the value was stored; anything else if another HPU has written the word since load_reserved(). */
static inline unsigned store_conditional(volatile uint32_t *const addr, const uint32_t value)
{
	unsigned failed;

	__asm__ volatile("sc.w %0, %2, %1" : "=&r"(failed), "=A"(*addr) : "r"(value) : "memory");
	return failed;
}

/* Returns 0 if `old` was replaced by `new`; -1 if the word was not `old`; above 0 if it may have been: try again. */
static inline int compare_and_swap(volatile uint32_t *const addr, const uint32_t old, const uint32_t new)
{
	return load_reserved(addr) == old ? (int)store_conditional(addr, new) : -1;
}

/* A lock: 0 is free. */
static inline void futex_init(futex_t *futex)
{
	amo_store(futex, 0);
}

static inline int futex_try_lock(futex_t *futex)
{
	return !amo_or(futex, 1);
}

/*
 * Lets another thread of the HPU run, if it has several. The value is not a command id and is written to the register that tests commands,
 * where PsPIN's driver ignores it (HPU_YIELD in hwmodel/include/hwmodel/registers.h).
 */
static inline void futex_waits_(void)
{
	*(volatile uint32_t *)0x1b205088 = 0xffffffff;
}

static inline int futex_lock(futex_t *futex)
{
	while (amo_or(futex, 1))
		futex_waits_();
	return 1;
}

/* The same with a pause of 32 cycles between attempts. */
static inline int futex_lock_s(futex_t *futex)
{
	while (amo_or(futex, 1)) {
		futex_waits_();
		rt_time_wait_cycles(32);
	}
	return 1;
}

static inline void futex_unlock(futex_t *futex)
{
	amo_store(futex, 0);
}

#endif
