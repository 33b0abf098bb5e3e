/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers for tests/model/arbiters_take_turns.c, which tests that cores and clusters take turns. sends: sends 32 packets of 1024 bytes
 * from the HPU's (core's) own L1, more commands than the outbound engine queues. body_N: bodies of different lengths.
 */
#include "hwmodel/include/hwmodel/registers.h"

	.section .text.hpu, "ax"
	.option norvc
	.balign 16
	.globl sends
	.type sends, @function
sends:
	li	t0, HPU_DRIVER
	lw	t1, 0x10(t0)
	li	t2, 1024
	li	a2, 32
	sw	zero, HPU_COMMAND_WORD(t0)
	sw	zero, HPU_COMMAND_WORD + 4(t0)
	sw	t1, HPU_COMMAND_WORD + 8(t0)
	sw	zero, HPU_COMMAND_WORD + 12(t0)
	sw	t2, HPU_COMMAND_WORD + 16(t0)
	li	t3, HPU_COMMAND_NIC_SEND
	sw	t3, HPU_COMMAND_INFO(t0)
1:	lw	t4, HPU_COMMAND_ISSUE(t0)
	addi	a2, a2, -1
	bnez	a2, 1b
	ret

	/* A body of 16 nops less `less`, and the return: HPUs that start a cycle apart end at the same time. */
	.macro BODY name less
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.rept	16 - \less
	nop
	.endr
	ret
	.endm
	BODY body_0 0
	BODY body_1 1
	BODY body_2 2
	BODY body_3 3
