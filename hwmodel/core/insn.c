/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decodes RISC-V instructions for the simulated core: a 32-bit word into its fields, and a 16-bit word (RV32C 2.0 without floating point)
 * into the equivalent 32-bit word. Called by block.c when code is decoded, and by xpulp.c. A word that is not an instruction becomes
 * RV32_OP_illegal.
 */
#include <string.h>

#include "hwmodel/core/insn.h"

/* An instruction of isa.def, with its index as the opcode: `word` is this instruction if (word & mask) == match. */
struct row {
	uint32_t match, mask;
	uint8_t format, class_;
};

static const struct row rows[] = {
#define INSN(name, text, match, mask, fmt, cls, ...) { match, mask, RV32_FMT_##fmt, RV32_CLASS_##cls },
#include "hwmodel/core/isa.def"
#undef INSN
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static int32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return (int32_t)((word >> low) & ((2u << (high - low)) - 1));
}

static int32_t imm_i(uint32_t w)
{
	return (int32_t)w >> 20;
}
static int32_t imm_s(uint32_t w)
{
	return (int32_t)(w & 0xfe000000) >> 20 | bits(w, 11, 7);
}

/* Returns -1 or 0: the sign extension of branch and jump immediates. */
static int32_t sign(uint32_t w)
{
	return -(int32_t)(w >> 31);
}

static int32_t imm_b(uint32_t w)
{
	return sign(w) * (1 << 12) | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1;
}

static int32_t imm_j(uint32_t w)
{
	return sign(w) * (1 << 20) | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1;
}

/* pc + offset without signed overflow */
static int32_t from_pc(uint32_t pc, int32_t offset)
{
	return (int32_t)(pc + (uint32_t)offset);
}

static void fields(struct rv32_insn *insn, uint32_t pc, uint32_t w)
{
	uint8_t rd = (uint8_t)bits(w, 11, 7), rs1 = (uint8_t)bits(w, 19, 15), rs2 = (uint8_t)bits(w, 24, 20);

	switch (insn->format) {
	case RV32_FMT_R:
	case RV32_FMT_RP:
	case RV32_FMT_RA:
	case RV32_FMT_S3:
	case RV32_FMT_S3P:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->rs2 = rs2;
		break;
	case RV32_FMT_I:
	case RV32_FMT_IP:
	case RV32_FMT_IA:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->imm = imm_i(w);
		break;
	case RV32_FMT_SH:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->imm = rs2;
		break;
	case RV32_FMT_S:
	case RV32_FMT_SP:
		insn->rs1 = rs1;
		insn->rs2 = rs2;
		insn->imm = imm_s(w);
		break;
	case RV32_FMT_B:
		insn->rs1 = rs1;
		insn->rs2 = rs2;
		insn->imm = from_pc(pc, imm_b(w));
		break;
	case RV32_FMT_BI:
		insn->rs1 = rs1;
		insn->imm = from_pc(pc, imm_b(w));
		break;
	case RV32_FMT_U:
		insn->rd = rd;
		insn->imm = (int32_t)(w & 0xfffff000);
		break;
	case RV32_FMT_UPC:
		insn->rd = rd;
		insn->imm = from_pc(pc, (int32_t)(w & 0xfffff000));
		break;
	case RV32_FMT_J:
		insn->rd = rd;
		insn->imm = from_pc(pc, imm_j(w));
		break;
	case RV32_FMT_CSR:
	case RV32_FMT_CSRI:
		insn->rd = rd;
		insn->rs1 = rs1;
		insn->imm = bits(w, 31, 20);
		break;
	case RV32_FMT_LPI:
		insn->rd = rd & 1;
		insn->imm = from_pc(pc, bits(w, 31, 20) << 1);
		break;
	case RV32_FMT_LPR:
		insn->rd = rd & 1;
		insn->rs1 = rs1;
		break;
	case RV32_FMT_LPC:
		insn->rd = rd & 1;
		insn->imm = bits(w, 31, 20);
		break;
	case RV32_FMT_LPS:
		insn->rd = rd & 1;
		insn->rs1 = rs1;
		insn->imm = from_pc(pc, bits(w, 31, 20) << 1);
		break;
	case RV32_FMT_LPSI: /* the count stays in the word */
		insn->rd = rd & 1;
		insn->imm = from_pc(pc, rs1 << 1);
		break;
	default:
		break;
	}
}

