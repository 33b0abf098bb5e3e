/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_VERIFIER_H
#define SPIN_TARGET_VERIFIER_H

/*
 * Workarounds for the kernel's verifier in handlers' code and the runtime, and against optimizations of the compiler (clang 14) that
 * hide from the verifier what it has learnt. Included by <spin/target/bpf.h> and <spin/target/nfp.h>; host.h has the same names without
 * effect. Isolated programs use offsets instead of pointers, with spin_verifier_forget_() of <spin/target/view.h>.
 *
 *	name                    for                    what does not load without it (Linux 6.18, clang 14, unless said otherwise)
 *	spin_barrier_var_       all programs           handlers/kvstore.c, tests/handlers/memory/walk.c: a bound was folded away
 *	SPIN_NEVER_NULL_        isolated class         tests/handlers/datagrams/late_tests.c: "invalid mem access 'scalar'" (Linux before 6.17)
 *	spin_within_            all programs           -
 *	spin_bounded_length     Linux before 6.13      tests/kernels/mutants.sh, fault C: "invalid zero-sized read"
 *	spin_masked_length      isolated class         tests/kernels/mutants.sh, fault G: "invalid zero-sized read" (Linux before 6.17)
 *	spin_can_loop_          all programs           handlers/filtering.c, handlers/ping.c: it cannot prove that a loop ends
 *	SPIN_GLOBAL_FN          bounded loops          -
 *	SPIN_NOINLINE           rarely needed code     -
 *	spin_verifier_forget32  all programs           tests/handlers/memory/act_dma_d.c: more than 1,000,000 steps
 *	spin_equal_             all programs           tests/handlers/sending/act_put_d.c: two minutes are not enough
 *	spin_below_             isolated class         -
 *	spin_verifier_merge_    isolated class         -
 *	spin_verifier_bounds_   isolated class         bpf/root.bpf.c: the kernel warns (REG INVARIANTS VIOLATION)
 *	spin_index_below_       isolated class         handlers/rate_limit.c: "goes out of range" (Linux before 6.17)
 *	SPIN_UNROLL_            isolated class         tests/handlers/memory/act_copy.c: an offset that is not constant
 */
#include <stdint.h>

/*
 * The compiler must not reason about v: otherwise it drops a bound that the verifier needs to see, or derives a pointer again elsewhere, so
 * that what the verifier has learnt about it is lost.
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
 * Tells the compiler that a pointer is not NULL: then the handler's test of it vanishes, and where it is NULL the paths up to the test of
 * another pointer stay apart (user/spincc/build.c).
 */
#define SPIN_NEVER_NULL_(pointer) __builtin_assume((pointer) != 0)

/*
 * at <= end, as a branch that stays where it was written: the compiler would turn the comparison into a value, from which the verifier
 * learns nothing.
 */
SPIN_INLINE _Bool spin_within_(const void *at, const void *end)
{
	__asm__ goto("if %0 > %1 goto %l[beyond]" : : "r"(at), "r"(end) : : beyond);
	return 1;
beyond:
	return 0;
}

/*
 * Returns n as the length of a helper's transfer if it is 1 to max, else 0. Both bounds are in the returned register: kernels before 6.13
 * (seen on 6.1 and 6.12) do not carry a test of n - 1 over to n, and report "invalid zero-sized read".
 */
SPIN_INLINE uint32_t spin_bounded_length(uint32_t n, uint32_t max)
{
	uint32_t less = spin_barrier_var_(n - 1);

	return less < max ? spin_barrier_var_(less) + 1 : 0;
}

/*
 * Returns n, which must be 1 to max, as the length of a helper's transfer; max must be a power of two. Without CAP_PERFMON the verifier
 * follows each test of a number that it knows to the wrong side as well, and there loses its bounds: before Linux 6.17 it rejects the
 * helper call that follows ("min value is negative", "invalid zero-sized read"). The mask must follow all tests.
 */
SPIN_INLINE uint32_t spin_masked_length(uint32_t n, uint32_t max)
{
	return (spin_barrier_var_(n - 1) & (max - 1)) + 1;
}

