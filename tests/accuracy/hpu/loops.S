/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Handlers that access memory in a loop: own L1, another cluster's L1, L2. The rows of tests/accuracy/memory.c run them on one or many HPUs
 * of the model and compare the cycles from NAME_from to the return with PsPIN's RTL. Loops begin on a 16-byte line, as in the measured
 * code.
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

	/* Sets t0 to the address: base + (HPU number << shift), only base if shift is SAME, or the own packet in L2 if base is OWN_PACKET. */
	.set SAME, 32
	.set OWN_PACKET, 0

	.macro PLACE base field shift
	li	t0, \base
	lw	t1, 0(a0)
	lw	t2, \field(a0)
	li	t3, 1
	nop
	slli	t2, t2, \shift & 31
	.if \base == 0			/* of the own packet in L2 */
	lw	t0, 0x3c(t1)
	.elseif \shift == SAME
	nop
	.else
	add	t0, t0, t2
	.endif
	.endm
	.set HPU, 12			/* offset of the HPU number in the arguments: HPU within its cluster, GLOBAL among all */
	.set GLOBAL, 4

	.macro LOAD
	lw	t4, 0(t0)
	.endm
	.macro STORE
	sw	t3, 0(t0)
	.endm
	.macro AMO
	amoadd.w t4, t3, (t0)
	.endm

	/* times * unroll accesses; the return takes 2 more cycles */
	.macro LOOP name times unroll access base field shift
	FUNC \name
	PLACE \base \field \shift
	.balign 16
	nop
	nop
	nop
	li	t5, \times
	.globl \name\()_from
\name\()_from:
1:	.rept	\unroll
	\access
	.endr
	addi	t5, t5, -1
	bnez	t5, 1b
	ret
	.endm

	/* 384 accesses to the own L1, 16 per iteration since one HPU takes 1.24 cycles per load: to one word, and to a word per HPU */
	LOOP l1_word_load 24 16 LOAD 0x1b090000 HPU SAME
	LOOP l1_word_amo 24 16 AMO 0x1b090000 HPU SAME
	LOOP l1_banks_load 24 16 LOAD 0x1b090000 HPU 2
	LOOP l1_banks_amo 24 16 AMO 0x1b090000 HPU 2
	LOOP driver_registers 24 16 LOAD HPU_DRIVER+0x10 HPU SAME
	/* 32 accesses to L2 */
	LOOP l2_handler_load_32 4 8 LOAD 0x1c310000 HPU SAME
	LOOP l2_packet_load_32 4 8 LOAD OWN_PACKET HPU SAME
	/* 16 accesses to L2 or a remote L1; the suffix is the distance of the HPUs' words */
	.macro SIXTEEN name access
	LOOP l2_handler_\name\()_same 2 8 \access 0x1c310000 GLOBAL SAME
	LOOP l2_handler_\name\()_8 2 8 \access 0x1c310000 GLOBAL 3
	LOOP l2_handler_\name\()_256 2 8 \access 0x1c310000 GLOBAL 8
	LOOP l2_packet_\name 2 8 \access OWN_PACKET GLOBAL SAME
	LOOP remote_\name\()_same 2 8 \access 0x10090000 GLOBAL SAME
	LOOP remote_\name\()_own 2 8 \access 0x10090000 GLOBAL 2
	.endm
	SIXTEEN load LOAD
	SIXTEEN store STORE
	SIXTEEN amo AMO
	/* 40 loads end before a stream of 110 packets does; of 80 loads, some 70 % overlap a stream of 102 packets */
	LOOP l2_packet_load_40 5 8 LOAD OWN_PACKET HPU SAME
	LOOP l2_packet_load_80 10 8 LOAD OWN_PACKET HPU SAME
	/* 16 iterations of accesses to both L2 memories: the HPU's own words of handler memory at t0, its own packet at t6 */
	.macro MIX name one two three four
	FUNC \name
	PLACE 0x1c310000 HPU 8
	lw	t1, 0(a0)
	nop
	lw	t6, 0x3c(t1)
	.balign 16
	nop
	nop
	nop
	li	t5, 16
	.globl \name\()_from
