/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that many HPUs (modelled cores) run at once, each loading one resource of the NIC, so that the parameter of this resource shows
 * in the result of tests/model/every_target_parameter_counts.c. See also tests/figures/handlers.S.
 */
	/* offsets in the task descriptor, then addresses */
	.set HANDLER_MEM_, 0x00
	.set PACKET_L1_,   0x08
	.set SCRATCHPAD_,  0x10
	.set HOST_HIGH_,   0x30
	.set HOST_LOW_,    0x34
	.set PACKET_L2_,   0x3c
	.set DRIVER_,  0x1b205000
	.set DMA_,     0x1b204400
	.set OWN_L1_,  0x1b000000
	.set FAR_,     0x180000  /* in L1, beyond the end of pspin-rtl's */
	.set TIMES_,   32

	.section .text.hpu, "ax"

	.macro PROBE name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	lw t0, 0(a0)
	.endm

	/* t1: the address in the descriptor's `field` */
	.macro HAMMER name field body:vararg
	PROBE \name
	lw t1, \field(t0)
	li t2, 1
	.rept TIMES_
	\body
	.endr
	ret
	.endm
	HAMMER hammer_load_packet PACKET_L2_ lw t3, 0(t1)
	HAMMER hammer_load_handler HANDLER_MEM_ lw t3, 0(t1)
	HAMMER hammer_store_packet PACKET_L2_ sw t2, 0(t1)
	HAMMER hammer_amo_packet PACKET_L2_ amoadd.w t3, t2, (t1)
	HAMMER hammer_amo_handler HANDLER_MEM_ amoadd.w t3, t2, (t1)
	/* cluster 0's L1, from all clusters */
	HAMMER hammer_load_remote SCRATCHPAD_ lw t3, 0(t1)
	HAMMER hammer_store_remote SCRATCHPAD_ sw t2, 0(t1)
	HAMMER hammer_amo_remote SCRATCHPAD_ amoadd.w t3, t2, (t1)

	HAMMER hammer_amo SCRATCHPAD_ amoadd.w t3, t2, (t1)

	/* each HPU of a cluster accesses its own word, eight banks apart */
	PROBE hammer_banks
	lw t1, SCRATCHPAD_(t0)
	lw t2, 12(a0)
	slli t2, t2, 5
	add t1, t1, t2
	.rept TIMES_
	lw t3, 0(t1)
	.endr
	ret

	PROBE load_far
	li t1, OWN_L1_ + FAR_
	lw t2, 0(t1)
	ret

	/* eight commands, each issued as soon as possible: the packet's first 64 bytes from L1, or 8 bytes of data */
	.macro COMMANDS_ name info from
	PROBE \name
	lw t1, \from(t0)
	lw t2, HOST_LOW_(t0)
	lw t3, HOST_HIGH_(t0)
	li t0, DRIVER_
	li t4, 64
	li t5, 1
	li t6, \info
	.if \info == 0
	sw t2, 0x90(t0)
	sw t3, 0x94(t0)
	sw t1, 0x98(t0)
	sw t4, 0x9c(t0)
	sw t5, 0xa0(t0)
	.elseif \info == 4
	li t1, 8 << 1 | 1
	sw t2, 0x90(t0)
	sw t3, 0x94(t0)
	sw t1, 0x98(t0)
	sw zero, 0x9c(t0)
	sw zero, 0xa0(t0)
	.else
	sw zero, 0x90(t0)
	sw zero, 0x94(t0)
	sw t1, 0x98(t0)
	sw zero, 0x9c(t0)
	sw t4, 0xa0(t0)
	.endif
	sw t6, 0x8c(t0)
	.rept 8
	lw t1, 0x80(t0)
	.endr
	ret
	.endm
	COMMANDS_ eight_to_host 0 PACKET_L1_
	COMMANDS_ eight_sends 2 PACKET_L1_
	COMMANDS_ eight_writes 4 PACKET_L1_

	/* 256 bytes to host memory, and back */
	.macro HOST_ name direction nic=PACKET_L1_
	PROBE \name
	lw t1, \nic(t0)
	lw t2, HOST_LOW_(t0)
	lw t3, HOST_HIGH_(t0)
	li t0, DRIVER_
	li t4, 256
	li t5, \direction
	sw t2, 0x90(t0)
	sw t3, 0x94(t0)
	sw t1, 0x98(t0)
	sw t4, 0x9c(t0)
	sw t5, 0xa0(t0)
	sw zero, 0x8c(t0)
	lw t1, 0x80(t0)
	sw t1, 0x84(t0)
	ret
	.endm
	HOST_ to_host 1
	HOST_ from_host 0
	HOST_ from_host_l2 0 PACKET_L2_

	/* a put of 64 bytes of host memory; the scratchpad has its parameters */
	PROBE send_from_host
	lw t1, SCRATCHPAD_(t0)
	lw t2, HOST_LOW_(t0)
	lw t3, HOST_HIGH_(t0)
	li t0, DRIVER_
	li t4, 64
	li t5, 1
	li t6, 2
	sw t1, 0x90(t0)
	sw t5, 0x94(t0)
	sw t2, 0x98(t0)
	sw t3, 0x9c(t0)
	sw t4, 0xa0(t0)
	sw t6, 0x8c(t0)
	lw t1, 0x80(t0)
	sw t1, 0x84(t0)
	ret

	/* 16 transfers of 64 bytes from L2 handler memory to the scratchpad; waits for the last */
	PROBE many_transfers
	lw t1, HANDLER_MEM_(t0)
	lw t2, SCRATCHPAD_(t0)
	li t3, 64
	li t0, DMA_
	sw t1, 0(t0)
	sw zero, 4(t0)
	sw t2, 8(t0)
	sw zero, 12(t0)
	sw t3, 16(t0)
	.rept 16
	lw t1, 0x18(t0)
	.endr
1:	lw t2, 0x20(t0)
	bltu t2, t1, 1b
	ret
