/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Straight code for the instruction cache. straight_N: N instructions, the return on a line of its own. different_BYTES_i:
 * BYTES of code with addi and bnez at its end, as often as the task's size of handler memory says.
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

	.macro STRAIGHT instructions
	FUNC straight_\instructions
	.rept \instructions
	addi	t0, t0, 1
	.endr
	ret
	.endm
	STRAIGHT 512
	STRAIGHT 900
	STRAIGHT 1800

	/* before the line's last word, where the next one is asked for */
	FUNC jump_to_cold
	nop
	j	1f
	nop
	nop
	nop
	nop
	nop
	nop
1:	ret

	.macro PASSES bytes number
	FUNC different_\bytes\()_\number
	lw	t1, 0(a0)
	nop
	lw	t5, 4(t1)
	nop
1:	.rept	\bytes / 4 - 2
	addi	t0, t0, 1
	.endr
	addi	t5, t5, -1
	bnez	t5, 1b
	ret
	.endm
	.macro EIGHT bytes
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	PASSES \bytes \number
	.endr
	.endm
	EIGHT 256
	EIGHT 512
	EIGHT 1024
