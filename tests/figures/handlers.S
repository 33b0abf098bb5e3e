/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers of PsPIN's microbenchmarks, which `make figures` and tests in tests/model run on the NIC model; in assembly so that the NIC is
 * measured and not a compiler. a0 points to {task descriptor, HPU, cluster, HPU in cluster}; an HPU is a core of the NIC. Packets are raw:
 * they begin with an IPv4 header or with an argument.
 */
	/* offsets in the task descriptor */
	.set HANDLER_MEM, 0x00
	.set PACKET_L1,   0x08
	.set PACKET_SIZE, 0x0c
	.set SCRATCHPADS, 0x10
	.set HOST_HIGH,   0x30
	.set HOST_LOW,    0x34
	.set PACKET_L2,   0x3c
	.set DRIVER, 0x1b205000
	.set DMA,    0x1b204400

	.section .text.hpu, "ax"

	.macro FUNC name
	.balign 16
	.globl \name
	.type \name, @function
\name:
	.endm

	FUNC empty
	ret

	/* `count` instructions of one cycle each: PsPIN 4.2.2, figure 8 */
	.macro ALU count
	FUNC alu_\count
	.rept \count
	c.addi t0, 1
	.endr
	ret
	.endm
	.irp count, 0, 16, 32, 64, 128, 256, 512, 1024
	ALU \count
	.endr

	/* a loop of 4 cycles per iteration; the packet's first word is the number of iterations */
	FUNC delay
	lw t0, 0(a0)
	lw t1, PACKET_L1(t0)
	lw t2, 0(t1)
	beqz t2, 2f
1:	addi t2, t2, -1
	bnez t2, 1b
2:	ret

	/* copies a3 bytes from a1 to a2, by loads and stores or by the cluster DMA; a3 is the packet's first word */
	.macro LOADS_AND_STORES
	beqz a3, 2f
	add a3, a3, a1
1:	lw t0, 0(a1)
	addi a1, a1, 4
	sw t0, 0(a2)
	addi a2, a2, 4
	bltu a1, a3, 1b
2:	ret
	.endm
	.macro CLUSTER_DMA
	beqz a3, 2f
	li t0, DMA
	sw a1, 0(t0)
	sw zero, 4(t0)
	sw a2, 8(t0)
	sw zero, 12(t0)
	sw a3, 16(t0)
	lw t1, 0x18(t0)
1:	lw t2, 0x20(t0)
	bltu t2, t1, 1b
