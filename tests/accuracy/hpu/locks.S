/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * 4 x {lock; load, +1, store; unlock}, one lock of the own L1. The measured programs were C at -O3 with PsPIN's library; these
 * have their cycles when nobody contends: lock 6, unlock 2.
 */
	.section .text.hpu, "ax"
	.option norvc
	.option norelax

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	.macro SECTION_OF backoff
1:	li	t2, 1
	mv	t5, t0
	amoswap.w t2, t2, (t5)
	andi	t2, t2, 1
	.if \backoff
	beqz	t2, 3f
	li	t4, (\backoff - 1) / 4
2:	addi	t4, t4, -1
	bnez	t4, 2b
	j	1b
3:
	.else
	bnez	t2, 1b
	.endif
	lw	t3, 0(t1)
	addi	t3, t3, 1
	sw	t3, 0(t1)
	mv	t5, t0
	amoswap.w zero, zero, (t5)
	.endm

	.macro CRITICAL name backoff
	FUNC \name
	li	t0, 0x1b090000
	addi	t1, t0, 4
	.balign 16
	nop
	nop
	nop
	.globl \name\()_from
\name\()_from:
	nop
	SECTION_OF \backoff
	SECTION_OF \backoff
	SECTION_OF \backoff
	SECTION_OF \backoff
	ret
	.endm
	CRITICAL lock_try 0
	CRITICAL lock_back_off 32
