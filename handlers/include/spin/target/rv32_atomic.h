/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ATOMIC_H
#define SPIN_TARGET_RV32_ATOMIC_H

/*
 * Atomic operations. In HPU memory: AMOs, and LR/SC in L2. On host memory PsPIN has no such
 * command: the context's HPUs take a lock in NIC memory in turn, read the word by DMA, and write the result
 * host-direct. The host's own stores in between are lost (<spin/action.h>).
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

/* Of an AMO in L2 the core gets the bus's response code and not the word: who needs the word takes LR/SC there. */
SPIN_INLINE uint32_t spin_fadd32_(uint32_t *at, uint32_t n)
{
	uint32_t have, sum;

	if (!__builtin_expect(spin_is_l2_(at), 1))
		return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
	__asm__ volatile("1: lr.w %0, %2; add %1, %0, %3; sc.w %1, %1, %2; bnez %1, 1b"
			 : "=&r"(have), "=&r"(sum), "+A"(*at) : "r"(n));
	return have;
}

SPIN_INLINE uint32_t spin_or32_(uint32_t *at, uint32_t bits)
{
	uint32_t have, all;

	if (!__builtin_expect(spin_is_l2_(at), 0))
		return __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
	__asm__ volatile("1: lr.w %0, %2; or %1, %0, %3; sc.w %1, %1, %2; bnez %1, 1b"
			 : "=&r"(have), "=&r"(all), "+A"(*at) : "r"(bits));
	return have;
}

/* Writes 1; what was there. In L2 what is not 0 stays as it is. L1 is the fast way: a branch is nothing beside L2. */
SPIN_INLINE uint32_t spin_take32_(uint32_t *at)
{
	uint32_t have, failed;

	if (!__builtin_expect(spin_is_l2_(at), 0))
		return __atomic_exchange_n(at, 1, __ATOMIC_RELAXED);
	__asm__ volatile("1: lr.w %0, %2; bnez %0, 2f; sc.w %1, %3, %2; bnez %1, 1b; 2:"
			 : "=&r"(have), "=&r"(failed), "+A"(*at) : "r"(1));
	return have;
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

/* The runtime's own locks, in the first cluster's L1 (hwmodel/image/pspin.ld). */
extern uint32_t spin_l1_lock_, spin_host_lock_;

SPIN_INLINE void spin_runtime_lock_(uint32_t *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_RELAXED))
		;
	spin_fence_();
}

SPIN_INLINE void spin_runtime_unlock_(uint32_t *lock)
{
	spin_fence_();
	__atomic_exchange_n(lock, 0, __ATOMIC_RELAXED);
}

/* LR/SC exists in L2 only; state in L1 is guarded by an AMO lock kept outside it (PsPIN 3.3). */
SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	uint32_t have;

	if (__builtin_expect(spin_is_l2_(at), 1))
		return __atomic_compare_exchange_n(at, &expect, swap, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	spin_runtime_lock_(&spin_l1_lock_);
	have = spin_load32(at);
	if (have == expect)
		*(volatile uint32_t *)at = swap;
	spin_runtime_unlock_(&spin_l1_lock_);
	return have == expect;
}

/* Where a naturally aligned word of host memory is; 0: not there, or not aligned. Host address 0 is none. */
SPIN_INLINE _Bool spin_host_word_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes,
				  uint32_t *low)
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
	spin_command_await_(spin_command_id_(&packet->commands, spin_command_write_(high, low, bytes, (uint32_t)value,
									 (uint32_t)(value >> 32))));
}

SPIN_INLINE int spin_dma_fadd32_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t n,
				 uint32_t *before)
{
	uint32_t high = spin_space_high_(packet, space), low, was;

	if (!spin_host_word_(packet, space, at, sizeof(was), &low))
		return SPIN_SEGV;
	spin_runtime_lock_(&spin_host_lock_);
	spin_host_read_(packet, high, low, &was, sizeof(was));
	spin_host_store_(packet, high, low, sizeof(was), was + n);
	spin_runtime_unlock_(&spin_host_lock_);
	*before = was;
	return 0;
}

SPIN_INLINE int spin_dma_fadd64_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t n,
				 uint64_t *before)
{
	uint32_t high = spin_space_high_(packet, space), low;
	uint64_t was;

	if (!spin_host_word_(packet, space, at, sizeof(was), &low))
		return SPIN_SEGV;
	spin_runtime_lock_(&spin_host_lock_);
	spin_host_read_(packet, high, low, &was, sizeof(was));
	spin_host_store_(packet, high, low, sizeof(was), was + n);
	spin_runtime_unlock_(&spin_host_lock_);
	*before = was;
	return 0;
}

SPIN_INLINE int spin_dma_cas64_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t *compare,
				uint64_t swap)
{
	uint32_t high = spin_space_high_(packet, space), low;
	uint64_t was;

	if (!spin_host_word_(packet, space, at, sizeof(was), &low))
		return SPIN_SEGV;
	spin_runtime_lock_(&spin_host_lock_);
	spin_host_read_(packet, high, low, &was, sizeof(was));
	if (was == *compare)
		spin_host_store_(packet, high, low, sizeof(was), swap);
	spin_runtime_unlock_(&spin_host_lock_);
	*compare = was;
	return 0;
}

#endif
