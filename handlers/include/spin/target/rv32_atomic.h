/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_ATOMIC_H
#define SPIN_TARGET_RV32_ATOMIC_H

/*
 * Atomic operations of handlers on a PsPIN HPU (a core of the NIC). Included by <spin/target/rv32.h>. In HPU memory: AMOs, or one HPU at a
 * time where AMOs do not return the old value. On host memory PsPIN has no such command: an HPU takes a lock in NIC memory, reads the word
 * by DMA, and writes the result host-direct. Stores by the host in between are lost (<spin/action.h>). Non-blocking ones: rv32_atomic_nb.h.
 *
 * Only compiler built-ins, and asm without memory operands or registers of its own choice: with one of these gcc would keep struct
 * spin_packet on the stack, at the cost of a load per use.
 */
SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

/* Returns 1 if the address is in L2. All addresses below are L1. */
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
 * A core gets the old value only from an AMO on its own cluster's L1. From an AMO on L2 or on another cluster's L1 it gets the bus's
 * response code (per2axi_res_channel.sv), although memory is right. LR/SC does not exclude other HPUs in L2 and does not exist in L1: on
 * PsPIN's RTL an LR and its SC get the lowest ID that is free for a read and for a write (axi_id_remap.sv in pe_noc.sv), and the
 * reservation belongs to the ID (axi_res_tbl.sv), so an SC may find the reservation of another HPU's later LR. Of 2,112 increments by eight
 * HPUs 999 were lost. HPUs with different words can prevent each other from storing for ever.
 *
 * So an HPU that needs the old value of a word in L2 excludes all others that do (hwmodel/image/exclusive.S): it loads the word and changes
 * it by an AMO. AMOs without a result proceed in between and are not lost. The change is added to any value stored in between, so only an
 * HPU that holds a word, for example as a lock's holder, may store to it (<spin/spin.h>).
 *
 * The same holds for a word in L1 and HPUs of other clusters. HPUs of the word's own cluster use AMOs, and a guard in each L1
 * (hwmodel/image/pspin.ld) separates the two: HPUs of its cluster enter together. An HPU of another cluster, of which only one is active
 * per guard, sets `alone` and waits until those inside have left. An HPU performs its loads and stores in order, so one of the two sees the
 * other.
 */
struct spin_guard_ {
	uint32_t inside; /* a bit for each HPU of the own cluster; an HPU that was ended inside clears its bit when it enters again */
	uint32_t alone;  /* an HPU of another cluster is inside, or waits until the others have left */
};

extern uint32_t spin_host_lock_;  /* in L2 */
extern char spin_guard_offset_[]; /* offset of the guard in each L1 */

#define SPIN_L1_BITS_ 22 /* of an address within a cluster's L1 */

SPIN_INLINE volatile struct spin_guard_ *spin_guard_of_(const void *at)
{
	return (volatile struct spin_guard_ *)(((uintptr_t)at >> SPIN_L1_BITS_ << SPIN_L1_BITS_) + (uintptr_t)spin_guard_offset_);
}

/* Returns the HPU's number in its cluster in bits 4:0, and the cluster's from bit 5 on. */
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

/* Returns 1 for an address that means the own L1, as SPIN_LOCAL gives it: 0x1b....... */
SPIN_INLINE _Bool spin_is_own_l1_(const void *at)
{
	return (uintptr_t)at >> 24 == 0x1b;
}

/*
 * Enters the guard: while inside, an HPU of the own cluster may use its AMOs' results, because no HPU of another cluster is inside. Returns
 * its bit, for spin_guard_leave_().
 */
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

/* Returns 1 if the word is in the own cluster's L1, where AMOs return the old value. */
SPIN_INLINE _Bool spin_amo_returns_(uint32_t *at)
{
	if (__builtin_expect(spin_is_l2_(at), 1) || !(spin_is_of_my_cluster_(at) || spin_is_own_l1_(at)))
		return 0;
	__atomic_fetch_add(at, 0, __ATOMIC_RELAXED); /* a bad address traps here, before the guard is entered */
	return 1;
}

/* Adds `addend` to a word if its bits in `mask` equal `want`, excluding all other HPUs of the NIC. Returns the old value. */
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

/* There is no compare-and-swap AMO. The difference is added, so that concurrent additions are not lost. */
SPIN_INLINE _Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap)
{
	return spin_change_(at, swap - expect, ~0u, expect) == expect;
}

/* Sets *low to the host address of a naturally aligned word. Returns 0 if it is outside the space or not aligned. */
SPIN_INLINE _Bool spin_host_word_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t bytes, uint32_t *low)
{
	if (!spin_in_space_(packet, space, at, bytes))
		return 0;
	if (spin_in_pieces_(packet, space)) { /* segments are multiples of 8 bytes, so no word spans two */
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
 * The lock for atomic operations on host memory: odd while it is held, and a different even number after each write, so that a reader
 * without the lock can tell whether the word may have changed. Returns its previous value.
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
