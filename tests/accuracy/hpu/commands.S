/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that issue NIC commands (send, DMA to and from the host, direct host write), for the rows of tests/accuracy/commands.c. The
 * cycles from the label NAME_from to the return are compared with PsPIN's RTL.
 *	api_KIND_BYTES      the loop of PsPIN's API, 8 iterations of 7 register accesses, addi, bnez: 11 cycles; _from is the first issue
 *	tight_KIND_BYTES_N  writes the command's words once, then issues it N times; _from is the first issue
 *	wait_KIND_BYTES     issues one command, then waits for it and runs a nop; _from is the wait
 *	eight_*, copy_*     eight commands in a row; copies by the cluster's DMA engine: see there
 */
#include "hwmodel/include/hwmodel/registers.h"

	.section .text.hpu, "ax"
	.option norvc
	.option norelax

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	/*
	 * Both macros load the registers that SEND, HOST_DMA and HOST_DIRECT write to the HPU driver (a6): t1 NIC address, t2 length, t3
	 * info (the kind of command), t4 direction, a2 and a3 host address; t5 counts the loop. This one has 8 instructions, the next 12.
	 */
	.macro SEND_ARGUMENTS bytes field info direction
	lw	t0, 0(a0)
	li	a6, HPU_DRIVER
	li	t2, \bytes
	lw	t1, \field(t0)
	li	t3, \info
	li	t5, 8
	nop
	nop
	.endm
	.macro HOST_ARGUMENTS bytes field info direction
	lw	t0, 0(a0)
	li	a6, HPU_DRIVER
	li	t2, \bytes
	lw	t1, \field(t0)
	lw	a2, 0x30(t0)
	lw	a3, 0x34(t0)
	li	t3, \info
	li	t4, \direction
	li	t5, 8
	nop
	nop
	nop
	.endm
	.macro SEND
	sw	zero, 0x90(a6)
	sw	zero, 0x94(a6)
	sw	t1, 0x98(a6)
	sw	zero, 0x9c(a6)
	sw	t2, 0xa0(a6)
	sw	t3, HPU_COMMAND_INFO(a6)
	.endm
	.macro HOST_DMA
	sw	a3, 0x90(a6)
	sw	a2, 0x94(a6)
	sw	t1, 0x98(a6)
	sw	t2, 0x9c(a6)
	sw	t4, 0xa0(a6)
	sw	t3, HPU_COMMAND_INFO(a6)
	.endm
	.macro HOST_DIRECT
	sw	a3, 0x90(a6)
	sw	a2, 0x94(a6)
	sw	t2, 0x98(a6)
	sw	zero, 0x9c(a6)
	sw	zero, 0xa0(a6)
	sw	t3, HPU_COMMAND_INFO(a6)
	.endm

	/* api_NAME_from is the issue. The loop begins on a cache line. */
	.macro API name arguments words bytes field info direction
	FUNC api_\name
	\arguments \bytes \field \info \direction
	.balign 16
1:	\words
	.globl api_\name\()_from
api_\name\()_from:
	lw	t6, HPU_COMMAND_ISSUE(a6)
	addi	t5, t5, -1
	bnez	t5, 1b
	ret
	.endm
	.macro TIGHT name times arguments words bytes field info direction
	FUNC tight_\name\()_\times
	\arguments \bytes \field \info \direction
	\words
	.globl tight_\name\()_\times\()_from
tight_\name\()_\times\()_from:
	.rept	\times
	lw	t6, HPU_COMMAND_ISSUE(a6)
	.endr
	ret
	.endm
	.macro WAIT name arguments words bytes field info direction
	FUNC wait_\name
	\arguments \bytes \field \info \direction
	\words
	lw	t6, HPU_COMMAND_ISSUE(a6)
	.globl wait_\name\()_from
