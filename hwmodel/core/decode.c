/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* From a 32-bit word to fields. */
#include <string.h>

#include "hwmodel/core/insn.h"

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

static int32_t imm_b(uint32_t w)
{
	return (int32_t)(w & 0x80000000) >> 19 | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1;
}

static int32_t imm_j(uint32_t w)
{
	return (int32_t)(w & 0x80000000) >> 11 | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1;
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
