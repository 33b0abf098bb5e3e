/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers for tests/model/commands_share_the_port.c: they issue commands between a memory of their cluster and the host or the wire, 1024
 * bytes each. The test checks how long these take together. a0 points to the arguments (task descriptor first).
 */
#include "hwmodel/include/hwmodel/registers.h"

	.set PAIRS, 24

	.section .text.hpu, "ax"
	.option norvc

	.macro COMMAND w0 w1 w2 w3 w4 info
	sw	\w0, HPU_COMMAND_WORD(t0)
	sw	\w1, HPU_COMMAND_WORD + 4(t0)
	sw	\w2, HPU_COMMAND_WORD + 8(t0)
	sw	\w3, HPU_COMMAND_WORD + 12(t0)
	sw	\w4, HPU_COMMAND_WORD + 16(t0)
	li	t1, \info
	sw	t1, HPU_COMMAND_INFO(t0)
	lw	t1, HPU_COMMAND_ISSUE(t0)
	.endm

	/* Alternates reads from the host and sends; `field` of the task is the packet's address. */
	.macro FUNCTION name field reads
	.balign 16
	.globl \name
	.type \name, @function
\name:
	lw	t2, 0(a0)
	li	t0, HPU_DRIVER
	lw	t3, \field(t2)
	lw	t4, 0x30(t2)
	lw	t5, 0x34(t2)
	li	t6, 1024
	li	a2, PAIRS
	addi	a3, t3, 1024
1:	.if \reads
	COMMAND	t5 t4 t3 t6 zero HPU_COMMAND_HOST_DMA
	.endif
	COMMAND	zero zero a3 zero t6 HPU_COMMAND_NIC_SEND
	addi	a2, a2, -1
	bnez	a2, 1b
	ret
	.endm

	FUNCTION both_in_l1 8 1
	FUNCTION sends_in_l1 8 0
	FUNCTION both_in_l2 0x3c 1

	/* Reads from the host, 9 lines each, of which `lines` are before the end of a 4-KiB page. */
	.macro READS name lines
	.balign 16
	.globl \name
	.type \name, @function
\name:
	lw	t2, 0(a0)
	li	t0, HPU_DRIVER
	li	t3, 0x10091000 - 64 * \lines
	lw	t4, 0x30(t2)
	lw	t5, 0x34(t2)
	li	t6, 576
	COMMAND	t5 t4 t3 t6 zero HPU_COMMAND_HOST_DMA
	.rept	PAIRS - 1
	lw	t1, HPU_COMMAND_ISSUE(t0)
	.endr
	ret
	.endm
	READS reads_in_a_page 9
	READS reads_1_and_8 1
	READS reads_7_and_2 7
	READS reads_8_and_1 8

	/* Writes to the host: both sides touch as many lines, but the first line at the host needs two lines of L1. */
	.balign 16
	.globl apart_to_host
	.type apart_to_host, @function
apart_to_host:
	lw	t2, 0(a0)
	li	t0, HPU_DRIVER
	lw	t3, 8(t2)
	lw	t4, 0x30(t2)
	lw	t5, 0x34(t2)
	li	t6, 490
	li	a4, 1
	addi	t3, t3, 16
	addi	t5, t5, 8
	COMMAND	t5 t4 t3 t6 a4 HPU_COMMAND_HOST_DMA
	.rept	PAIRS - 1
	lw	t1, HPU_COMMAND_ISSUE(t0)
	.endr
	ret

	/* Three sends, concurrent with 64 loads from one bank of L1. */
	.macro LOADS name field
	.balign 16
	.globl \name
	.type \name, @function
\name:
	lw	t2, 0(a0)
	li	t0, HPU_DRIVER
	lw	a3, \field(t2)
	li	t6, 1024
	.rept	3
	COMMAND	zero zero a3 zero t6 HPU_COMMAND_NIC_SEND
	.endr
	.rept	64
	lw	t3, 0(sp)
	.endr
	ret
	.endm
	LOADS loads_amid_sends_of_l1 8
	LOADS loads_amid_sends_of_l2 0x3c
