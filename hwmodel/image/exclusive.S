/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spin_change_: looks at a word and changes it, one HPU of the NIC at a time. Included by boot.S and called by
 * <spin/target/rv32_atomic.h>, which says why LR/SC and AMOs alone do not do. A word's stripe is a hash of its address.
 * Invariant: in a stripe there is at most one HPU.
 *
 * It takes two steps:
 *
 *   HPUs of a cluster take a bit in their own L1 by an AMO, which returns the old value there.
 *
 *   Clusters take turns by the one-bit algorithm (Burns and Lynch 1980, Lamport 1986), which needs loads, stores and a bit for each
 *   cluster. The bits are in cluster 0's L1 and change by AMOs whose results are not used. Bit i, the claim: cluster i is inside or
 *   wants to be. It makes way for those below and waits until those above have left. Bit 16 + i: it has come and has not left.
 *   A cluster that has met others lets them go first the next time, so that none starves. NICs of more than 16 clusters do this twice:
 *   among 16 neighbours, and among the groups of 16.
 *
 * Each HPU notes its stripe. One that traps inside leaves in the trap handler. One that the NIC takes back (the model's watchdog;
 * PsPIN has none) leaves when it comes the next time. The bit and the note change in one block of code, which the watchdog does not
 * divide.
 *
 * Registers while an HPU is inside: a1: the stripe's bit, a2: EXCLUSIVE, a3: EXCLUSIVE + the HPU's number, a4: the word of claims, a5: the own
 * bits in it (0: the NIC has more than 16 clusters).
 */

/* In each L1 behind what pspin.ld lets others use. Boot prepares it (init_exclusive). */
#define EXCLUSIVE          0x1b0ffc00
#define EXCLUSIVE_HELD     0   /* a bit for each stripe: an HPU of this cluster is inside, or waits for the other clusters */
#define EXCLUSIVE_POLITE   4   /* a bit for each stripe: others were there when this cluster was inside */
#define EXCLUSIVE_BITS     8   /* the cluster's in claims, where the NIC has no more than 16; else 0, */
#define EXCLUSIVE_GROUP    12  /* and the group's, */
#define EXCLUSIVE_MEMBER   48  /* the cluster's in its group, */
#define EXCLUSIVE_WORDS    52  /* and where the group's claims are */
#define EXCLUSIVE_NOTES    16  /* a byte for each HPU: 1 + its stripe, or 0 */
#define EXCLUSIVE_CLAIMS   64  /* cluster 0's: for each group of 16 clusters a word for each stripe, */
#define EXCLUSIVE_GROUPS   448 /* and one for each stripe among the groups */
#define EXCLUSIVE_GUARDS   576 /* a word for each HPU: the guard that says it is alone, or 0 */
#define EXCLUSIVE_BYTES    704
#define EXCLUSIVE_GROUP_SHIFT 7 /* of EXCLUSIVE_CLAIMS: 32 words */

#define EXCLUSIVE_ARBITER  (EXCLUSIVE - L1_OWN + L1_GLOBAL)
#define EXCLUSIVE_POLLS    16 /* while others go first */
#define CSR_UHARTID        0x014
#define L1_SHIFT           22
#define L2                 0x1c000000 /* all below is L1 */

