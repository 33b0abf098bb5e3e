/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers of known length, which the rows of `make accuracy` run on the model (path.c, schedule.c, memory.c, cache.c in tests/accuracy).
 * busy_N occupies an HPU (a RISC-V core of the NIC) for N cycles, from the task's start to the doorbell that reports its end. The runtime
 * around a handler takes 7 of them, so the body takes N - 7. empty only returns.
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
