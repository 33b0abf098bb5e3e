/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* RV32C 2.0 without floating point: each 16-bit instruction as the 32-bit one it stands for. */
#include "hwmodel/core/insn.h"

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
