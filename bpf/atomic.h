/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ATOMIC_H
#define BPF_ATOMIC_H

/*
 * Atomic operations of the message engine on data that CPUs (HPUs) share. Included by most headers of bpf/. spin_load32() and
 * spin_store32() of the handler API have acquire and release order; these are the others. An operation that returns a value is a full
 * barrier, in BPF and in the host build.
 */
#include <spin/bytes.h>

/* A single access (READ_ONCE, WRITE_ONCE), without any ordering. */
#define spin_read_once(at)         (*(const volatile __typeof__(*(at)) *)(at))
#define spin_write_once(at, value) (*(volatile __typeof__(*(at)) *)(at) = (value))

/* Returns the old value; if it equals `expect`, `swap` has replaced it. */
#define spin_cmpxchg(at, expect, swap) __sync_val_compare_and_swap((at), (expect), (swap))
#define spin_xchg(at, value)           __sync_lock_test_and_set((at), (value))
#define spin_fetch_add(at, n)          SPIN_USED_(__sync_fetch_and_add((at), (n)))
#define spin_fetch_or(at, bits)        SPIN_USED_(__sync_fetch_and_or((at), (bits)))
#define spin_fetch_and(at, bits)       SPIN_USED_(__sync_fetch_and_and((at), (bits)))

/*
 * Marks a path that few packets take, so that the compiler keeps registers for the others. It may still compute the result of that path
 * before the test, for all packets; spin_unlikely_value() prevents this.
 */
#define spin_unlikely(x)       __builtin_expect(!!(x), 0)
#define spin_likely(x)         __builtin_expect(!!(x), 1)
#define spin_unlikely_value(v) ((__typeof__(v))spin_barrier_var_(v))

/* Returns the index of the only bit set, computed without a branch, so that the verifier has one state and not 64. */
SPIN_INLINE uint32_t spin_bit_number(uint64_t bit)
{
	uint64_t ones = bit - 1;

	ones -= ones >> 1 & 0x5555555555555555;
	ones = (ones & 0x3333333333333333) + (ones >> 2 & 0x3333333333333333);
	ones = (ones + (ones >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (uint32_t)(ones * 0x0101010101010101 >> 56) & 63;
}

#endif
