/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_BPF_H
#define SPIN_TARGET_BPF_H

/* eBPF at XDP: state and tables are global variables, which user space maps. */
#define SPIN_STATE_ATTR_   __attribute__((section(".data"), aligned(8)))
#define SPIN_TABLE_ATTR_   __attribute__((aligned(64), annotate("spin_table"))) /* spincc tells it from other variables */
#define SPIN_PER_HPU_ATTR_ SPIN_TABLE_ATTR_
#define SPIN_SCRATCH_ATTR_ __attribute__((aligned(64)))
/* Makes of the function that sends one that the verifier looks at by itself (bpf/actions/put.h). */
#define SPIN_PUTS_OF_TARGET_ \
	struct xdp_md;       \
	extern int spin_put_direct(struct xdp_md *ctx);
#define SPIN_KEY_ATTR_     __attribute__((btf_decl_tag("spin_key")))     /* spincc sees to it that it comes first */
#define SPIN_CLUSTER_ATTR_ __attribute__((btf_decl_tag("spin_cluster"))) /* libspin sums up the copies */

/* A page of 4096 less XDP's headroom and tailroom: what is longer goes by the copied program. */
#define SPIN_DIRECT_BYTES_MAX 3520u

/*
 * The compiler must not reason about v, else it drops a bound that the verifier needs to see, or makes a pointer again elsewhere,
 * of which what the verifier has learnt is lost.
 */
#define SPIN_OPAQUE_(v)                               \
	({                                            \
		__typeof__(v) spin_v_ = (v);          \
		__asm__ volatile("" : "+r"(spin_v_)); \
		spin_v_;                              \
	})
SPIN_INLINE uint32_t spin_barrier_var_(uint32_t v)
{
	return SPIN_OPAQUE_(v);
}
SPIN_INLINE uint64_t spin_barrier_var64_(uint64_t v)
{
	return SPIN_OPAQUE_(v);
}
SPIN_INLINE const uint8_t *spin_barrier_pointer_(const uint8_t *at)
{
	return SPIN_OPAQUE_(at);
}

/*
 * at <= end, as a branch that stands where it was written: the compiler would
 * turn the comparison into a number, from which the verifier learns nothing.
 */
SPIN_INLINE _Bool spin_within_(const void *at, const void *end)
{
	__asm__ goto("if %0 > %1 goto %l[beyond]" : : "r"(at), "r"(end) : : beyond);
	return 1;
beyond:
	return 0;
}

/*
 * n as the length of a helper's transfer: n if it is 1 to max, else 0. Both bounds are in the register that is
 * returned: kernels before 6.13 (seen on 6.1 and 6.12) do not carry a test of n - 1 over to n, and refuse with
 * "invalid zero-sized read".
 */
SPIN_INLINE uint32_t spin_bounded_length(uint32_t n, uint32_t max)
{
	uint32_t less = spin_barrier_var_(n - 1);

	return less < max ? spin_barrier_var_(less) + 1 : 0;
}

#ifndef SPIN_BOUNDED_LOOPS
/*
 * The condition of each loop of the runtime: 1, but for a count of the kernel's own that no packet reaches. It is
 * may_goto (Linux 6.9), which compilers do not know yet. At may_goto the verifier compares states, and stops when a
 * round brings none that is new, instead of following each round to the loop's end. `round` and `max` are for kernels
 * without it, see below.
 */
SPIN_INLINE _Bool spin_can_loop_(uint64_t *round, uint32_t max)
{
	(void)round;
	(void)max;
	__asm__ goto("1: .byte 0xe5; .byte 0; .long ((%l[out] - 1b - 8) / 8) & 0xffff; .short 0" : : : : out);
	return 1;
out:
	return 0;
}
#else
/*
 * The same for Linux 6.1 to 6.8, in the object's second variant (SPIN_BOUNDED_SECTION of <spin/meta.h>): the
 * verifier follows up to `max` rounds, of which *round, 0 at first, is the number. `max` must be a constant that no
 * loop reaches, or after which its caller may stop. The number is 64 bits wide so that the verifier follows it when
 * it is spilled, and hidden from the compiler, which would derive other variables from it.
 */