/* On the stack, behind a0 to a5. */
#define FRAME_HAVE  24 /* what the word was */
#define FRAME_GUARD 28
#define FRAME_T0    32
#define FRAME_RA    36
#define FRAME_A6    40
#define FRAME_BYTES 48

	.macro exclusive_self
	csrr	a3, CSR_UHARTID
	lui	a2, %hi(EXCLUSIVE)
	addi	a2, a2, %lo(EXCLUSIVE)
	andi	a3, a3, 31
	add	a3, a3, a2
	.endm

	/* a4: the word of stripe a0 at \at. Changes a0. */
	.macro exclusive_word at
	slli	a0, a0, 2
	lui	a4, %hi(\at)
	add	a4, a4, a0
	addi	a4, a4, %lo(\at)
	.endm

	/* a0: the stripe, of one who is inside. */
	.macro exclusive_stripe
	lbu	a0, EXCLUSIVE_NOTES(a3)
	addi	a0, a0, -1
	.endm

	/*
	 * Called with jal t0. t1: the word's address, t2: what is added to it, t3 and t4: only if it is t4 in the bits of t3. Returns in t1
	 * what it was. Keeps all other registers, so that callers need not be made as those of functions are. The word is in L2, or in
	 * an L1 that has a guard (struct spin_guard_). Whole 32-bit instructions: the timing is the same in every image.
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
try:
	exclusive_self
	lbu	a4, EXCLUSIVE_NOTES(a3)
	li	a1, 1
	sll	a1, a1, a0
	bnez	a4, taken_back
	/* no branch from here to the note */
	amoor.w	a4, a1, (a2)
	and	a4, a4, a1
	snez	a4, a4
	addi	a4, a4, -1		/* all bits, if it was free */
	addi	a5, a0, 1
	and	a5, a5, a4
	sb	a5, EXCLUSIVE_NOTES(a3)
	beqz	a4, held
	lw	a5, EXCLUSIVE_BITS(a2)
	lw	a4, EXCLUSIVE_POLITE(a2)
	beqz	a5, many
	and	a4, a4, a1
	bnez	a4, let_others
ask:
	exclusive_word EXCLUSIVE_ARBITER + EXCLUSIVE_CLAIMS
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
	beqz	a5, leave_many
	not	a5, a5
	amoand.w zero, a5, (a4)
	/* no branch from the note to the end */
	not	a1, a1
	sb	zero, EXCLUSIVE_NOTES(a3)
	amoand.w zero, a1, (a2)
left:
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

	/* Another HPU of this cluster is inside. A word that is not as it has to be ends the wait. */
held:
	lui	a4, %hi(HPU_DRIVER)
	li	a5, HPU_YIELD
	sw	a5, HPU_COMMAND_TEST(a4)
	beqz	t3, try
	lw	a4, 0(t1)
	xor	a5, a4, t4
	and	a5, a5, t3
	beqz	a5, try
	mv	t1, a4
	j	end

meet_others:
	sw	ra, FRAME_RA(sp)
	jal	ra, claim_met
	lw	ra, FRAME_RA(sp)
	exclusive_self
	j	inside

	/* a0: the stripe. */
let_others:
	not	a4, a1
	addi	a3, a2, EXCLUSIVE_POLITE
	amoand.w zero, a4, (a3)
	slli	a3, a0, 2
	lui	a4, %hi(EXCLUSIVE_ARBITER + EXCLUSIVE_CLAIMS)
	add	a4, a4, a3
	li	a3, EXCLUSIVE_POLLS
1:	lw	a5, %lo(EXCLUSIVE_ARBITER + EXCLUSIVE_CLAIMS)(a4)
	srli	a5, a5, 16
	beqz	a5, 2f
	addi	a3, a3, -1
	bnez	a3, 1b
2:	exclusive_self
	lw	a5, EXCLUSIVE_BITS(a2)
	j	ask

	/* More than 16 clusters. a0: the stripe, a5: 0. */
many:
	sw	ra, FRAME_RA(sp)
	lw	a4, EXCLUSIVE_WORDS(a2)
	slli	a0, a0, 2
	add	a4, a4, a0
	lw	a5, EXCLUSIVE_MEMBER(a2)
	jal	ra, claim
	exclusive_self
	exclusive_stripe
	exclusive_word EXCLUSIVE_ARBITER + EXCLUSIVE_GROUPS
	lw	a5, EXCLUSIVE_GROUP(a2)
	jal	ra, claim
	lw	ra, FRAME_RA(sp)
	exclusive_self
	li	a5, 0
	j	inside

leave_many:
	sw	t0, FRAME_T0(sp)
	exclusive_stripe
	jal	t0, exclusive_leave
	lw	t0, FRAME_T0(sp)
	j	left

	/* The guard's stripe is the word's. The load is first, so that a word that is nowhere traps before others have to wait. */
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

	/* This HPU's last task was ended inside. */
