/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that take a lock four times, for the rows lock_try and lock_back_off of tests/accuracy/memory.c: 4 x {lock; load, +1, store;
 * unlock}. Lock and word are in two banks of the own L1. This is the code that gcc 12.2 -O3 generates for loops over PsPIN's library:
 * try_lock is an AMO that sets bit 0, lock waits 32 cycles after a failed attempt (4 per iteration of the inner loop), unlock stores 0 with
 * an AMO. The alignment of the measured code to 16-byte lines is unknown; here it makes no branch slower.
 */
	.section .text.hpu, "ax"
	.option norelax

	.macro FUNC name
	.globl \name
	.type \name, @function
	.globl \name\()_from
\name:
\name\()_from:
	.endm

	.balign 16
	FUNC lock_try
	li	a1, 4
	li	a3, 1
	lui	a4, 0x1b090
1:	amoor.w	a5, a3, (a4)
	bnez	a5, 1b
	lw	a2, 4(a4)
	addi	a2, a2, 1
	sw	a2, 4(a4)
	amoswap.w zero, a5, (a4)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret

	.balign 16
	.skip 10
	FUNC lock_back_off
	li	a1, 4
	li	a3, 1
	lui	a4, 0x1b090
	li	a2, 32
	li	a0, 0
1:	amoor.w	a5, a3, (a4)
	beqz	a5, 4f
2:	li	a5, 4
	bge	a5, a2, 1b
	li	a5, 8
3:	addi	a5, a5, -1
	bnez	a5, 3b
	amoor.w	a5, a3, (a4)
	bnez	a5, 2b
4:	lw	a5, 4(a4)
	addi	a5, a5, 1
	sw	a5, 4(a4)
	amoswap.w zero, a0, (a4)
	addi	a1, a1, -1
	bnez	a1, 1b
	ret