SPIN_INLINE _Bool spin_can_loop_(uint64_t *round, uint32_t max)
{
	*round = spin_barrier_var64_(*round + 1);
	return *round <= max;
}
#endif

/* The longest IP packet of a frame that was copied: with bounded loops it lay in one piece before it was parked. */
#ifdef SPIN_BOUNDED_LOOPS
#define SPIN_COPIED_BYTES_MAX SPIN_DIRECT_BYTES_MAX
#else
#define SPIN_COPIED_BYTES_MAX SPIN_IP_BYTES_MAX
#endif

/*
 * A function of the runtime with a loop that the verifier is not to follow for each state of its callers. With
 * may_goto it is inline. With bounded loops it is a global function, which the verifier follows once, knowing nothing
 * of its arguments: numbers, and pointers to what the caller has on its stack, to be tested for NULL.
 */
#ifdef SPIN_BOUNDED_MESSAGES
#define SPIN_OUTLINE __attribute__((noinline))
#else
#define SPIN_OUTLINE SPIN_INLINE
#endif

/*
 * A function of the runtime that few packets need, with or without loops: a global function always, verified once by
 * itself. Every object has it, so where handlers take no messages its body must be empty.
 */
#define SPIN_APART __attribute__((noinline))

/* Any memory that others may write; nobody does. Not in the object where nothing asks. */
static uint32_t spin_any __attribute__((aligned(64)));

/*
 * The same number, of which the verifier knows nothing: to it `any & ~any` may be anything. A loop
 * that counts so, and has spin_can_loop_() as a condition, is one step to it, not as many as it takes;
 * and ways that meet behind a number are one.
 */
SPIN_INLINE uint32_t spin_blur(uint32_t v)
{
	uint32_t any = *(volatile uint32_t *)&spin_any;

	return v + (any & spin_barrier_var_(~any));
}

/* 1 if a == b, else 0, for numbers below 2^31: without a branch, so that the verifier goes one way only. */
SPIN_INLINE uint32_t spin_equal_(uint32_t a, uint32_t b)
{
	return spin_barrier_var_(spin_barrier_var_(a ^ b) - 1) >> 31;
}

/* In front of a loop with a constant bound: written out by the compiler. The isolated class wants constant offsets. */
#define SPIN_UNROLL_ _Pragma("unroll")

#define spin_index_(i) (__builtin_constant_p(i) ? (uint32_t)(i) : spin_barrier_var_(i))

#include <spin/target/frame.h>

SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	(void)__sync_fetch_and_add((uint32_t *)spin_barrier_pointer_((const uint8_t *)at), n);
}

/* A result that nobody uses: the compiler would take the operation without one, which orders nothing. */
#define SPIN_USED_(x)                                     \
	({                                                \
		__typeof__(x) spin_used_ = (x);           \
		__asm__ volatile("" : : "r"(spin_used_)); \
		spin_used_;                               \
	})

SPIN_INLINE uint32_t spin_fadd32_(uint32_t *at, uint32_t n)
{
	return SPIN_USED_(__sync_fetch_and_add((uint32_t *)spin_barrier_pointer_((const uint8_t *)at), n));
}

SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	return __sync_val_compare_and_swap(at, expect, swap) == expect;
}

#if defined(__TARGET_ARCH_x86)
/* x86 keeps loads in order with loads and stores with stores: the compiler must, too. */
SPIN_INLINE uint32_t spin_load32(const uint32_t *at)
{
	uint32_t v = *(const volatile uint32_t *)at;

	__asm__ volatile("" ::: "memory");
	return v;
}

SPIN_INLINE void spin_store32(uint32_t *at, uint32_t value)
{
	__asm__ volatile("" ::: "memory");
	*(volatile uint32_t *)at = value;
}
#else
/* Elsewhere a value-returning atomic is a full barrier. */
SPIN_INLINE uint32_t spin_load32(const uint32_t *at)
{
	return __sync_fetch_and_add((uint32_t *)at, 0);
}

SPIN_INLINE void spin_store32(uint32_t *at, uint32_t value)
{
	(void)__sync_lock_test_and_set(at, value);
}
#endif

#include <spin/target/lock.h>

#endif
