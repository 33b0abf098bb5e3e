/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Straight code for the instruction cache. straight_N: N instructions on whole lines, the last one the return. filler: what is in
 * the cache before; it may be entered anywhere. different_i, if BYTES is set: a loop of BYTES of code with addi and bnez at its
 * end, as often as the task's size of handler memory says; each is aligned to BYTES.
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
	.rept \instructions - 1
	addi	t0, t0, 1
	.endr
	ret
	.endm
#ifndef BYTES
	STRAIGHT 512
	STRAIGHT 900
	STRAIGHT 1800

	/* before the last word of the line, where the next line is requested */
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

	FUNC filler
	.rept 4 * 509 + 3
	addi	t0, t0, 1
	.endr
	ret
	.globl filler_end
filler_end:
#else
	.macro PASSES number
	.balign	BYTES
	FUNC different_\number
	lw	t1, 0(a0)
	nop
	lw	t5, 4(t1)
	nop
1:	.rept	BYTES / 4 - 2
	addi	t0, t0, 1
	.endr
	addi	t5, t5, -1
	bnez	t5, 1b
	ret
	.endm
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	PASSES \number
	.endr

	FUNC filler
	.rept 4 * 310 + 3
	addi	t0, t0, 1
	.endr
	ret
	.globl filler_end
filler_end:
#endif
