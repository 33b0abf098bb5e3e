/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ATOMIC_H
#define SPIN_TARGET_RV32_ATOMIC_H

/*
 * Atomic operations. In HPU memory: AMOs, and where their results are not to be had, one HPU at a time. On host memory PsPIN has no
 * such command: the context's HPUs take a lock in NIC memory in turn, read the word by DMA, and write the result host-direct. The
 * host's own stores in between are lost (<spin/action.h>). Non-blocking ones: rv32_atomic_nb.h.
 *
 * Compiler built-ins, and asm without operands in memory or in registers of its own choice: with one of these gcc would keep
 * struct spin_packet on the stack, where it costs a load for each use.
 */
SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

/* Is it in L2? All below is L1. */
SPIN_INLINE _Bool spin_is_l2_(const void *at)
{
	return (uintptr_t)at >= 0x1c000000;
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
 * A core gets the word that was there only from an AMO on its own cluster's L1. Of an AMO on L2 or on another cluster's L1 it gets
 * the bus's response code (per2axi_res_channel.sv), though memory is right. LR/SC keeps no HPUs apart in L2, and is not in L1: on PsPIN's
 * RTL an LR and its SC have the lowest ID that is free for a read and for a write (axi_id_remap.sv in pe_noc.sv), and the reservation is
 * the ID's (axi_res_tbl.sv), so an SC finds that of another HPU's later LR. Of 2,112 increments by eight HPUs 999 were lost. HPUs with
 * different words keep each other from storing for good.
 *
 * So an HPU that needs the word in L2 is the only one that does (hwmodel/image/exclusive.S): it loads, and changes the word by an
 * AMO. AMOs whose results nobody needs go on in between and are not lost. What is stored in between is added to, so only who holds a
 * word in some way, as a lock's holder, may store to it (<spin/spin.h>).
 *
 * Of a word in L1 the same holds for HPUs of other clusters. Those of its own take AMOs, and a guard in each L1 (hwmodel/image/pspin.ld)
 * keeps the two apart: HPUs of its cluster enter together. One of another cluster, the only one with that guard, says in it that it
 * is alone, and waits until those inside have left. An HPU's loads and stores are done one after the other, so either sees the other.
 */
struct spin_guard_ {
	uint32_t inside; /* a bit for each HPU of the own cluster; one that was ended there clears its own when it comes again */
	uint32_t alone;  /* another is inside, or waits until they have left */
};

extern uint32_t spin_host_lock_;  /* in L2 */
extern char spin_guard_offset_[]; /* of the guard in each L1 */

#define SPIN_L1_BITS_ 22 /* of an address within a cluster's L1 */

SPIN_INLINE volatile struct spin_guard_ *spin_guard_of_(const void *at)
{
	return (volatile struct spin_guard_ *)(((uintptr_t)at >> SPIN_L1_BITS_ << SPIN_L1_BITS_) + (uintptr_t)spin_guard_offset_);
}

/* The HPU's number in its cluster, and from bit 5 on the cluster's. */
SPIN_INLINE uint32_t spin_hart_(void)
{
	uint32_t hart;

	__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart)); /* csrr of uhartid */
	return hart;
}

SPIN_INLINE _Bool spin_is_of_my_cluster_(const void *at)
{
	return !(((uintptr_t)at >> SPIN_L1_BITS_ ^ spin_hart_() >> 5) & 63);
}

/* The address that means the own L1, as SPIN_LOCAL gives it: 0x1b....... */
SPIN_INLINE _Bool spin_is_own_l1_(const void *at)
{
	return (uintptr_t)at >> 24 == 0x1b;
}

/* An HPU of the own cluster may use its AMOs' results, while no other cluster's is there. Returns its bit, for spin_guard_leave_(). */
SPIN_INLINE uint32_t spin_guard_enter_(volatile struct spin_guard_ *guard)
{
	const uint32_t bit = 1u << (spin_hart_() & 31);

	for (;;) {
		__atomic_fetch_or(&guard->inside, bit, __ATOMIC_RELAXED);
		if (__builtin_expect(!guard->alone, 1))
			return bit;
		__atomic_fetch_and(&guard->inside, ~bit, __ATOMIC_RELAXED);
		while (guard->alone)
			;
	}
}

SPIN_INLINE void spin_guard_leave_(volatile struct spin_guard_ *guard, uint32_t bit)
{
	__atomic_fetch_and(&guard->inside, ~bit, __ATOMIC_RELAXED);
}

/* Is the word in the own cluster's L1, where AMOs return words? */
SPIN_INLINE _Bool spin_amo_returns_(uint32_t *at)
{
	if (__builtin_expect(spin_is_l2_(at), 1) || !(spin_is_of_my_cluster_(at) || spin_is_own_l1_(at)))
		return 0;
	__atomic_fetch_add(at, 0, __ATOMIC_RELAXED); /* what traps does so before there is a guard that nobody would leave */
	return 1;
}

/* Adds to a word that is `want` in the bits of `mask`, as the only HPU of the NIC. What it was. */
SPIN_INLINE uint32_t spin_change_(uint32_t *at, uint32_t addend, uint32_t mask, uint32_t want)
{
	uint32_t have;

	spin_fence_();
	__asm__ volatile("mv t1, %1; mv t2, %2; mv t3, %z3; mv t4, %z4; jal t0, spin_change_; mv %0, t1"
			 : "=r"(have)
			 : "r"(at), "r"(addend), "rJ"(mask), "rJ"(want)
			 : "t0", "t1", "t2", "t3", "t4");
	spin_fence_();
	return have;
}

SPIN_INLINE uint32_t spin_fadd32_(uint32_t *at, uint32_t n)
{
	volatile struct spin_guard_ *guard = spin_guard_of_(at);
	uint32_t have, bit;

	if (!spin_amo_returns_(at))
		return spin_change_(at, n, 0, 0);
	bit = spin_guard_enter_(guard);
	have = __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
	spin_guard_leave_(guard, bit);
	return have;
}

/* There is no AMO that compares. The difference is added, so that what others add in between is not lost. */
SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	return spin_change_(at, swap - expect, ~0u, expect) == expect;
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
	uint32_t was;

	while ((was = spin_change_(&spin_host_lock_, 1, 1, 0)) & 1)
		spin_command_yield_();
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
