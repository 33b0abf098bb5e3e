/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_HOST_H
#define SPIN_TARGET_HOST_H

/*
 * The handler API on the host, selected by <spin/spin.h> when spincc compiles handlers with `--target host`: as a shared object on the
 * build machine, the reference that tests compare with.
 */
#define SPIN_STATE_ATTR_   __attribute__((aligned(8)))
#define SPIN_TABLE_ATTR_   __attribute__((aligned(64)))
#define SPIN_PER_HPU_ATTR_ SPIN_TABLE_ATTR_
#define SPIN_SCRATCH_ATTR_ __attribute__((aligned(64)))
#define SPIN_KEY_ATTR_
#define SPIN_CLUSTER_ATTR_
#define SPIN_PUTS_OF_TARGET_

/* Frames are always linear, whatever their length. */
#define SPIN_DIRECT_BYTES_MAX SPIN_IP_BYTES_MAX

#define SPIN_COPIED_BYTES_MAX SPIN_IP_BYTES_MAX

#define SPIN_OPAQUE_(v) (v)
SPIN_INLINE uint32_t spin_barrier_var_(uint32_t v)
{
	return v;
}
SPIN_INLINE uint64_t spin_barrier_var64_(uint64_t v)
{
	return v;
}
SPIN_INLINE const uint8_t *spin_barrier_pointer_(const uint8_t *at)
{
	return at;
}

SPIN_INLINE _Bool spin_within_(const void *at, const void *end)
{
	return (const uint8_t *)at <= (const uint8_t *)end;
}

SPIN_INLINE _Bool spin_can_loop_(uint64_t *round, uint32_t max)
{
	(void)round;
	(void)max;
	return 1;
}

#define SPIN_GLOBAL_FN SPIN_INLINE
#define SPIN_NOINLINE  static __attribute__((noinline, unused))

SPIN_INLINE uint32_t spin_verifier_forget32(uint32_t v)
{
	return v;
}

SPIN_INLINE uint32_t spin_equal_(uint32_t a, uint32_t b)
{
	return a == b;
}

SPIN_INLINE uint32_t spin_below_(uint32_t a, uint32_t b)
{
	return a < b;
}

#define SPIN_UNROLL_
#define spin_verifier_merge_(v)   ((void)(v))
#define SPIN_NEVER_NULL_(pointer) ((void)(pointer))

#define spin_index_(i)          ((uint32_t)(i))
#define spin_index_below_(i, n) ((uint32_t)(i))

#include <spin/target/frame.h>

SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

#define SPIN_USED_(x) (x)

SPIN_INLINE uint32_t spin_fadd32_(uint32_t *at, uint32_t n)
{
	return __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST);
}

SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	return __atomic_compare_exchange_n(at, &expect, swap, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

SPIN_INLINE uint32_t spin_load32(const uint32_t *at)
{
	uint32_t v = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return v;
}

SPIN_INLINE void spin_store32(uint32_t *at, uint32_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

#include <spin/target/lock.h>

#endif
