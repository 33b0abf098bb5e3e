/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Straight code, with which tests/accuracy/cache.c measures misses of the model's instruction cache against PsPIN's RTL. Without BYTES:
 * straight_N has N instructions from a line's start on, the last one is the return. With BYTES (one image for each of three values, see
 * Makefile): different_i is a loop of BYTES bytes of code, aligned to BYTES, that ends with addi and bnez; the task's handler_mem_size is
 * the number of iterations. filler, in all images: fills the cache before a measurement, and may be entered at any instruction.
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

	/* the jump is before the last word of its line, at which the next line is requested */
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
