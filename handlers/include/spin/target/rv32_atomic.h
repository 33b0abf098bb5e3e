/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ATOMIC_H
#define SPIN_TARGET_RV32_ATOMIC_H

/*
 * Atomic operations. In HPU memory: AMOs, and LR/SC in L2, which on PsPIN's RTL do not keep several HPUs apart (hwmodel/README.md,
 * "L1"). On host memory PsPIN has no such command: the context's HPUs take a lock in NIC memory in turn, read the word by DMA, and
 * write the result host-direct. The host's own stores in between are lost (<spin/action.h>). Non-blocking ones: rv32_atomic_nb.h.
 *
 * Compiler built-ins throughout, not asm with a memory clobber: gcc would keep
 * struct spin_packet on the stack, where it costs a load for each use.
 */
SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

/* Is it in L2 (0x1c......, bit 26)? */
SPIN_INLINE _Bool spin_is_l2_(const void *at)
{
	return (int32_t)((uintptr_t)at << 5) < 0;
}

SPIN_INLINE uint32_t spin_load32(const uint32_t *at)
{
	uint32_t v = *(const volatile uint32_t *)at;

	spin_fence_();
	return v;
}

SPIN_INLINE void spin_store32(uint32_t *at, uint32_t value)
{
	spin_fence_();
	*(volatile uint32_t *)at = value;
}

/*
 * A core gets the word that was there only from an AMO on its own cluster's L1. Of an AMO on L2 or on another cluster's L1 it
 * gets the bus's response code (per2axi_res_channel.sv), though memory is right. Who needs the word takes LR/SC in L2. L1 has
 * no LR/SC: there HPUs of its own cluster take AMOs, those of other clusters load and then store or take an AMO, and a guard
 * in each L1 (hwmodel/image/pspin.ld) keeps the two apart. AMOs whose results nobody needs go on in any case.
 *
 * HPUs of the own cluster enter together. One of another cluster enters alone: it holds a lock in L2, says so in the guard, and
 * waits until those inside have left. An HPU's loads and stores are done one after the other, so either sees the other.
 */
struct spin_guard_ {
	uint32_t inside; /* HPUs of the own cluster */
	uint32_t alone;  /* another is inside, or waits until they have left */
};

extern uint32_t spin_guard_lock_, spin_host_lock_; /* words in L2 */
extern char spin_guard_offset_[];                  /* of the guard in each L1 */

SPIN_INLINE void spin_runtime_lock_(uint32_t *lock)
{
	uint32_t held;

	do {
		held = 0;
	} while (!__atomic_compare_exchange_n(lock, &held, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	spin_fence_();
}

SPIN_INLINE void spin_runtime_unlock_(uint32_t *lock)
{
	spin_store32(lock, 0);
}

#define SPIN_L1_BITS_ 22 /* of an address within a cluster's L1 */

SPIN_INLINE volatile struct spin_guard_ *spin_guard_of_(const void *at)
{
	return (volatile struct spin_guard_ *)(((uintptr_t)at >> SPIN_L1_BITS_ << SPIN_L1_BITS_) + (uintptr_t)spin_guard_offset_);
}

SPIN_INLINE _Bool spin_is_of_my_cluster_(const void *at)
{
	uint32_t hart;

	__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart)); /* csrr of uhartid */
	return !(((uintptr_t)at >> SPIN_L1_BITS_ ^ hart >> 5) & 63);
}

/* The address that means the own L1, as SPIN_LOCAL gives it: 0x1b......, of L1 alone bit 25. */
SPIN_INLINE _Bool spin_is_own_l1_(const void *at)
{
	return (int32_t)((uintptr_t)at << 6) < 0;
}

/* Returns `alone`: if it is 0, only others of this cluster are inside, and what they do are AMOs. */
SPIN_INLINE _Bool spin_guard_enter_(const void *at, _Bool alone)
{
	volatile struct spin_guard_ *guard = spin_guard_of_(at);

	(void)*(const volatile uint32_t *)at; /* what traps does so before there is a lock that nobody would give back */
	if (alone) {
		spin_runtime_lock_(&spin_guard_lock_);
		guard->alone = 1;
		while (guard->inside)
			;
	} else {
		for (;;) {
			__atomic_fetch_add(&guard->inside, 1, __ATOMIC_RELAXED);
			if (!guard->alone)
				break;
			__atomic_fetch_sub(&guard->inside, 1, __ATOMIC_RELAXED);
			while (guard->alone)
				;
		}
	}
	spin_fence_();
	return alone;
}