taken_back:
	sw	t0, FRAME_T0(sp)
	jal	t0, spin_exclusive_trapped_
	lw	t0, FRAME_T0(sp)
	j	again

	/* Called with jal ra. a1, a2, a4 and a5 as above. Returns when they are inside. Changes a0 and a3. */
claim:
	amoor.w	zero, a5, (a4)
	lw	a0, 0(a4)
	beq	a0, a5, 3f
claim_met: /* a0: the word, with others' bits */
	slli	a3, a5, 16
	srli	a3, a3, 16		/* the own claim */
	addi	a3, a3, -1
	and	a3, a3, a0
	bnez	a3, make_way
	slli	a3, a5, 17
	neg	a3, a3			/* those above, 16 bits up */
1:	slli	a0, a0, 16
	and	a0, a0, a3
	beqz	a0, 2f
	lw	a0, 0(a4)
	j	1b
2:	addi	a3, a2, EXCLUSIVE_POLITE
	amoor.w	zero, a1, (a3)
3:	jr	ra

make_way:
	slli	a0, a5, 16
	srli	a0, a0, 16
	not	a3, a0
	amoand.w zero, a3, (a4)
	addi	a0, a0, -1
4:	lw	a3, 0(a4)
	and	a3, a3, a0
	bnez	a3, 4b
	j	claim
	.size spin_change_, . - spin_change_

	/* Called with jal t0 by the trap handler: the HPU may have been inside. Changes a0 to a5. */
	.globl spin_exclusive_trapped_
	.type spin_exclusive_trapped_, @function
spin_exclusive_trapped_:
	exclusive_self
	sub	a4, a3, a2
	slli	a4, a4, 2
	add	a4, a4, a2
	lw	a5, EXCLUSIVE_GUARDS(a4)
	beqz	a5, 1f
	sw	zero, 4(a5)
	sw	zero, EXCLUSIVE_GUARDS(a4)
1:	exclusive_stripe
	bgez	a0, exclusive_leave
	jr	t0

	/* Called with jal t0 by who is inside. a0: the stripe. Changes a0 to a5. */
exclusive_leave:
	li	a1, 1
	sll	a1, a1, a0
	lw	a5, EXCLUSIVE_BITS(a2)
	bnez	a5, 1f
	lw	a5, EXCLUSIVE_GROUP(a2)
	exclusive_word EXCLUSIVE_ARBITER + EXCLUSIVE_GROUPS
	not	a5, a5
	amoand.w zero, a5, (a4)
	lw	a4, EXCLUSIVE_WORDS(a2)
	add	a4, a4, a0
	lw	a5, EXCLUSIVE_MEMBER(a2)
	not	a5, a5
	amoand.w zero, a5, (a4)
	j	2f
1:	exclusive_word EXCLUSIVE_ARBITER + EXCLUSIVE_CLAIMS
	not	a5, a5
	amoand.w zero, a5, (a4)
2:	not	a1, a1
	sb	zero, EXCLUSIVE_NOTES(a3)
	amoand.w zero, a1, (a2)
	jr	t0
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
	lui	a1, %hi(spin_clusters_)
	lw	a1, %lo(spin_clusters_)(a1)
	csrr	a2, CSR_UHARTID
	srli	a2, a2, 5		/* cluster */
	li	a3, 0x10001
	andi	a4, a2, 15
	sll	a4, a3, a4
	sw	a4, EXCLUSIVE_MEMBER(a0)
	li	a3, 17
	bltu	a1, a3, 2f
	li	a3, 0x10001
	srli	a2, a2, 4		/* group */
	sll	a4, a3, a2
	sw	a4, EXCLUSIVE_GROUP(a0)
	slli	a2, a2, EXCLUSIVE_GROUP_SHIFT
	li	a4, EXCLUSIVE_ARBITER + EXCLUSIVE_CLAIMS
	add	a4, a4, a2
	sw	a4, EXCLUSIVE_WORDS(a0)
	jr	t0
2:	sw	a4, EXCLUSIVE_BITS(a0)
	jr	t0
	.size init_exclusive, . - init_exclusive
#endif
