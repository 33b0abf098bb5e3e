/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that share memory with other HPUs (modelled cores), for tests/model/cores_go_in_order_of_time.c, which checks that no access is
 * lost.
 */
	.section .text.hpu, "ax"
	.option arch, +zicsr
	.option norvc

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	/* 20 times: adds 1 to a word of L2 and of cluster 0's L1, and to a word of the own L1 by load and store; the words are apart. */
	FUNC count
	li t0, 0x1c200000
	li t1, 0x10090000
	li t5, 0x1b0a0000
	csrr t6, 0x014
	andi t6, t6, 31
	slli t6, t6, 8
	add t5, t5, t6
	li t2, 20
	li t3, 1
1:	amoadd.w t4, t3, (t0)
	amoadd.w t4, t3, (t1)
	lw t4, 0(t5)
	addi t4, t4, 1
	sw t4, 0(t5)
	lw t4, 2(t5) # crosses a word
	addi t2, t2, -1
	bnez t2, 1b
	ret

	/* Words in L2: takes a ticket and stores it twice in a pair of words; the next ticket's holder must find both equal (a fence). */
	FUNC pass_on
	li t0, 0x1c210000
	li t3, 1
	amoadd.w t1, t3, (t0)
	slli t2, t1, 3
	add t2, t2, t0
	sw t1, 8(t2)
	sw t1, 12(t2)
	beqz t1, 2f
1:	lw t4, 4(t2)
	addi t5, t4, 1
	bne t5, t1, 1b
	lw t4, 0(t2)
	addi t4, t4, 1
	beq t4, t1, 2f
	li t0, 0x1b205000
	li t1, 0x101
	sw t1, 0x54(t0)
2:	ret

	/* Eight times: adds 1 to a word of the HPU's own, by LR and SC. */
	FUNC reserve_own
	li t0, 0x1c220000
	csrr t6, 0x014
	andi t6, t6, 31
	slli t6, t6, 6
	add t0, t0, t6
	li t2, 8
	j 1f

	/* 20 times: adds 1 to a word of L2, by LR and SC until it succeeds. */
	FUNC reserve
	li t0, 0x1c220000
	li t2, 20
1:	lr.w t1, (t0)
	addi t1, t1, 1
	sc.w t3, t1, (t0)
	bnez t3, 1b
	addi t2, t2, -1
	bnez t2, 1b
	ret
