/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Instruction sequences whose cycles were measured on PsPIN's RTL (calibration rows). calibration_rows.c, every_target_parameter_counts.c
 * and machine_boots_and_recovers.c in tests/model run them on the NIC model. One pair of functions per row: NAME_base, and NAME, which adds
 * the measured sequence, so that the row is the difference of their cycles. t0 to t6 and a1 to a7 are free; a0 points to the arguments.
 */
	/* addresses of words in each memory, and of devices */
	.set L1,      0x1b090000
	.set COMMAND_L1, 0x10090000 /* same address, as commands use it */
	.set REMOTE,  0x10490000
	.set PACKET,  0x1c400000
	.set HANDLER, 0x1c310000
	.set DRIVER,  0x1b205000
	.set DMA,     0x1b204400
	.set TIMES,   8

	.section .text.hpu, "ax"
	.option norvc

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	/* ROW name, address in t0, body... (repeated TIMES times) */
	.macro ROW name addr body:vararg
	FUNC \name\()_base
	li t0, \addr
	li t1, 1
	nop
	nop
	ret
	FUNC \name
	li t0, \addr
	li t1, 1
	nop
	.rept TIMES
	\body
	.endr
	nop
	ret
	.endm

	/* the same for four memories; the address is the first argument */
	.macro ROWS name body:vararg
	ROW \name\()_l1 L1 \body
	ROW \name\()_packet PACKET \body
	ROW \name\()_handler HANDLER \body
	ROW \name\()_remote REMOTE \body
	.endm

	.macro LOAD
	lw t2, 0(t0)
	.endm
	.macro LOAD_USE
	lw t2, 0(t0)
	add t3, t2, t2
	.endm
	.macro STORE
	sw t1, 0(t0)
	.endm
	.macro STORE_ADDS
	sw t1, 0(t0)
	add t3, t1, t1
	add t3, t1, t1
	add t3, t1, t1
	add t3, t1, t1
	.endm
	.macro AMO
	amoadd.w t2, t1, (t0)
	.endm
	.macro AMO_USE
	amoadd.w t2, t1, (t0)
	add t3, t2, t2
	.endm
	.macro LRSC
	lr.w t2, (t0)
	sc.w t3, t1, (t0)
	.endm

	ROWS load LOAD
	ROWS load_use LOAD_USE
	ROWS store STORE
	ROWS store_adds STORE_ADDS
	ROWS amo AMO
	ROWS amo_use AMO_USE
	ROW lrsc_packet PACKET LRSC
	ROW lrsc_handler HANDLER LRSC
	ROW driver_load DRIVER+0x10 LOAD
	ROW driver_store DRIVER+0x90 STORE

	/* pointer chase: the word holds its own address */
	.macro CHASE name addr
	FUNC \name\()_base
	li t0, \addr
	sw t0, 0(t0)
	nop
	nop
	ret
	FUNC \name
	li t0, \addr
	sw t0, 0(t0)
	nop
	.rept TIMES
	lw t0, 0(t0)
	.endr
	nop
	ret
	.endm
	CHASE chase_l1 L1
	CHASE chase_packet PACKET
	CHASE chase_handler HANDLER
	CHASE chase_remote REMOTE

	/* {lw; addi; add; bne} over TIMES and 2 x TIMES words */
	.macro LOOP name addr words
	FUNC \name
	li t0, \addr
	addi t1, t0, 4*(\words)
	.balign 16