void rv32_insn__decode(struct rv32_insn *insn, uint32_t pc, uint32_t word)
{
	memset(insn, 0, sizeof(*insn));
	insn->pc = pc;
	insn->word = word;
	insn->len_bytes = 4;
	for (unsigned i = 0; i < ROWS; i++) {
		if ((word & rows[i].mask) != rows[i].match)
			continue;
		insn->opcode = (uint8_t)i;
		insn->format = rows[i].format;
		insn->class_ = rows[i].class_;
		fields(insn, pc, word);
		return;
	}
	insn->opcode = RV32_OP_illegal;
	insn->format = RV32_FMT_N;
	insn->class_ = RV32_CLASS_FAULT;
}

uint32_t rv32_insn__reads(const struct rv32_insn *insn)
{
	uint32_t rs1 = 1u << insn->rs1, rs2 = 1u << insn->rs2, rd = 1u << insn->rd, mask;

	switch (insn->format) {
	case RV32_FMT_I:
	case RV32_FMT_SH:
	case RV32_FMT_CSR:
	case RV32_FMT_IP:
	case RV32_FMT_LPR:
	case RV32_FMT_LPS:
	case RV32_FMT_BI:
		mask = rs1;
		break;
	case RV32_FMT_R:
	case RV32_FMT_RP:
	case RV32_FMT_S:
	case RV32_FMT_SP:
	case RV32_FMT_B:
		mask = rs1 | rs2;
		break;
	case RV32_FMT_IA:
		mask = rs1 | rd;
		break;
	case RV32_FMT_RA:
	case RV32_FMT_S3:
	case RV32_FMT_S3P:
		mask = rs1 | rs2 | rd;
		break;
	default:
		mask = 0;
	}
	return mask & ~1u;
}

/* --- RV32C --- */

enum { LOAD = 0x03, OPIMM = 0x13, STORE = 0x23, OP = 0x33, LUI = 0x37, BRANCH = 0x63, JALR = 0x67, JAL = 0x6f };
enum { X0 = 0, RA = 1, SP = 2 };

static uint32_t field(uint32_t c, unsigned from, unsigned width, unsigned to)
{
	return ((c >> from) & ((1u << width) - 1)) << to;
}

/* The six-bit signed immediate of CI and CB formats. */
static int32_t imm6(uint32_t c)
{
	return (int32_t)((field(c, 12, 1, 5) | field(c, 2, 5, 0)) ^ 32) - 32;
}

