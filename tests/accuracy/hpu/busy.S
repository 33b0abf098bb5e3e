/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers of a given length. busy_N takes N cycles from a task's start to its doorbell, so its body takes N - 7. empty only returns.
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

	FUNC empty
	ret

	/* cycles of the body: 1 + 4 * turns - 2 + rest, and 2 for the return */
	.macro BUSY cycles
	FUNC busy_\cycles
	.set turns, (\cycles - 7 - 1) / 4
	.set rest, (\cycles - 7 - 1) % 4
	.if turns
	li	t0, turns
1:	addi	t0, t0, -1
	bnez	t0, 1b
	.else
	nop
	.endif
	.rept rest
	nop
	.endr
	ret
	.endm
	BUSY 26
	BUSY 90
	BUSY 410
	BUSY 1009
	BUSY 2009