#ifndef SPIN_BOUNDED_LOOPS
/*
 * The condition of each loop of the runtime: 1, until the kernel's own count is used up, which no packet reaches. It is may_goto (Linux
 * 6.9), which compilers do not know yet. At may_goto the verifier compares states and stops when an iteration adds no new one, instead of
 * following each iteration to the loop's end. `round` and `max` are for kernels without it, see below.
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
 * The same for Linux 6.1 to 6.8, in the object's second variant (SPIN_BOUNDED_SECTION of <spin/meta.h>): the verifier follows up to `max`
 * iterations, counted in *round, which starts at 0. `max` must be a constant that no loop reaches, or after which its caller may stop. The
 * count has 64 bits so that the verifier tracks it when it is spilled, and is hidden from the compiler, which would derive other variables
 * from it.
 */
SPIN_INLINE _Bool spin_can_loop_(uint64_t *round, uint32_t max)
{
	*round = spin_barrier_var64_(*round + 1);
	return *round <= max;
}
#endif

/*
 * Merges verifier paths that differ only in `v`. Without CAP_PERFMON the verifier follows each addition to a pointer a second time, as if
 * the number were 0: without this, n additions are 2 to the n paths. It is a may_goto with offset 0, so not for Linux before 6.9.
 */
#define spin_verifier_merge_(v) __asm__ volatile(".byte 0xe5; .byte 0; .short 1; .long 0; %0 = %0" : "+r"(v))

/*
 * Makes the bounds of a pointer that was moved by a variable agree with each other, in functions that libspin does not rewrite
 * (pointer_bounds.c): an addition of 0.
 */
#define spin_verifier_bounds_(pointer) __asm__ volatile("%0 += 0" : "+r"(pointer))

/*
 * A function of the runtime with a loop that the verifier must not follow for each state of its callers. With may_goto it is inline. With
 * bounded loops it is a global function, which the verifier follows once without knowledge of its arguments: numbers, and pointers to the
 * caller's stack, which must be tested for NULL.
 */
#ifdef SPIN_BOUNDED_MESSAGES
#define SPIN_GLOBAL_FN __attribute__((noinline))
#else
#define SPIN_GLOBAL_FN SPIN_INLINE
#endif

/*
 * A function of the runtime that few packets need, with or without loops: always a global function, verified once. Every object contains
 * it, so its body must be empty if handlers take no messages.
 */
#define SPIN_NOINLINE __attribute__((noinline))

#ifndef spin_verifier_forget32
/* Memory that others could write, although nobody does. Absent from objects that do not use it. */
static uint32_t spin_any __attribute__((aligned(64)));

/*
 * The same number, but unknown to the verifier, for which `any & ~any` may have any value. A loop that counts in this way and has
 * spin_can_loop_() as a condition is one state for it instead of one per iteration; and paths that meet after it are one.
 */
SPIN_INLINE uint32_t spin_verifier_forget32(uint32_t v)
{
	uint32_t any = *(volatile uint32_t *)&spin_any;

	return v + (any & spin_barrier_var_(~any));
}
#endif

/* Returns 1 if a == b, else 0, for numbers below 2^31. Without a branch, so that the verifier follows one path only. */
SPIN_INLINE uint32_t spin_equal_(uint32_t a, uint32_t b)
{
	return spin_barrier_var_(spin_barrier_var_(a ^ b) - 1) >> 31;
}

/* Returns 1 if a < b, else 0, in the same way. */
SPIN_INLINE uint32_t spin_below_(uint32_t a, uint32_t b)
{
	uint64_t difference = (uint64_t)a - b;

	__asm__ volatile("" : "+r"(difference));
	return (uint32_t)(difference >> 63);
}

/* Before a loop with a constant bound: unrolls it. The isolated class requires constant offsets. */
#define SPIN_UNROLL_ _Pragma("unroll")

#define spin_index_(i) (__builtin_constant_p(i) ? (uint32_t)(i) : spin_barrier_var_(i))

/* Returns i, which must be below n. The mask is for the isolated class: see spin_masked_length(). */
#define spin_index_below_(i, n) ((n) & ((n)-1) ? spin_index_(i) : spin_index_(i) & ((n)-1))

#endif
