/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that wait for the host, spin and fail, for HPUs (modelled cores) with several threads: threads_take_turns.c and
 * no_task_is_lost.c in tests/model. a0: the argument structure of boot.S.
 */
#include "hwmodel/include/hwmodel/registers.h"

#define CYCLES_OF_A_TURN 4

	.section .text.hpu, "ax"
	.option norvc

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	/* Reads 64 bytes from the host to the packet's address in L1 and waits for completion. */
	.macro READ
	li t0, HPU_DRIVER
	lw t1, HPU_TASK + 8(t0)
	li t2, 64
	sw zero, HPU_COMMAND_WORD(t0)
	sw zero, HPU_COMMAND_WORD + 4(t0)
	sw t1, HPU_COMMAND_WORD + 8(t0)
	sw t2, HPU_COMMAND_WORD + 12(t0)
	sw zero, HPU_COMMAND_WORD + 16(t0)
	sw zero, HPU_COMMAND_INFO(t0)
	lw t3, HPU_COMMAND_ISSUE(t0)
	sw t3, HPU_COMMAND_WAIT(t0)
	.endm

	.macro BUSY cycles
	li t0, \cycles / CYCLES_OF_A_TURN
7:	addi t0, t0, -1
	bnez t0, 7b
	.endm

	FUNC reads
	READ
	ret

	FUNC reads_twice
	READ
	READ
	ret

	FUNC reads_and_works
	READ
	BUSY 400
	ret

	FUNC works
	BUSY 400
	ret

	/* Issues ten reads in a row without a wait. There are four or more slots. */
	FUNC issues
	li t0, HPU_DRIVER
	lw t1, HPU_TASK + 8(t0)
	li t2, 64
	sw zero, HPU_COMMAND_WORD(t0)
	sw zero, HPU_COMMAND_WORD + 4(t0)
	sw t1, HPU_COMMAND_WORD + 8(t0)
	sw t2, HPU_COMMAND_WORD + 12(t0)
	sw zero, HPU_COMMAND_WORD + 16(t0)
	sw zero, HPU_COMMAND_INFO(t0)
	.rept 10
	lw t3, HPU_COMMAND_ISSUE(t0)
	.endr
	ret

	FUNC reads_and_traps
	READ
	lw t0, 0(zero)
	ret

	FUNC endless
	READ
1:	j 1b

	/* Takes a lock in L2 by LR and SC, and holds it while it waits for the host. */
	FUNC locks
	la t4, l2_lock
	li t5, 1
1:	lr.w t6, (t4)
	bnez t6, 1b
	sc.w t6, t5, (t4)
	bnez t6, 1b
	READ
	sw zero, 0(t4)
	ret

	/* Same in L1, by AMOs. */
	FUNC locks_l1
	li t4, L1_OWN + 0x80000
	li t5, 1
1:	amoswap.w t6, t5, (t4)
	bnez t6, 1b
	READ
	sw zero, 0(t4)
	ret

	/* Yields until `writes` has written the word. */
	FUNC yields
	li t0, HPU_DRIVER
	li t1, HPU_YIELD
	li t4, L1_OWN + 0x80000
1:	sw t1, HPU_COMMAND_TEST(t0)
	lw t6, 0(t4)
	beqz t6, 1b
	ret
	FUNC writes
	READ
	li t4, L1_OWN + 0x80000
	li t5, 1
	sw t5, 0(t4)
	ret

	/* Stores its number in a word of its own and on its stack. Neither may change while it waits. */
	FUNC marks
	lw t4, 4(a0)
	slli t5, t4, 2
	li t6, L1_OWN + 0x80000
	add t5, t5, t6
	lw t6, 0(t5)
	bnez t6, 2f
	addi t4, t4, 1
	sw t4, 0(t5)
	mv a1, sp
	sw t4, -16(sp)
	READ
	lw t6, 0(t5)
	bne t6, t4, 2f
	lw t6, -16(a1)
	bne t6, t4, 2f
	sw zero, 0(t5)
	ret
2:	lw t0, 0(zero)
	ret

	.section .bss.l2_lock, "aw", @nobits
	.balign 4
l2_lock:
	.space 4
