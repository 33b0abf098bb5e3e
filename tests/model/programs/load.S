/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers of known length for scheduling_under_load.c and no_task_is_lost.c in tests/model, which run them on all modelled cores. From
 * task to doorbell (the report of the end) a handler is busy for its body plus 7 cycles; the return is the body's last 2.
 */
	.section .text.hpu, "ax"
	.option norvc

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	/* body 2, busy 9 */
	FUNC empty
	ret

	/* An iteration of the loop takes 4 cycles, the last one 2; li takes 1, padding to the line 3, ret 2; the runtime takes 7. */
	.macro BUSY name cycles
	FUNC \name
	li t0, (\cycles - 11) / 4
	.balign 16
1:	addi t0, t0, -1
	bnez t0, 1b
	.rept (\cycles - 11) % 4
	nop
	.endr
	ret
	.endm
	BUSY busy_26, 26
	BUSY busy_90, 90
	BUSY busy_410, 410
	BUSY busy_1010, 1010
	BUSY busy_2010, 2010

	/* One send from L1, not waited for. */
	FUNC sends
	li t0, 0x1b205000
	lw t1, 0x10(t0)
	li t2, 1024
	li t3, 2
	sw zero, 0x90(t0)
	sw zero, 0x94(t0)
	sw t1, 0x98(t0)
	sw zero, 0x9c(t0)
	sw t2, 0xa0(t0)
	sw t3, 0x8c(t0)
	lw t4, 0x80(t0)
	ret