1:	lw t2, 0(t0)
	addi t0, t0, 4
	add t3, t3, t2
	bne t0, t1, 1b
	nop
	ret
	.endm
	LOOP loop_l1_base L1 TIMES
	LOOP loop_l1, L1, 2*TIMES
	LOOP loop_packet_base PACKET TIMES
	LOOP loop_packet, PACKET, 2*TIMES

	/* Commands, PsPIN's register layout: 7 accesses. t0 driver, t1 NIC address, t2 length. */
	.macro SEND
	sw zero, 0x90(t0)
	sw zero, 0x94(t0)
	sw t1, 0x98(t0)
	sw zero, 0x9c(t0)
	sw t2, 0xa0(t0)
	sw t3, 0x8c(t0)
	lw t4, 0x80(t0)
	.endm
	.macro HOST_DMA
	sw a2, 0x94(t0)
	sw a3, 0x90(t0)
	sw t1, 0x98(t0)
	sw t2, 0x9c(t0)
	sw t5, 0xa0(t0)
	sw t3, 0x8c(t0)
	lw t4, 0x80(t0)
	.endm
	.macro DIRECT
	sw a2, 0x94(t0)
	sw a3, 0x90(t0)
	sw t2, 0x98(t0)
	sw zero, 0x9c(t0)
	sw zero, 0xa0(t0)
	sw t3, 0x8c(t0)
	lw t4, 0x80(t0)
	.endm
	/* The base has no wait. */
	.macro COMMAND name cmd info dir addr len
	FUNC \name\()_base
	li t0, DRIVER
	li t1, \addr
	li t2, \len
	li t3, \info
	li t5, \dir
	lw a2, 0x38(t0)
	lw a3, 0x3c(t0)
	\cmd
	nop
	ret
	FUNC \name
	li t0, DRIVER
	li t1, \addr
	li t2, \len
	li t3, \info
	li t5, \dir
	lw a2, 0x38(t0)
	lw a3, 0x3c(t0)
	\cmd
	sw zero, 0x84(t0)
	nop
	ret
	.endm
	.macro COMMANDS name cmd info dir addr
	COMMAND \name\()_64 \cmd \info \dir \addr 64
	COMMAND \name\()_1024 \cmd \info \dir \addr 1024
	.endm
	COMMANDS send_l1 SEND 2 0 COMMAND_L1
	COMMANDS send_l2 SEND 2 0 PACKET
	COMMANDS to_host_l1 HOST_DMA 0 1 COMMAND_L1
	COMMANDS to_host_l2 HOST_DMA 0 1 PACKET
	COMMANDS from_host HOST_DMA 0 0 COMMAND_L1
	COMMAND direct_8 DIRECT 4 0 L1 17

	/* eight in a row: complete sends, and issues only (words written once) */
	.macro MANY name head times
	FUNC \name
	li t0, DRIVER
	li t1, COMMAND_L1
	li t2, 64
	li t3, 2
	\head
	.rept \times
	\name\()_one
	.endr
	nop
	ret
	.endm
	.macro sends_8_one
	SEND
	.endm
	.macro issues_24_one
	lw t4, 0x80(t0)
	.endm
	MANY sends_8 nop 8
	MANY issues_24 SEND 24

	/* Cluster DMA: 7 cycles to issue (9 from L1 to the same L1), polls 5 apart, 1 after the last. */
	.macro COPY name from to bytes extra
	FUNC \name
	li t0, DMA
	sw zero, 4(t0)
	sw zero, 12(t0)
	li t1, \from
	li t2, \to
	li t3, \bytes
	.balign 16
	.globl \name\()_timed
\name\()_timed:
	.rept \extra
	nop
	.endr
	nop
	nop
	nop
	sw t1, 0(t0)
	sw t2, 8(t0)
	sw t3, 16(t0)
	lw t4, 0x18(t0)
1:	lw t5, 0x20(t0)
	bltu t5, t4, 1b
	nop
	nop
	ret
	.endm
	.macro COPIES name from to extra=0
	COPY \name\()_64 \from \to 64 \extra
	COPY \name\()_256 \from \to 256 \extra
	COPY \name\()_512 \from \to 512 \extra
	COPY \name\()_1024 \from \to 1024 \extra
	COPY \name\()_2048 \from \to 2048 \extra
	.endm
	COPIES dma_packet PACKET L1
	COPIES dma_handler HANDLER L1
	COPIES dma_own L1 0x1b094000 2
	COPIES dma_remote L1 REMOTE
	COPIES dma_to_handler L1 HANDLER

	/* traps: unmapped addresses, misuse, an endless loop */
	FUNC trap_load
	lw t0, 0(zero)
	nop
	ret
	FUNC trap_store
	li t0, 0x1d000000
	sw zero, 0(t0)
	nop
	ret
	FUNC trap_illegal
	.word 0
	FUNC trap_lr_l1
	li t0, L1
	lr.w t1, (t0)
	nop
	ret
	FUNC trap_other_stack
	li t0, 0x1b000400 + 7 * 0x400
	lw t1, 0(t0)
	nop
	ret
	FUNC trap_beyond_packet
	li t0, PACKET + 4096
	lw t1, 0(t0)
	nop
	ret
	FUNC endless_amos
	li t0, 0x1b090000
1:	.rept 64
	amoadd.w t1, t1, (t0)
	.endr
	j 1b

	FUNC endless
	li sp, 0
1:	j 1b
