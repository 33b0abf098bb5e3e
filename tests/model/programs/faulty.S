/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that fail in different ways, each in its first or second instruction, and one that does not (good).
 * tests/model/traffic_that_does_not_fit.c checks that the NIC model reports the fault with its address.
 */
	.macro	handler name
	.section .text.hpu, "ax"
	.balign	16
	.globl	\name
	.type	\name, @function
\name:
	.endm

	handler	good
	ret
	.size	good, . - good

	handler	illegal
	.word	0
	.size	illegal, . - illegal

	handler	wild
	lw	a0, 0(zero)
	ret
	.size	wild, . - wild

	handler	endless
	j	endless
	.size	endless, . - endless

	handler	reserves
	lr.w	a0, (sp)
	ret
	.size	reserves, . - reserves