SPIN_INLINE void spin_guard_leave_(const void *at, _Bool alone)
{
	volatile struct spin_guard_ *guard = spin_guard_of_(at);

	spin_fence_();
	if (alone) {
		guard->alone = 0;
		spin_runtime_unlock_(&spin_guard_lock_);
	} else {
		__atomic_fetch_sub(&guard->inside, 1, __ATOMIC_RELAXED);
	}
}

SPIN_INLINE uint32_t spin_fadd32_(uint32_t *at, uint32_t n)
{
	uint32_t have, sum;
	_Bool alone;

	if (__builtin_expect(spin_is_l2_(at), 1)) {
		__asm__ volatile("1: lr.w %0, %2; add %1, %0, %3; sc.w %1, %1, %2; bnez %1, 1b"
				 : "=&r"(have), "=&r"(sum), "+A"(*at)
				 : "r"(n));
		return have;
	}
	if (spin_is_own_l1_(at)) /* no other cluster has that word */
		return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
	alone = spin_guard_enter_(at, !spin_is_of_my_cluster_(at));
	if (alone) {
		have = spin_load32(at);
		__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
	} else {
		have = __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
	}
	spin_guard_leave_(at, alone);
	return have;
}

/* One more, unless bit 31 is set; what was there. */
SPIN_INLINE uint32_t spin_enter32_(uint32_t *at)
{
	uint32_t have, sum;
	_Bool alone;

	if (__builtin_expect(spin_is_l2_(at), 1)) {
		__asm__ volatile("1: lr.w %0, %2; bltz %0, 2f; addi %1, %0, 1; sc.w %1, %1, %2; bnez %1, 1b; 2:"
				 : "=&r"(have), "=&r"(sum), "+A"(*at));
		return have;
	}
	alone = spin_guard_enter_(at, !spin_is_of_my_cluster_(at));
	have = spin_load32(at);
	if ((int32_t)have >= 0) {
		if (alone) {
			__atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
		} else {
			have = __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
			if ((int32_t)have < 0) /* set since */
				__atomic_fetch_sub(at, 1, __ATOMIC_RELAXED);
		}
	}
	spin_guard_leave_(at, alone);
	return have;
}

/* Sets bit 31, unless it is set; what was there. */
SPIN_INLINE uint32_t spin_claim32_(uint32_t *at)
{
	const uint32_t bit = 0x80000000u;
	uint32_t have, all;
	_Bool alone;

	if (__builtin_expect(spin_is_l2_(at), 1)) {
		__asm__ volatile("1: lr.w %0, %2; bltz %0, 2f; or %1, %0, %3; sc.w %1, %1, %2; bnez %1, 1b; 2:"
				 : "=&r"(have), "=&r"(all), "+A"(*at)
				 : "r"(bit));
		return have;
	}
	alone = spin_guard_enter_(at, !spin_is_of_my_cluster_(at));
	if (alone) {
		have = spin_load32(at);
		if ((int32_t)have >= 0)
			__atomic_fetch_or(at, bit, __ATOMIC_RELAXED);
	} else {
		have = __atomic_fetch_or(at, bit, __ATOMIC_RELAXED);
	}
	spin_guard_leave_(at, alone);
	return have;
}

/* Writes 1, unless there is one; what was there. */
SPIN_INLINE uint32_t spin_take32_(uint32_t *at)
{
	uint32_t have, failed;
	_Bool alone;

	if (__builtin_expect(spin_is_l2_(at), 1)) {
		__asm__ volatile("1: lr.w %0, %2; bnez %0, 2f; sc.w %1, %3, %2; bnez %1, 1b; 2:"
				 : "=&r"(have), "=&r"(failed), "+A"(*at)
				 : "r"(1));
		return have;
	}
	alone = spin_guard_enter_(at, !spin_is_of_my_cluster_(at));
	if (alone) {
		have = spin_load32(at);
		if (!have)
			*(volatile uint32_t *)at = 1;
	} else {
		have = __atomic_exchange_n(at, 1, __ATOMIC_RELAXED);
	}
	spin_guard_leave_(at, alone);
	return have;
}

SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	uint32_t have;

	if (__builtin_expect(spin_is_l2_(at), 1))
		return __atomic_compare_exchange_n(at, &expect, swap, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	spin_guard_enter_(at, 1); /* there is no AMO that compares */
	have = spin_load32(at);
	if (have == expect)
		*(volatile uint32_t *)at = swap;
	spin_guard_leave_(at, 1);
	return have == expect;
}

/* Where a naturally aligned word of host memory is; 0: not there, or not aligned. Host address 0 is none. */
SPIN_INLINE _Bool spin_host_word_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes, uint32_t *low)
{
	if (!spin_in_space_(packet, space, at, bytes))
		return 0;
	if (spin_in_pieces_(packet, space)) { /* segments are of 8 bytes each: no word is in two */
		const struct spin_segment *segment = spin_segment_of_(packet->entry, &at);

		*low = segment->start + at;
	} else {
		*low = spin_space_low_(packet, space) + at;
	}
	if (*low & (bytes - 1))
		return 0;
	spin_settle_(packet);
	return 1;
}

SPIN_INLINE void spin_host_read_(struct spin_packet *packet, uint32_t high, uint32_t low, void *to, uint32_t bytes)
{
	spin_command_await_(spin_command_id_(&packet->commands, spin_command_from_host_(high, low, spin_nic_address_(to), bytes)));
	spin_fence_();
}

SPIN_INLINE void spin_host_store_(struct spin_packet *packet, uint32_t high, uint32_t low, uint32_t bytes, uint64_t value)
{
	spin_command_await_(
		spin_command_id_(&packet->commands, spin_command_write_(high, low, bytes, (uint32_t)value, (uint32_t)(value >> 32))));
}

/*
 * The lock of host memory: odd while it is held, and another even number after each write, so that who reads without it
 * can tell whether the word may have changed since. Returns the number that it had.
 */
SPIN_INLINE uint32_t spin_host_lock_take_(void)
{
	uint32_t was, next;

	__asm__ volatile("1: lr.w %0, %2; andi %1, %0, 1; bnez %1, 1b; addi %1, %0, 1; sc.w %1, %1, %2; bnez %1, 1b"
			 : "=&r"(was), "=&r"(next), "+A"(spin_host_lock_));
	spin_fence_();
	return was;
}

SPIN_INLINE void spin_host_lock_give_(uint32_t was, _Bool has_written)
{
	spin_store32(&spin_host_lock_, has_written ? was + 2 : was);
}

SPIN_INLINE int spin_dma_fadd32_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t n, uint32_t *before)
{
	uint32_t high = spin_space_high_(packet, space), low, lock, was;

	if (!spin_host_word_(packet, space, at, sizeof(was), &low))
		return SPIN_SEGV;
	lock = spin_host_lock_take_();
	spin_host_read_(packet, high, low, &was, sizeof(was));
	spin_host_store_(packet, high, low, sizeof(was), was + n);
	spin_host_lock_give_(lock, 1);
	*before = was;
	return 0;
}

SPIN_INLINE int spin_dma_fadd64_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t n, uint64_t *before)
{
	uint32_t high = spin_space_high_(packet, space), low, lock;
	uint64_t was;

	if (!spin_host_word_(packet, space, at, sizeof(was), &low))
		return SPIN_SEGV;
	lock = spin_host_lock_take_();
	spin_host_read_(packet, high, low, &was, sizeof(was));
	spin_host_store_(packet, high, low, sizeof(was), was + n);
	spin_host_lock_give_(lock, 1);
	*before = was;
	return 0;
}

SPIN_INLINE int spin_dma_cas64_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t *compare, uint64_t swap)
{
	uint32_t high = spin_space_high_(packet, space), low, lock;
	uint64_t was;

	if (!spin_host_word_(packet, space, at, sizeof(was), &low))
		return SPIN_SEGV;
	lock = spin_host_lock_take_();
	spin_host_read_(packet, high, low, &was, sizeof(was));
	if (was == *compare)
		spin_host_store_(packet, high, low, sizeof(was), swap);
	spin_host_lock_give_(lock, was == *compare);
	*compare = was;
	return 0;
}

#endif
