/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers for tests/model/reservations_go_in_turn.c, which compares their cycles with PsPIN's RTL. increments: 16 increments of one word
 * of handler memory by LR and SC (load-reserved, store-conditional); returns the number of attempts. REFUSED defines refused_in_MEMORY: two
 * SCs without a reservation, which must fail.
 */
	.section .text.hpu, "ax"
	.option norvc
	.balign 64
	.globl empty
empty:
	ret

	.balign 64
	.globl increments
increments:
	li	a3, 0x1c390000
	li	a5, 16
	li	a0, 0
1:	addi	a0, a0, 1
	lr.w	t0, (a3)
	addi	t0, t0, 1
	sc.w	t1, t0, (a3)
	bnez	t1, 1b
	addi	a5, a5, -1
	bnez	a5, 1b
	ret

	.macro REFUSED name upper
	.balign 64
	.globl \name
\name:
	lui	a3, \upper
	sc.w	t1, t0, (a3)
	sc.w	t1, t0, (a3)
	ret
	.endm
	REFUSED refused_in_handler_memory 0x1c390
	REFUSED refused_in_packet_memory 0x1c400
