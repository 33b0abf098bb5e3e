/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Code that crosses lines which are not in the instruction cache: tests/model/cold_code.c runs it on the NIC model and compares the cycles
 * with PsPIN's RTL. NAME_at_N: a jump or branch at byte N of a 16-byte line. The alignment matters.
 */
	.section .text.hpu, "ax"
	.option norvc
	.macro FUNC name
	.balign 64
	.globl \name
\name:
	.endm
	FUNC empty
	ret
	FUNC jalr_at_12
	la t1, jalr_at_12_target
	nop
	jr t1
	.balign 64
jalr_at_12_target: ret
	FUNC jal_at_0
	j jal_at_0_target
	.balign 64
jal_at_0_target: ret
	FUNC jal_at_4
	nop
	j jal_at_4_target
	.balign 64
jal_at_4_target: ret
	FUNC jal_at_8
	nop
	nop
	j jal_at_8_target
	.balign 64
jal_at_8_target: ret
	FUNC jal_at_12
	nop
	nop
	nop
	j jal_at_12_target
	.balign 64
jal_at_12_target: ret
	FUNC branch_at_8
	nop
	nop
	beq x0,x0,branch_at_8_target
	nop
	.balign 64
branch_at_8_target: ret
	FUNC branch_at_4
	nop
	beq x0,x0,branch_at_4_target
	nop
	nop
	.balign 64
branch_at_4_target: ret
	FUNC branch_at_12
	nop
	nop
	nop
	beq x0,x0,branch_at_12_target
	.balign 64
branch_at_12_target: ret
	FUNC branch_at_10
	nop
	nop
	.option rvc
	c.nop
	.option norvc
	beq x0,x0,branch_at_10_target
	.option rvc
	c.nop
	.option norvc
	nop
	.balign 64
branch_at_10_target: ret
	FUNC short_branch_at_10
	nop
	nop
	.option rvc
	li a0,0
	c.beqz a0,short_branch_at_10_target
	.option norvc
	nop
	.balign 64
short_branch_at_10_target: ret
	FUNC short_branch_at_10_behind_three
	nop
	.option rvc
	c.nop
	c.nop
	c.li a0,0
	c.beqz a0,short_branch_at_10_behind_three_target
	.option norvc
	nop
	.balign 64
short_branch_at_10_behind_three_target: ret
	FUNC branch_across
	nop
	nop
	nop
	.option rvc
	c.nop
	.option norvc
	beq x0,x0,branch_across_target
	nop
	.balign 64
branch_across_target: ret
	FUNC two_lines
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	ret

	.macro STRAIGHT name, instructions
	.balign 1024
	.globl \name
\name:
	.rept \instructions
	addi t0, t0, 1
	.endr
	ret
	.endm
	STRAIGHT straight_900, 900
	STRAIGHT straight_512, 512
	STRAIGHT straight_1800, 1800

	/* Instructions that stall in the decode stage while the line after the next one is being fetched. */
	.macro HELD name
	.balign 128
	.globl \name
\name:
	li a2, 0x10090000
	li t1, 1
	nop
	nop
	nop
	.endm
	HELD by_multiplication
	mulh t0, t1, t1
	nop
	nop
	nop
	ret
	HELD by_division
	div t0, t1, t1
	nop
	nop
	nop
	ret
	HELD by_two_accesses
	lw t0, 2(a2)
	nop
	nop
	nop
	ret
	HELD by_load
	lw t0, 0(a2)
	add t2, t0, t0
	nop
	nop
	nop
	ret
	HELD by_load_to_x0
	lw x0, 0(a2)
	nop
	ret
	HELD by_handler_memory
	li a3, 0x1c390000
	lw t0, 0(a3)
	add t2, t0, t0
	nop
	nop
	ret

	/* A division of 35 cycles, before a line that must be fetched, and after a taken branch. */
	HELD division_before_a_line
	nop
	nop
	divu t0, t1, x0
	nop
	nop
	ret
	HELD division_in_a_line
	nop
	nop
	nop
	divu t0, t1, x0
	nop
	ret
	HELD division_behind_a_branch
	beq x0, x0, division_behind_a_branch_target
	divu t0, t1, x0
	.balign 64
division_behind_a_branch_target: ret
	HELD division_behind_a_branch_at_0
	nop
	nop
	nop
	beq x0, x0, division_behind_a_branch_at_0_target
	divu t0, t1, x0
	.balign 64
division_behind_a_branch_at_0_target: ret
	HELD division_behind_a_branch_across
	.option rvc
	c.nop
	.option norvc
	nop
	nop
	beq x0, x0, division_behind_a_branch_across_target
	divu t0, t1, x0
	.balign 64
division_behind_a_branch_across_target: ret
	FUNC division_not_fetched
	nop
	nop
	nop
	beq x0, x0, division_not_fetched_target
	divu t0, t1, x0
	.balign 64
division_not_fetched_target: ret
	HELD product_before_a_line
	nop
	nop
	mulhu t0, t1, t1
	nop
	nop
	ret

	/* Jumps to a cold line that are taken while a load from L2 is in flight. */
	.macro JUMPS name
	FUNC \name
	li a3, 0x1c390000
	lw t0, 0(a3)
	add t2, t0, t0
	.endm
	JUMPS jump_behind_a_load
	lw t0, 0(a3)
	j jump_behind_a_load_target
	.balign 64
jump_behind_a_load_target: ret
	JUMPS jump_behind_an_amo_to_x0
	amoadd.w x0, t0, (a3)
	j jump_behind_an_amo_to_x0_target
	.balign 64
jump_behind_an_amo_to_x0_target: ret
	JUMPS return_behind_a_store
	la t3, return_behind_a_store_target
	sw t0, 4(a3)
	jr t3
	.balign 64
return_behind_a_store_target: ret
	JUMPS jump_behind_a_load_at_8
	nop
	lw t0, 0(a3)
	j jump_behind_a_load_at_8_target
	nop
	nop
	.balign 64
jump_behind_a_load_at_8_target: ret
