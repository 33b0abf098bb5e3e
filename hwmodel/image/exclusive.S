/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Mutual exclusion among the NIC's cores (HPUs): spin_change_ reads a word and changes it, for one HPU of the NIC at a time. Included by
 * boot.S and called by <spin/target/rv32_atomic.h>, which explains why LR/SC and AMOs alone are not sufficient. The hash of a word's
 * address selects its stripe, one of 32 locks. Invariant: at most one HPU is inside a stripe.
 *
 * Entering takes two steps:
 *
 *   An HPU sets its bit in the stripe's word in its own L1 by an AMO, which returns the old value there. If it was 0, this HPU
 *   represents its cluster. Otherwise it clears its bit, and waits until the word is 0.
 *
 *   Clusters exclude each other by the one-bit algorithm (Burns and Lynch 1980, Lamport 1986), which needs loads, stores and a bit for
 *   each cluster. The bits are in cluster 0's L1 and are changed by AMOs whose results are not used. Bit i, the claim: cluster i is
 *   inside or wants to enter. It withdraws its claim for lower clusters and waits until higher ones have left. Bit 16 + i: cluster i
 *   has arrived and not left. A cluster that has met others lets them go first the next time, so that none of 16 starves. A word has
 *   bits for 16 clusters. If the NIC has more, the words of the others are also read, and lower clusters go first.
 *
 * An HPU may be stopped at any instruction. If it traps, the trap handler releases the stripe for it. If the NIC reclaims it (the
 * model's watchdog; PsPIN has none), it releases the stripe when it next calls spin_change_. An HPU notes its stripe from before it
 * sets its bit until after it has cleared it, and notes that it represents its cluster from before it claims until after it has
 * withdrawn the claim. So either step can be undone, even twice.
 *
 * Registers while an HPU is inside: a1: the stripe's struct in L1, a2: EXCLUSIVE, a3: EXCLUSIVE + the HPU's number, a4: the address of
 * the word of claims, a5: the own bits in it.
 */

/* In each L1, behind the area that pspin.ld allocates. Boot prepares it (init_exclusive). */
#define EXCLUSIVE         0x1b0ffc00
#define EXCLUSIVE_BITS    0   /* the cluster's bits in a word of claims, */
#define EXCLUSIVE_WORDS   4   /* and the address of the first such word */
#define EXCLUSIVE_MANY    8   /* 1: the NIC has more than 16 clusters */
#define EXCLUSIVE_NOTES   16  /* a byte for each HPU: 1 + its stripe, or 0 */
#define EXCLUSIVE_ONES    48  /* a byte for each HPU: 1: it represents its cluster */
#define EXCLUSIVE_STRIPES 128 /* per stripe: the HPUs' bits; then STRIPE_MET: others were met last time (always set if over 16 clusters) */
#define EXCLUSIVE_CLAIMS  384 /* cluster 0's: a word for each stripe for clusters 0 to 15, then for the next 16, ... */
#define EXCLUSIVE_GUARDS  768 /* a word for each HPU: the guard in which it has set `alone`, or 0 */
#define EXCLUSIVE_BYTES   896
#define STRIPE_MET        4
#define CLAIMS_SHIFT      7   /* for each 16 clusters: 32 words */

#define CLAIMS            (EXCLUSIVE - L1_OWN + L1_GLOBAL + EXCLUSIVE_CLAIMS)
#define CLAIMS_END        (CLAIMS + EXCLUSIVE_GUARDS - EXCLUSIVE_CLAIMS)
#define POLLS             16 /* reads while others go first */
#define CSR_UHARTID       0x014
#define L1_SHIFT          22
#define L2                0x1c000000 /* all addresses below are L1 */

/* On the stack, behind a0 to a5. */
#define FRAME_HAVE  24 /* the old value of the word */
#define FRAME_GUARD 28
#define FRAME_T0    32
#define FRAME_RA    36
#define FRAME_A6    40
#define FRAME_BYTES 48

	/* a4: uhartid (the HPU's and the cluster's number), a3: EXCLUSIVE + the HPU's number. */
	.macro exclusive_self
	csrr	a4, CSR_UHARTID
	andi	a3, a4, 31
	add	a3, a3, a2
	.endm
	.macro exclusive_base
	lui	a2, %hi(EXCLUSIVE)
	addi	a2, a2, %lo(EXCLUSIVE)
	.endm

	/* In: a0, a stripe. Out: a0, 4 times the stripe, and a1, its struct. */
	.macro exclusive_stripe
	slli	a0, a0, 2
	add	a1, a2, a0
	add	a1, a1, a0
	addi	a1, a1, EXCLUSIVE_STRIPES
	.endm

	/* Clears the HPU's bit in the word at a1, and its note. Changes a4 and a5. */
	.macro exclusive_clear
	csrr	a4, CSR_UHARTID
	li	a5, 1
	sll	a5, a5, a4
	not	a5, a5
	amoand.w zero, a5, (a1)
	sb	zero, EXCLUSIVE_NOTES(a3)
	.endm

	/*
	 * Called with jal t0. t1: the word's address; t2: the addend; t3 and t4: the word is changed only if its bits in t3 equal t4.
	 * Returns the old value in t1. Keeps all other registers, so that callers need not treat it as a function call. The word is in
	 * L2, or in an L1 that has a guard (struct spin_guard_). Only 32-bit instructions: the timing is the same in every image.
	 */
	.section .text.spin_change_, "ax"
	.balign	16
	.option push
	.option norvc
	.globl spin_change_
	.type spin_change_, @function
spin_change_:
	addi	sp, sp, -FRAME_BYTES
	sw	a0, 0(sp)
	sw	a1, 4(sp)
	sw	a2, 8(sp)
	sw	a3, 12(sp)
	sw	a4, 16(sp)
	sw	a5, 20(sp)
again:
	lui	a0, %hi(L2)
	mv	a4, t1
	bltu	t1, a0, in_l1
hash:
	lui	a0, 0x9e378
	addi	a0, a0, -1615		/* 2^32 / the golden ratio */
	mul	a0, a0, a4
	srli	a0, a0, 27
	exclusive_base
	exclusive_self
	lbu	a5, EXCLUSIVE_NOTES(a3)
	addi	a1, a0, 1
	bnez	a5, taken_back
	sb	a1, EXCLUSIVE_NOTES(a3)
	exclusive_stripe
	li	a5, 1
	sll	a4, a5, a4
	amoor.w	a4, a4, (a1)
	bnez	a4, held
	sb	a5, EXCLUSIVE_ONES(a3)
	lw	a4, STRIPE_MET(a1)
	lw	a5, EXCLUSIVE_BITS(a2)
	bnez	a4, let_others
ask:
	lw	a4, EXCLUSIVE_WORDS(a2)
	add	a4, a4, a0
	amoor.w	zero, a5, (a4)
	lw	a0, 0(a4)
	bne	a0, a5, meet_others
inside:
	lui	a0, %hi(L2)
	bltu	t1, a0, inside_l1
	lw	a0, 0(t1)
	sw	a0, FRAME_HAVE(sp)
	xor	a0, a0, t4
	and	a0, a0, t3
	bnez	a0, leave
	amoadd.w zero, t2, (t1)
leave:
	not	a5, a5
	amoand.w zero, a5, (a4)
	sb	zero, EXCLUSIVE_ONES(a3)
	exclusive_clear
	lw	t1, FRAME_HAVE(sp)
end:
	lw	a0, 0(sp)
	lw	a1, 4(sp)
	lw	a2, 8(sp)
	lw	a3, 12(sp)
	lw	a4, 16(sp)
	lw	a5, 20(sp)
	addi	sp, sp, FRAME_BYTES
	jr	t0

	/* Another HPU of this cluster is inside. The wait ends early if the word does not meet the condition of t3 and t4. */
held:
	exclusive_clear
1:	lui	a4, %hi(HPU_DRIVER)
	li	a5, HPU_YIELD
	sw	a5, HPU_COMMAND_TEST(a4)
	beqz	t3, 2f
	lw	a4, 0(t1)
	xor	a5, a4, t4
	and	a5, a5, t3
	beqz	a5, 2f
	mv	t1, a4
	j	end
2:	lw	a4, 0(a1)
	bnez	a4, 1b
	j	again

	/* a0: the word of claims, with others' bits set. */
meet_others:
	slli	a3, a5, 16
	srli	a3, a3, 16		/* the own claim */
	addi	a3, a3, -1
	and	a3, a3, a0
	bnez	a3, make_way
	slli	a3, a5, 17
	neg	a3, a3			/* bits of higher clusters, 16 bits up */
1:	slli	a0, a0, 16
	and	a0, a0, a3
	beqz	a0, 2f
	lw	a0, 0(a4)
	j	1b
2:	sw	a5, STRIPE_MET(a1)
	csrr	a3, CSR_UHARTID
	andi	a3, a3, 31
	add	a3, a3, a2
	j	inside

make_way:
	slli	a0, a5, 16
	srli	a0, a0, 16
	not	a3, a0
	amoand.w zero, a3, (a4)
	addi	a0, a0, -1
3:	lw	a3, 0(a4)
	and	a3, a3, a0
	bnez	a3, 3b
	amoor.w	zero, a5, (a4)
	lw	a0, 0(a4)
	j	meet_others

	/* a0: four times the stripe. */
let_others:
	lw	a4, EXCLUSIVE_MANY(a2)
	bnez	a4, many
	sw	zero, STRIPE_MET(a1)
	lw	a4, EXCLUSIVE_WORDS(a2)
	add	a4, a4, a0
	li	a5, POLLS
1:	lhu	a3, 2(a4)
	beqz	a3, 2f
	addi	a5, a5, -1
	bnez	a5, 1b
2:	exclusive_self
	lw	a5, EXCLUSIVE_BITS(a2)
	j	ask

	/* let_others for more than 16 clusters. a0: four times the stripe. */
many:
	sw	ra, FRAME_RA(sp)
	lw	a4, EXCLUSIVE_WORDS(a2)
	add	a4, a4, a0
1:	amoor.w	zero, a5, (a4)
	jal	ra, claims_below
	beqz	a0, 3f
	slli	a0, a5, 16
	srli	a0, a0, 16
	not	a0, a0
	amoand.w zero, a0, (a4)
2:	jal	ra, claims_below
	bnez	a0, 2b
	j	1b
3:	slli	a3, a5, 17
	neg	a3, a3
4:	lw	a0, 0(a4)
	slli	a0, a0, 16
	and	a0, a0, a3
	bnez	a0, 4b
	mv	a3, a4
5:	addi	a3, a3, 1 << CLAIMS_SHIFT
	lui	a0, %hi(CLAIMS_END)
	addi	a0, a0, %lo(CLAIMS_END)
	bgeu	a3, a0, 7f
6:	lhu	a0, 0(a3)
	bnez	a0, 6b
	j	5b
7:	lw	ra, FRAME_RA(sp)
	csrr	a3, CSR_UHARTID
	andi	a3, a3, 31
	add	a3, a3, a2
	j	inside

	/* Called with jal ra. Returns a0 nonzero if a lower cluster has a claim, else 0. Changes a3. */
claims_below:
	slli	a3, a5, 16
	srli	a3, a3, 16
	addi	a3, a3, -1
	lw	a0, 0(a4)
	and	a0, a0, a3
	bnez	a0, 2f
	mv	a3, a4
1:	addi	a3, a3, -(1 << CLAIMS_SHIFT)
	lui	a0, %hi(CLAIMS)
	addi	a0, a0, %lo(CLAIMS)
	sltu	a0, a3, a0
	addi	a0, a0, -1		/* 0: no more words */
	beqz	a0, 2f
	lhu	a0, 0(a3)
	beqz	a0, 1b
2:	jr	ra

	/*
	 * The guard's address selects the stripe. The word is loaded first, so that an address without memory traps before others have
	 * to wait.
	 */
in_l1:
	lw	zero, 0(t1)
	lui	a4, %hi(L1_OWN)
	bgeu	t1, a4, 1f
	srli	a4, t1, L1_SHIFT
	slli	a4, a4, L1_SHIFT
	j	2f
1:	csrr	a4, CSR_UHARTID
	srli	a4, a4, 5		/* cluster */
	slli	a4, a4, L1_SHIFT
	lui	a5, %hi(L1_GLOBAL)
	add	a4, a4, a5
2:	lui	a5, %hi(spin_guard_offset_)
	addi	a5, a5, %lo(spin_guard_offset_)
	add	a4, a4, a5
	sw	a4, FRAME_GUARD(sp)
	j	hash

inside_l1:
	sw	a6, FRAME_A6(sp)
	lw	a6, FRAME_GUARD(sp)
	sub	a0, a3, a2
	slli	a0, a0, 2
	add	a0, a0, a2		/* the HPU's word of EXCLUSIVE_GUARDS */
	sw	a6, EXCLUSIVE_GUARDS(a0)
	li	a0, 1
	sw	a0, 4(a6)		/* alone */
1:	lw	a0, 0(a6)		/* inside */
	bnez	a0, 1b
	lw	a0, 0(t1)
	sw	a0, FRAME_HAVE(sp)
	xor	a0, a0, t4
	and	a0, a0, t3
	bnez	a0, 2f
	amoadd.w zero, t2, (t1)
2:	sw	zero, 4(a6)
	sub	a0, a3, a2
	slli	a0, a0, 2
	add	a0, a0, a2
	sw	zero, EXCLUSIVE_GUARDS(a0)
	lw	a6, FRAME_A6(sp)
	j	leave

	/* The NIC ended this HPU's last task while it was inside. */
taken_back:
	sw	t0, FRAME_T0(sp)
	jal	t0, spin_exclusive_trapped_
	lw	t0, FRAME_T0(sp)
	j	again
	.size spin_change_, . - spin_change_

	/* Called with jal t0 by the trap handler: releases the stripe if the HPU was inside. Changes a0 to a5. */
	.globl spin_exclusive_trapped_
	.type spin_exclusive_trapped_, @function
spin_exclusive_trapped_:
	exclusive_base
	exclusive_self
	sub	a4, a3, a2
	slli	a4, a4, 2
	add	a4, a4, a2
	lw	a5, EXCLUSIVE_GUARDS(a4)
	beqz	a5, 1f
	sw	zero, 4(a5)		/* alone */
	sw	zero, EXCLUSIVE_GUARDS(a4)
1:	lbu	a0, EXCLUSIVE_NOTES(a3)
	beqz	a0, 3f
	addi	a0, a0, -1
	exclusive_stripe
	lbu	a4, EXCLUSIVE_ONES(a3)
	beqz	a4, 2f
	lw	a4, EXCLUSIVE_WORDS(a2)
	add	a4, a4, a0
	lw	a5, EXCLUSIVE_BITS(a2)
	not	a5, a5
	amoand.w zero, a5, (a4)
	sb	zero, EXCLUSIVE_ONES(a3)
2:	exclusive_clear
3:	jr	t0
	.option pop
	.size spin_exclusive_trapped_, . - spin_exclusive_trapped_

#ifdef HPU_HAS_EXCLUSIVE
	/* Called with jal t0 by the first HPU of a cluster. Changes a0 to a4. */
	.section .text.init_exclusive, "ax"
	.type init_exclusive, @function
init_exclusive:
	li	a0, EXCLUSIVE
	li	a1, EXCLUSIVE + EXCLUSIVE_BYTES
1:	sw	zero, 0(a0)
	addi	a0, a0, 4
	bltu	a0, a1, 1b
	li	a0, EXCLUSIVE
	csrr	a2, CSR_UHARTID
	srli	a2, a2, 5		/* cluster */
	andi	a3, a2, 15
	li	a4, 0x10001
	sll	a4, a4, a3
	sw	a4, EXCLUSIVE_BITS(a0)
	srli	a2, a2, 4
	slli	a2, a2, CLAIMS_SHIFT
	li	a4, CLAIMS
	add	a4, a4, a2
	sw	a4, EXCLUSIVE_WORDS(a0)
	lui	a1, %hi(spin_clusters_)
	lw	a1, %lo(spin_clusters_)(a1)
	li	a3, 17
	bltu	a1, a3, 2f
	li	a4, 1
	sw	a4, EXCLUSIVE_MANY(a0)
	li	a1, EXCLUSIVE + EXCLUSIVE_STRIPES
	li	a2, EXCLUSIVE + EXCLUSIVE_CLAIMS
1:	sw	a4, STRIPE_MET(a1)
	addi	a1, a1, 8
	bltu	a1, a2, 1b
2:	jr	t0
	.size init_exclusive, . - init_exclusive
#endif
