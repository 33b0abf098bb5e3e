/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that start transfers of the cluster's DMA engine, several at once, for transfers_share_their_engine.c and no_task_is_lost.c in
 * tests/model. off: unaligned by 16 bytes; apart: source and destination unaligned differently. a0 points to the arguments.
 */
	.set L1,      0x1b090000
	.set HANDLER, 0x1c310000
	.set DMA,     0x1b204400
	.set TIMES,   10

	.section .text.hpu, "ax"
	.option norvc

	.macro LAUNCHES name from from_offset to to_offset bytes times
	.balign 16
	.globl \name
	.type \name, @function
\name:
	lui t0, %hi(DMA)
	addi t0, t0, %lo(DMA)
	lui t1, %hi(\from)
	addi t1, t1, \from_offset
	lui t2, %hi(\to)
	addi t2, t2, \to_offset
	li t3, \bytes
	sw t1, 0(t0)
	sw t2, 8(t0)
	sw t3, 16(t0)
	.rept \times
	lw t4, 0x18(t0)
	.endr
	.endm

	/* Waits until all are done; polls are 5 cycles apart. */
	.macro TRANSFERS name from_offset to_offset bytes
	LAUNCHES \name HANDLER \from_offset L1 \to_offset \bytes TIMES
1:	lw t5, 0x20(t0)
	bltu t5, t4, 1b
	nop
	ret
	.endm
	TRANSFERS aligned_1024 0 0 1024
	TRANSFERS both_off_1024 16 16 1024
	TRANSFERS source_off_1024 16 0 1024
	TRANSFERS dest_off_1024 0 16 1024
	TRANSFERS apart_1024 32 16 1024
	TRANSFERS in_a_line_56 4 4 56
	TRANSFERS across_lines_56 16 0 56

	/* 4 transfers of 1024 bytes within L1, 32 cycles each, not waited for */
	LAUNCHES leaves_transfers L1 0 L1 0x400 1024 4
	ret

	/* 80 cycles later another one, which is waited for */
	.macro AGAIN
	li t6, 20
1:	addi t6, t6, -1
	bnez t6, 1b
	lw t4, 0x18(t0)
1:	lw t5, 0x20(t0)
	bltu t5, t4, 1b
	nop
	ret
	.endm
	LAUNCHES launches_again_later L1 0 L1 0x400 1024 4
	AGAIN
	/* same from handler memory, 8 transfers of 16 cycles each */
	LAUNCHES reads_again_later HANDLER 0 L1 0x400 1024 8
	AGAIN

	/* queues another one that reads the packet */
	.set PACKET,  0x1c400000
	LAUNCHES reads_its_packet_later L1 0 L1 0x400 1024 4
	lui t1, %hi(PACKET)
	li t3, 1024
	sw t1, 0(t0)
	sw t3, 16(t0)
	lw t4, 0x18(t0)
	ret

	/* AMOs, loads, stores and unaligned loads in the own L1, during transfers within it, to cluster 0's and from the packet */
	.macro TOUCHES times
	li t6, \times
1:	amoadd.w a2, a1, (a0)
	lw a2, 2(a0)
	sw a2, 0x100(a0)
	sw a2, 0x101(a0)
	addi t6, t6, -1
	bnez t6, 1b
	.endm
	LAUNCHES meets_transfers L1 16 L1 0x700 1000 2
	li a0, L1 + 0x700
	li a1, 1
	TOUCHES 30
	lw t4, 0x18(t0)
	TOUCHES 6
	li t1, 0x10090700
	sw t1, 8(t0)
	lw t4, 0x18(t0)
	TOUCHES 6
	li t1, PACKET
	sw t1, 0(t0)
	sw a0, 8(t0)
	li t3, 64
	sw t3, 16(t0)
	lw t4, 0x18(t0)
	lw t4, 0x18(t0)
	TOUCHES 3
1:	lw t6, 0x20(t0)
	bltu t6, t4, 1b
	ret

	.balign 16
	.globl does_nothing
	.type does_nothing, @function
does_nothing:
	ret