2:	ret
	.endm
	/* copies from the scratchpad of the own cluster (neighbour 0) or of the next one (1); COPY_L2 copies from L2 */
	.macro COPY name method neighbour
	FUNC copy_\name
	lw t0, 0(a0)
	lw t1, 8(a0)
	lw t2, PACKET_L1(t0)
	slli t3, t1, 2
	add t3, t3, t0
	lw a2, SCRATCHPADS(t3)
	addi t1, t1, \neighbour
	andi t1, t1, 3
	slli t3, t1, 2
	add t3, t3, t0
	lw a1, SCRATCHPADS(t3)
	li t3, 2048 /* the target is in the same scratchpad of 3 KiB */
	add a2, a2, t3
	lw a3, 0(t2)
	\method
	.endm
	COPY own_by_loads LOADS_AND_STORES 0
	COPY own_by_dma CLUSTER_DMA 0
	COPY remote_by_loads LOADS_AND_STORES 1
	COPY remote_by_dma CLUSTER_DMA 1

	.macro COPY_L2 name method offset
	FUNC copy_\name
	lw t0, 0(a0)
	lw t1, 8(a0)
	lw t2, PACKET_L1(t0)
	slli t3, t1, 2
	add t3, t3, t0
	lw a2, SCRATCHPADS(t3)
	lw a1, \offset(t0)
	lw a3, 0(t2)
	\method
	.endm
	COPY_L2 packet_by_loads LOADS_AND_STORES PACKET_L2
	COPY_L2 packet_by_dma CLUSTER_DMA PACKET_L2
	COPY_L2 handler_by_loads LOADS_AND_STORES HANDLER_MEM
	COPY_L2 handler_by_dma CLUSTER_DMA HANDLER_MEM

	/* swaps addresses and ports of a UDP packet, whose IHL gives the header's length, and sends it */
	.macro PINGPONG from
	lw t0, 0(a0)
	lw t1, PACKET_L1(t0)
	lw a4, PACKET_SIZE(t0)
	lbu t2, 0(t1)
	lw t3, 12(t1)
	lw t4, 16(t1)
	andi t2, t2, 15
	slli t2, t2, 2
	add t2, t2, t1
	sw t4, 12(t1)
	sw t3, 16(t1)
	lhu t5, 0(t2)
	lhu t6, 2(t2)
	lw a5, \from(t0)
	sh t6, 0(t2)
	sh t5, 2(t2)
	li t0, DRIVER
	li t1, 2
	sw zero, 0x90(t0)
	sw zero, 0x94(t0)
	sw a5, 0x98(t0)
	sw zero, 0x9c(t0)
	sw a4, 0xa0(t0)
	sw t1, 0x8c(t0)
	lw t4, 0x80(t0)
	ret
	.endm
	FUNC pingpong_l1
	PINGPONG PACKET_L1
	FUNC pingpong_l2
	PINGPONG PACKET_L2

	/* copies the packet to host memory */
	.macro TO_HOST from
	lw t0, 0(a0)
	lw a5, \from(t0)
	lw a4, PACKET_SIZE(t0)
	lw a2, HOST_HIGH(t0)
	lw a3, HOST_LOW(t0)
	li t0, DRIVER
	li t1, 1
	sw a3, 0x90(t0)
	sw a2, 0x94(t0)
	sw a5, 0x98(t0)
	sw a4, 0x9c(t0)
	sw t1, 0xa0(t0)
	sw zero, 0x8c(t0)
	lw t4, 0x80(t0)
	ret
	.endm
	FUNC to_host_l1
	TO_HOST PACKET_L1
	FUNC to_host_l2
	TO_HOST PACKET_L2

	/*
	 * Copies `bytes` bytes of payload, from byte `header` of the packet on, to host memory in blocks of 256 bytes that are 512 bytes apart,
	 * as handlers/strided_ddt.c does, and nothing else. The packet's first word is the payload's offset in its message.
	 */
	.macro STRIDED header bytes
	lw t0, 0(a0)
	lw t1, PACKET_L1(t0)
	lw a5, PACKET_L2(t0)
	lw a2, HOST_HIGH(t0)
	lw a3, HOST_LOW(t0)
	lw t2, 0(t1)
	addi a5, a5, \header
	li a4, \bytes
	li a6, 256
	li a7, DRIVER
	slli t2, t2, 14 /* modulo 256 KiB, in 512 KiB of host memory */
	srli t2, t2, 14
	andi t3, t2, 255
	add t4, t2, t2
	sub t4, t4, t3 /* host offset: offset / 256 * 512 + offset % 256 */
	add a3, a3, t4
	sub t3, a6, t3 /* bytes left in the block */
	li t6, 1
	sw a2, 0x94(a7)
	sw t6, 0xa0(a7)
	sw zero, 0x8c(a7)
1:	bleu t3, a4, 2f
	mv t3, a4
2:	sw a3, 0x90(a7)
	sw a5, 0x98(a7)
	sw t3, 0x9c(a7)
	lw t4, 0x80(a7)
	add a3, a3, t3
	addi a3, a3, 256
	add a5, a5, t3
	sub a4, a4, t3
	mv t3, a6
	bnez a4, 1b
	ret
	.endm
	FUNC strided_in_frames /* payload after Ethernet, IP, UDP and SLMP headers: the layout of messages in packet memory here */
	STRIDED 52 472
	FUNC strided_in_packets /* payload after IP and UDP headers: the layout of PsPIN's own examples */
	STRIDED 28 484