static uint32_t enc_i(uint32_t opcode, uint32_t f3, uint32_t rd, uint32_t rs1, int32_t imm)
{
	return opcode | rd << 7 | f3 << 12 | rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t enc_r(uint32_t f7, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
	return OP | rd << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | f7 << 25;
}

static uint32_t enc_sw(uint32_t rs1, uint32_t rs2, uint32_t imm)
{
	return STORE | field(imm, 0, 5, 7) | 2u << 12 | rs1 << 15 | rs2 << 20 | field(imm, 5, 7, 25);
}

static uint32_t enc_jal(uint32_t rd, uint32_t c)
{
	uint32_t imm = field(c, 12, 1, 11) | field(c, 11, 1, 4) | field(c, 9, 2, 8) | field(c, 8, 1, 10) | field(c, 7, 1, 6) |
		       field(c, 6, 1, 7) | field(c, 3, 3, 1) | field(c, 2, 1, 5);

	if (imm & 0x800)
		imm |= 0xfffff000;
	return JAL | rd << 7 | field(imm, 12, 8, 12) | field(imm, 11, 1, 20) | field(imm, 1, 10, 21) | field(imm, 20, 1, 31);
}

static uint32_t enc_branch(uint32_t f3, uint32_t rs1, uint32_t c)
{
	uint32_t imm = field(c, 12, 1, 8) | field(c, 10, 2, 3) | field(c, 5, 2, 6) | field(c, 3, 2, 1) | field(c, 2, 1, 5);

	if (imm & 0x100)
		imm |= 0xfffffe00;
	return BRANCH | field(imm, 11, 1, 7) | field(imm, 1, 4, 8) | f3 << 12 | rs1 << 15 | field(imm, 5, 6, 25) | field(imm, 12, 1, 31);
}

static uint32_t quadrant0(uint32_t c, uint32_t f3)
{
	uint32_t rs1 = 8 + field(c, 7, 3, 0), rd = 8 + field(c, 2, 3, 0), imm;

	switch (f3) {
	case 0: /* c.addi4spn */
		imm = field(c, 11, 2, 4) | field(c, 7, 4, 6) | field(c, 6, 1, 2) | field(c, 5, 1, 3);
		return imm ? enc_i(OPIMM, 0, rd, SP, (int32_t)imm) : 0;
	case 2: /* c.lw */
	case 6: /* c.sw */
		imm = field(c, 10, 3, 3) | field(c, 6, 1, 2) | field(c, 5, 1, 6);
		return f3 == 2 ? enc_i(LOAD, 2, rd, rs1, (int32_t)imm) : enc_sw(rs1, rd, imm);
	default:
		return 0;
	}
}

/* c.srli, c.srai, c.andi, c.sub, c.xor, c.or, c.and */
static uint32_t arithmetic(uint32_t c)
{
	static const uint8_t f3[4] = { 0, 4, 6, 7 };
	uint32_t rd = 8 + field(c, 7, 3, 0), rs2 = 8 + field(c, 2, 3, 0), kind = field(c, 5, 2, 0);

	switch (field(c, 10, 2, 0)) {
	case 0:
		return c & 0x1000 ? 0 : enc_i(OPIMM, 5, rd, rd, imm6(c) & 31);
	case 1:
		return c & 0x1000 ? 0 : enc_i(OPIMM, 5, rd, rd, (imm6(c) & 31) | 0x400);
	case 2:
		return enc_i(OPIMM, 7, rd, rd, imm6(c));
	default:
		return c & 0x1000 ? 0 : enc_r(kind ? 0 : 0x20, f3[kind], rd, rd, rs2);
	}
}

/* Expands a compressed instruction whose lowest bits are 01. Returns 0 if it is illegal. f3: its highest three bits. */
static uint32_t quadrant1(uint32_t c, uint32_t f3)
{
	uint32_t rd = field(c, 7, 5, 0), imm;

	switch (f3) {
	case 0: /* c.addi, c.nop */
		return enc_i(OPIMM, 0, rd, rd, imm6(c));
	case 1: /* c.jal */
		return enc_jal(RA, c);
	case 2: /* c.li */
		return enc_i(OPIMM, 0, rd, X0, imm6(c));
	case 3:
		if (rd == SP) { /* c.addi16sp */
			imm = field(c, 12, 1, 9) | field(c, 6, 1, 4) | field(c, 5, 1, 6) | field(c, 3, 2, 7) | field(c, 2, 1, 5);
			return imm ? enc_i(OPIMM, 0, SP, SP, (int32_t)(imm ^ 0x200) - 0x200) : 0;
		}
		return imm6(c) ? LUI | rd << 7 | (uint32_t)imm6(c) << 12 : 0; /* c.lui */
	case 4:
		return arithmetic(c);
	case 5: /* c.j */
		return enc_jal(X0, c);
	default: /* c.beqz, c.bnez */
		return enc_branch(f3 - 6, 8 + field(c, 7, 3, 0), c);
	}
}

static uint32_t quadrant2(uint32_t c, uint32_t f3)
{
	uint32_t rd = field(c, 7, 5, 0), rs2 = field(c, 2, 5, 0), imm;

	switch (f3) {
	case 0: /* c.slli */
		return c & 0x1000 ? 0 : enc_i(OPIMM, 1, rd, rd, imm6(c) & 31);
	case 2: /* c.lwsp */
		imm = field(c, 12, 1, 5) | field(c, 4, 3, 2) | field(c, 2, 2, 6);
		return rd ? enc_i(LOAD, 2, rd, SP, (int32_t)imm) : 0;
	case 4:
		if (rs2) /* c.add, c.mv */
			return enc_r(0, 0, rd, c & 0x1000 ? rd : X0, rs2);
		if (!rd) /* c.ebreak */
			return c & 0x1000 ? 0x00100073 : 0;
		return enc_i(JALR, 0, c & 0x1000 ? RA : X0, rd, 0); /* c.jalr, c.jr */
	case 6:                                                     /* c.swsp */
		return enc_sw(SP, rs2, field(c, 9, 4, 2) | field(c, 7, 2, 6));
	default:
		return 0;
	}
}

uint32_t rv32_expand(uint16_t c)
{
	uint32_t f3 = c >> 13;

	switch (c & 3) {
	case 0:
		return quadrant0(c, f3);
	case 1:
		return quadrant1(c, f3);
	case 2:
		return quadrant2(c, f3);
	default:
		return 0;
	}
}
