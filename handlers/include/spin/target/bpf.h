/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_BPF_H
#define SPIN_TARGET_BPF_H

/*
 * The handler API on eBPF at XDP, selected by <spin/spin.h> when handlers are compiled for the kernel: attributes of state and tables,
 * which are global variables that user space maps.
 */
#define SPIN_STATE_ATTR_   __attribute__((section(".data"), aligned(8)))
#define SPIN_TABLE_ATTR_   __attribute__((aligned(64), annotate("spin_table"))) /* the annotation identifies tables to spincc */
#define SPIN_PER_HPU_ATTR_ SPIN_TABLE_ATTR_
#define SPIN_SCRATCH_ATTR_ __attribute__((aligned(64)))
/* Makes the function that sends packets a global function, which the verifier checks separately (bpf/actions/put.h). */
#define SPIN_PUTS_OF_TARGET_ \
	struct xdp_md;       \
	extern int spin_put_direct(struct xdp_md *ctx);
#define SPIN_KEY_ATTR_     __attribute__((btf_decl_tag("spin_key")))     /* spincc checks that it is the first field */
#define SPIN_CLUSTER_ATTR_ __attribute__((btf_decl_tag("spin_cluster"))) /* libspin sums up the copies */

#define SPIN_DIRECT_BYTES_MAX SPIN_LINEAR_BYTES_MAX

/*
 * The longest IP packet of a copied frame. With bounded loops only parked frames are copied, and these were linear. The verifier follows each
 * piece of a walk then, so libspin may lower spin_direct_bytes before loading, to what the interface's MTU lets arrive.
 */
#ifdef SPIN_BOUNDED_LOOPS
#define SPIN_COPIED_BYTES_MAX SPIN_DIRECT_BYTES_MAX
#define SPIN_DIRECT_BYTES_    spin_direct_bytes
extern const volatile uint32_t spin_direct_bytes; /* at most SPIN_DIRECT_BYTES_MAX */
#else
#define SPIN_COPIED_BYTES_MAX SPIN_IP_BYTES_MAX
#endif

#include <spin/target/verifier.h>
#include <spin/target/frame.h>

SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	(void)__sync_fetch_and_add((uint32_t *)spin_barrier_pointer_((const uint8_t *)at), n);
}

/* Keeps an unused result: otherwise the compiler uses the form of the operation without a result, which orders nothing. */
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
/* x86 keeps loads and stores in order among themselves; the barrier makes the compiler do so. */
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
/* On other CPUs: a value-returning atomic is a full barrier. */
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
