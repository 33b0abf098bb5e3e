/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_TIMING_H
#define HWMODEL_CORE_TIMING_H

/*
 * Timing constants of the simulated RISC-V core: every cycle count of core/. Included by state.h and icache.c. Unit: core clock cycles, in
 * most rows those beyond an instruction's first, in the case that the comment names. Source M: measured on PsPIN's core RTL with ideal
 * memories; R: read from the RI5CY controller, not measured; A: an assumption of the model. The macros may be overridden with -D.
 */

/* M: load, AMO, LR or SC, if the next instruction reads rd or writes it through the ALU's port. */
#ifndef TIMING_LOAD_USE
#define TIMING_LOAD_USE 1
#endif

/* M: jal and jalr take 2. */
#ifndef TIMING_JUMP_EXTRA
#define TIMING_JUMP_EXTRA 1
#endif

/* M: jalr whose base is the result of the instruction directly before: ALU, load. */
#ifndef TIMING_JALR_AFTER_ALU
#define TIMING_JALR_AFTER_ALU 1
#endif
#ifndef TIMING_JALR_AFTER_LOAD
#define TIMING_JALR_AFTER_LOAD 2
#endif

/* M: load, one single-cycle instruction, jalr. */
#ifndef TIMING_JALR_SECOND_AFTER_LOAD
#define TIMING_JALR_SECOND_AFTER_LOAD 1
#endif

/* M: jalr with rd equal to its base. */
#ifndef TIMING_JALR_LINK_IS_BASE
#define TIMING_JALR_LINK_IS_BASE 1
#endif

/*
 * M: cycles of a jump that pass while an access that waits or is misaligned occupies the execute stage (L2 lw; j takes 21). R: the same
 * for mulh, div, rem.
 */
#ifndef TIMING_JUMP_HIDDEN_BY_EXECUTE
#define TIMING_JUMP_HIDDEN_BY_EXECUTE 1
#endif

/* M: a taken branch takes 3, a branch that is not taken 1. */
#ifndef TIMING_BRANCH_TAKEN_EXTRA
#define TIMING_BRANCH_TAKEN_EXTRA 2
#endif

/*
 * M: a 32-bit target at 14 modulo 16, or a 32-bit instruction at 14 after a 32-bit target at 10, however long the latter executes. Not
 * for a jump after mulh, div or rem.
 */
#ifndef TIMING_FETCH_LINE
#define TIMING_FETCH_LINE 1
#endif

/* M: mulh, mulhu, mulhsu take 5. */
#ifndef TIMING_MULH_EXTRA
#define TIMING_MULH_EXTRA 4
#endif

/*
 * M: div, rem take 3 + z, where z depends on the divisor alone (see rv32_divider_extra()). The divider restarts until an instruction
 * follows, and each run is waited for. It also starts for a division after a taken branch, if that has been fetched (alu_en is not
 * masked).
 */
#ifndef TIMING_DIV_EXTRA
#define TIMING_DIV_EXTRA 2
#endif
#ifndef TIMING_DIV_STEP
#define TIMING_DIV_STEP 1
#endif

/* M: an access that crosses a word boundary takes 2. */
#ifndef TIMING_MISALIGNED_EXTRA
#define TIMING_MISALIGNED_EXTRA 1
#endif

/* M: an AMO occupies its L1 bank for its own cycle and one more. Default if the target gives no value. */
#ifndef TIMING_L1_AMO
#define TIMING_L1_AMO 2
#endif

/* M: banks of an L1, word-interleaved (banks). Default if the target gives no value. */
#ifndef TIMING_L1_BANKS
#define TIMING_L1_BANKS 64
#endif

/*
 * M: fence and fence.i take 4. They take one less after mulh, div, rem and an access that waits or is misaligned, and 1 if the second
 * word of such an access waits for two cycles or more.
 */
#ifndef TIMING_FENCE_HIDDEN_BY_EXECUTE
#define TIMING_FENCE_HIDDEN_BY_EXECUTE 1
#endif
#ifndef TIMING_FENCE_EXTRA
#define TIMING_FENCE_EXTRA 3
#endif

/* M: ustatus, uepc take 4; R: so do mstatus, mepc. */
#ifndef TIMING_CSR_FLUSH_EXTRA
#define TIMING_CSR_FLUSH_EXTRA 3
#endif

/* R: from the instruction that traps to the trap handler's first instruction: 4. */
#ifndef TIMING_TRAP_EXTRA
#define TIMING_TRAP_EXTRA 3
#endif

/* R: mret takes 5: two stages drain, then the jump. */
#ifndef TIMING_MRET_EXTRA
#define TIMING_MRET_EXTRA 4
#endif

/*
 * Instruction fetch. M: misses of one and of several cores (tests/accuracy/, instruction cache); R: riscv_L0_buffer.sv, icache_ctrl. No
 * row of tests/core/ has a cache, so these have no -D override.
 */
enum {
	FETCH_HIT_CYCLES = 2,      /* cycles from a lookup that hits to the issue of its instruction */
	ICACHE_REQUEST_CYCLES = 2, /* cycles from a lookup that misses, through the port's FIFO, to the central controller */
	ICACHE_READ_CYCLES = 1,    /* cycles from there, through a FIFO of two entries, to the read of program memory */
};

/* A: after this many cycles without a refill the model treats a cache's content as stable. A larger value costs speed, not accuracy. */
enum { ICACHE_QUIET_CYCLES = 512 };

/* R: cycles that Xpulp needs before a loop, for the estimate of xpulp__loops(). */
enum {
	XPULP_SETUP_CYCLES = 1,  /* lp.setup */
	XPULP_COUNT_CYCLES = 2,  /* number of iterations: the distance, divided by a step that is a power of two */
	XPULP_OFFSET_CYCLES = 1, /* a pointer that must first be set to the first access */
};

#endif
