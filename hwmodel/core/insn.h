/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_INSN_H
#define HWMODEL_CORE_INSN_H

/*
 * Decoded instructions of the simulated core: formats, fields and opcodes of RV32 and of Xpulp, RI5CY's extension. insn.c decodes; block.c,
 * hazard.c, exec.c and xpulp.c use the result.
 */
#include <stdint.h>

/*
 * Field layouts. R, I, S, B, U, J: as in the RISC-V manual; SH: a shift; UPC: auipc; N: no fields; CSRI: csrrwi and the like. Of Xpulp: S3,
 * RA, IA, BI, and LP* for hardware loops. A P at the end: rs1 is also written.
 */
enum rv32_format {
	RV32_FMT_R,
	RV32_FMT_I,
	RV32_FMT_SH,
	RV32_FMT_S,
	RV32_FMT_B,
	RV32_FMT_U,
	RV32_FMT_UPC,
	RV32_FMT_J,
	RV32_FMT_N,
	RV32_FMT_CSR,
	RV32_FMT_CSRI,
	RV32_FMT_IP,
	RV32_FMT_RP,
	RV32_FMT_SP,
	RV32_FMT_S3,
	RV32_FMT_S3P, /* rs3 in the field of rd */
	RV32_FMT_RA,
	RV32_FMT_IA, /* rd is read and written */
	RV32_FMT_BI, /* a 5-bit number in the field of rs2; it stays in the word */
	RV32_FMT_LPI,
	RV32_FMT_LPR,
	RV32_FMT_LPC,
	RV32_FMT_LPS,
	RV32_FMT_LPSI,
};

/* Timing and control flow of an instruction. */
enum rv32_class {
	RV32_CLASS_ALU,
	RV32_CLASS_MULH,
	RV32_CLASS_DIV,
	RV32_CLASS_CSR,
	RV32_CLASS_LOAD,
	RV32_CLASS_LOAD_POST,
	RV32_CLASS_STORE,
	RV32_CLASS_STORE_POST,
	RV32_CLASS_AMO,
	RV32_CLASS_BRANCH,
	RV32_CLASS_JAL,
	RV32_CLASS_JALR,
	RV32_CLASS_HWLOOP,
	RV32_CLASS_FENCE,
	RV32_CLASS_SYSTEM,
	RV32_CLASS_MRET,
	RV32_CLASS_WFI,
	RV32_CLASS_FAULT, /* not an instruction: raises a trap when reached */
};

/* What an op is: an instruction of isa.def, a helper, or a pair of fused.def. Index of the labels in exec.c. */
enum rv32_opcode {
#define INSN(name, ...) RV32_OP_##name,
#include "hwmodel/core/isa.def"
#undef INSN
	/* helper ops, not instructions: */
	RV32_OP_illegal,
	RV32_OP_fetch_fault,
	RV32_OP_fetch_misaligned,
	RV32_OP_li,         /* lui, auipc, addi rd,x0 */
	RV32_OP_end,        /* the block ends; the next one follows in memory */
	RV32_OP_loop_end,   /* after the last instruction of a hardware loop */
	RV32_OP_amo_check,  /* before a memory access directly after an AMO */
	RV32_OP_line_ahead, /* before the instruction during which the front end requests the next line */
	RV32_OP_line_need,  /* before the first instruction that needs this line */
	RV32_OP_halt,       /* a jump to itself, if the core is configured to stop there */
	RV32_OP_link,       /* target of an edge until the edge is linked */
#define FUSED(a, b) RV32_OP_##a##_##b,
#include "hwmodel/core/fused.def"
#undef FUSED
	RV32_OP_COUNT
};

/* One decoded instruction. Register fields that the format lacks are 0. */
struct rv32_insn {
	uint32_t pc, word;
	int32_t imm;    /* U and J formats: absolute value, pc included */
	uint8_t opcode; /* enum rv32_opcode */
	uint8_t format, class_;
	uint8_t len_bytes; /* 2 or 4 */
	uint8_t rd;        /* written, or rs3 */
	uint8_t rs1, rs2;
};

/* Returns the registers that an instruction reads, bit x for register x; never bit 0. */
uint32_t rv32_insn__reads(const struct rv32_insn *insn);

/* Decodes one 32-bit word at pc. A word that is not an instruction becomes RV32_OP_illegal. */
void rv32_insn__decode(struct rv32_insn *insn, uint32_t pc, uint32_t word);

/* Returns the 32-bit equivalent of a 16-bit instruction; 0 (illegal) if there is none. */
uint32_t rv32_expand(uint16_t c);

#endif