\name\()_from:
1:	\one
	\two
	\three
	\four
	addi	t5, t5, -1
	bnez	t5, 1b
	ret
	.endm
	MIX mix_amo_h "amoadd.w t4, t3, (t0)"
	MIX mix_amo_h_store_p "amoadd.w t4, t3, (t0)" "sw t3, 0(t6)"
	MIX mix_amo_p_amo_h "amoadd.w t4, t3, (t6)" "amoadd.w t4, t3, (t0)"
	MIX mix_2_load_h_store_p_amo_h "lw t4, 8(t0)" "lw t4, 16(t0)" "sw t3, 0(t6)" "amoadd.w t4, t3, (t0)"
	MIX mix_amo_h_store_h "amoadd.w t4, t3, (t0)" "sw t3, 8(t0)"
	MIX mix_amo_h_load_h "amoadd.w t4, t3, (t0)" "lw t4, 8(t0)"
	MIX mix_amo_h_load_p "amoadd.w t4, t3, (t0)" "lw t4, 0(t6)"
	MIX mix_store_p_load_h "sw t3, 0(t6)" "lw t4, 8(t0)"
	MIX mix_store_h_store_p "sw t3, 0(t0)" "sw t3, 0(t6)"
	MIX mix_4_store_p "sw t3, 0(t6)" "sw t3, 4(t6)" "sw t3, 8(t6)" "sw t3, 12(t6)"
	/* owners of words that other clusters load: these loops last longer than the others' loads */
	LOOP l1_word_load_800 50 16 LOAD 0x1b090000 HPU SAME
	LOOP l1_banks_load_960 60 16 LOAD 0x1b090100 HPU 2

	/*
	 * Loops that compete with packet copies. One iteration accesses all banks with 16 accesses, 4 words apart. The next iteration
	 * starts at the next row of the banks.
	 */
	.macro WALK name access
	FUNC \name
	PLACE 0x1b090000 HPU 2
	li	t5, 60 * 256
	add	t5, t0, t5
	.balign 16
	nop
	nop
	nop
	nop
	.globl \name\()_from
\name\()_from:
1:
	.set	offset, 0
	.rept	16
	\access	t4, offset(t0)
	.set	offset, offset + 16
	.endr
	addi	t0, t0, 256
	bne	t0, t5, 1b
	ret
	.endm
	WALK walk_load lw
	WALK walk_store sw
	LOOP fixed_bank_load 60 16 LOAD 0x1b090000 HPU 2
	LOOP fixed_bank_amo 36 16 AMO 0x1b090000 HPU 2

	FUNC walk_sum
	PLACE 0x1b090000 HPU 10
	.balign 16
	nop
	nop
	nop
	li	t5, 200
	.globl walk_sum_from
walk_sum_from:
1:	lw	t4, 0(t0)
	addi	t0, t0, 4
	add	t6, t6, t4
	addi	t5, t5, -1
	bnez	t5, 1b
	ret

	/* a loop {lw; addi; add; bne} over words */
	.macro WORDS name base words
	FUNC \name
	.if \base == OWN_PACKET
	lw	t0, 0(a0)
	nop
	lw	t0, 0x3c(t0)
	nop
	.else
	li	t0, \base
	.endif
	addi	t1, t0, 4*\words
	nop
	nop
	.balign 16
	.globl \name\()_from
\name\()_from:
1:	lw	t2, 0(t0)
	addi	t0, t0, 4
	add	t3, t3, t2
	bne	t0, t1, 1b
	ret
	.endm
	WORDS words_l1 0x1b090000 64
	WORDS words_l2_packet OWN_PACKET 16

	/*
	 * 4 transfers of 1024 bytes, then polls until the last one is complete. The whole handler is timed. The measured code is unknown.
	 * This is the shortest version, with `more` cycles before the first transfer to match the row of one HPU.
	 */
	.macro TRANSFERS name from to more
	FUNC \name
	.if \from == OWN_PACKET
	lw	t0, 0(a0)
	li	t5, HPU_DMA
	lw	t0, 0x3c(t0)
	.else
	lw	t2, HPU(a0)
	li	t5, HPU_DMA
	li	t0, \from
	slli	t2, t2, 12
	add	t0, t0, t2
	.endif
	li	t1, \to
	.if \from != OWN_PACKET
	add	t1, t1, t2
	.endif
	li	t3, 1024
	.rept \more
	nop
	.endr
	.rept 4
	sw	t0, 0(t5)
	sw	t1, 8(t5)
	sw	t3, 16(t5)
	lw	t4, DMA_LAUNCH(t5)
	add	t0, t0, t3
	add	t1, t1, t3
	.endr
2:	lw	t2, DMA_DONE(t5)
	bltu	t2, t4, 2b
	ret
	.endm
	TRANSFERS transfers_l2_packet_l1 OWN_PACKET 0x1b0a0000 0
	TRANSFERS transfers_l1_l2_handler 0x1b0a0000 0x1c310000 3
