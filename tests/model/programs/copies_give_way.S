/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers for tests/model/copies_give_way.c, which tests that loads go before packet copies. empty: returns at once. loads: 128 loads from
 * the packet in L2.
 */
	.section .text.hpu, "ax"
	.option norvc
	.balign 64
	.globl empty
empty:
	ret

	.balign 64
	.globl loads
loads:
	lw	t0, 0(a0)
	lw	a3, 0x3c(t0)
	li	t1, 16
1:	.rept	8
	lw	t2, 0(a3)
	.endr
	addi	t1, t1, -1
	bnez	t1, 1b
	ret