wait_\name\()_from:
	sw	zero, HPU_COMMAND_WAIT(a6)
	nop				/* a return would hide one cycle of the wait */
	ret
	.endm
	.macro SIZES name arguments words field info direction
	.irp bytes, 64, 128, 256
	TIGHT \name\()_\bytes 8 \arguments \words \bytes \field \info \direction
	TIGHT \name\()_\bytes 24 \arguments \words \bytes \field \info \direction
	.endr
	.irp bytes, 64, 512, 1024
	API \name\()_\bytes \arguments \words \bytes \field \info \direction
	.endr
	.irp bytes, 64, 256, 1024
	WAIT \name\()_\bytes \arguments \words \bytes \field \info \direction
	.endr
	.endm
	.set PACKET_L1, 8
	.set PACKET_L2, 0x3c
	SIZES send_l1 SEND_ARGUMENTS SEND PACKET_L1 2 0
	SIZES send_l2 SEND_ARGUMENTS SEND PACKET_L2 2 0
	SIZES to_host_l1 HOST_ARGUMENTS HOST_DMA PACKET_L1 0 1
	SIZES to_host_l2 HOST_ARGUMENTS HOST_DMA PACKET_L2 0 1
	SIZES from_host HOST_ARGUMENTS HOST_DMA PACKET_L1 0 0
	API host_write_8 HOST_ARGUMENTS HOST_DIRECT 17 PACKET_L1 4 0
	TIGHT host_write_8 8 HOST_ARGUMENTS HOST_DIRECT 17 PACKET_L1 4 0
	TIGHT host_write_8 24 HOST_ARGUMENTS HOST_DIRECT 17 PACKET_L1 4 0
	WAIT host_write_8 HOST_ARGUMENTS HOST_DIRECT 17 PACKET_L1 4 0

	/* Eight commands; with 4 instructions before them, 60 instructions in total. */
	.macro EIGHT name words info
	FUNC eight_\name
	lw	t0, 0(a0)
	li	a6, HPU_DRIVER
	lw	a2, 0x30(t0)
	lw	a3, 0x34(t0)
	.globl eight_\name\()_from
eight_\name\()_from:
	lw	t1, 8(t0)
	li	t2, 17
	li	t3, \info
	nop
	.rept 8
	\words
	lw	t6, HPU_COMMAND_ISSUE(a6)
	.endr
	ret
	.endm
	EIGHT sends SEND 2
	EIGHT host_writes HOST_DIRECT 4

	/*
	 * Cluster DMA. From NAME_from on: 7 cycles to the issue (9 from an L1 to itself), polls every 5 cycles, 1 cycle after the last.
	 * late 1: for 2048 bytes one more instruction. late 2: a 2-byte one, so that the polls' load spans two cache lines and polls are
	 * 6 cycles apart.
	 */
	.macro COPY name from to bytes extra late
	FUNC copy_\name\()_\bytes
	.if \from == OWN_PACKET
	lw	t1, 0(a0)
	nop
	lw	t1, 0x3c(t1)
	.else
	li	t1, \from
	.endif
	li	t0, HPU_DMA
	sw	zero, 4(t0)
	sw	zero, 12(t0)
	li	t2, \to
	li	t3, \bytes
	.balign 16
	.globl copy_\name\()_\bytes\()_from
copy_\name\()_\bytes\()_from:
	.rept \extra
	nop
	.endr
	.if \bytes == 2048 && \late == 1
	nop
	.elseif \bytes == 2048 && \late == 2
	.option push
	.option rvc
	c.nop
	.option pop
	.endif
	nop
	nop
	nop
	sw	t1, 0(t0)
	sw	t2, 8(t0)
	sw	t3, 16(t0)
	lw	t4, DMA_LAUNCH(t0)
1:	lw	t5, DMA_DONE(t0)
	bltu	t5, t4, 1b
	nop
	ret
	.endm
	.macro COPIES name from to extra=0 late=0
	.irp bytes, 4, 64, 256, 512, 1024, 2048
	COPY \name \from \to \bytes \extra \late
	.endr
	.endm
	.set OWN_PACKET, 0
	COPIES l2_packet_l1 OWN_PACKET 0x1b090000 0 2
	COPIES l2_handler_l1 0x1c310000 0x1b090000 0 1
	COPIES own_l1 0x1b090000 0x1b094000 2 1
	COPIES remote_l1 0x1b090000 0x10490000
	COPIES l1_l2_handler 0x1b090000 0x1c310000
