/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes random rv32 programs: turns random choices into instruction words (random_program.h). Called by tests/core/random_programs.c. The
 * same seed gives the same program.
 */
#include <string.h>

#include "tests/common/random.h"
#include "tests/common/random_program.h"

struct random_program random_program;

uint32_t random_program__rand(uint32_t below)
{
	return random_below(&random_program.state, below);
}

/* data registers are x10 to x15; x6 and x7 always hold code addresses */
static unsigned data_reg(void)
{
	return random_program__rand(8) == 0 ? 0 : 10 + random_program__rand(6);
}

static void choose_insn(struct insn *in)
{
	static const enum kind often[] = { ADD, ADDI, ADDI, LW, LW, LW, SW, BNE, BLT, JAL, JALR, JALR, ADD, LH };

	memset(in, 0, sizeof(*in));
	in->kind = random_program__rand(3) ? often[random_program__rand(sizeof(often) / sizeof(*often))]
					   : (enum kind)random_program__rand(KINDS);
	in->len = 4;
	in->rd = data_reg();
	in->rs1 = data_reg();
	in->rs2 = data_reg();
	in->imm = (int32_t)random_program__rand(64) - 32;
	in->target = random_program__rand(random_program.insns);
	switch (in->kind) {
	case ADD:
		if (random_program__rand(2) && in->rs2) { /* c.add, c.mv */
			in->len = 2;
			in->rd = in->rd ? in->rd : 10;
			in->rs1 = random_program__rand(2) ? in->rd : 0;
		}
		break;
	case ADDI:
		if (random_program__rand(4) == 0) { /* loads an address in random_program.code */
			in->rd = LINKS + random_program__rand(2);
			in->rs1 = 0;
		} else if (random_program__rand(2)) {
			in->len = 2;
			in->rd = in->rd ? in->rd : 10;
			in->rs1 = in->rd;
			in->imm = in->imm ? in->imm : 1;
		}
		break;
	case LW:
	case LH:
	case SW:
		in->rs1 = random_program__rand(6) ? BASE : DEVICE;
		in->imm = (int32_t)random_program__rand(64) * 4;
		if (in->kind == LW && random_program__rand(3) == 0) {
			in->rd = LINKS + random_program__rand(2);
			in->rs1 = BASE;
			in->imm = TABLE + (int32_t)random_program__rand(64) * 4;
		} else if (random_program__rand(6) == 0) {
			in->imm += (int32_t)random_program__rand(4);
		} else if (in->kind != LH && in->rs1 == BASE && random_program__rand(2)) {
			in->len = 2;
			in->imm &= 0x7c;
			in->rd = 10 + random_program__rand(6);
			in->rs2 = 10 + random_program__rand(6);
		}
		break;
	case AMOADD:
		in->rs1 = random_program__rand(4) ? BASE : DEVICE;
		break;
	case JALR:
		in->rs1 = LINKS + random_program__rand(2);
		in->rd = random_program__rand(3) ? 0 : random_program__rand(2) ? in->rs1 : 1;
		in->len = in->rd < 2 && random_program__rand(2) ? 2 : 4;
		break;
	case JAL:
		in->rd = random_program__rand(2) ? 0 : LINKS + random_program__rand(2);
		in->len = 4;
		break;
	default:
		break;
	}
}

static uint32_t r_type(uint32_t op, uint32_t f3, uint32_t f7, const struct insn *in)
{
	return op | in->rd << 7 | f3 << 12 | in->rs1 << 15 | in->rs2 << 20 | f7 << 25;
}

static uint32_t i_type(uint32_t op, uint32_t f3, const struct insn *in)
{
	return op | in->rd << 7 | f3 << 12 | in->rs1 << 15 | (uint32_t)in->imm << 20;
}

static uint32_t encode(const struct insn *in)
{
	uint32_t to = random_program.insn[in->target].pc - in->pc, i = (uint32_t)in->imm;

	switch (in->kind) {
	case ADD:
		return in->len == 2 ? 0x8002 | (in->rs1 ? 0x1000 : 0) | in->rd << 7 | in->rs2 << 2 : r_type(0x33, 0, 0, in);
	case ADDI:
		return in->len == 2 ? 0x0001 | in->rd << 7 | (i & 31) << 2 | (i >> 5 & 1) << 12 : i_type(0x13, 0, in);
	case MUL:
		return r_type(0x33, 0, 1, in);
	case MULH:
		return r_type(0x33, 1, 1, in);
	case DIV:
		return r_type(0x33, 4, 1, in);
	case REMU:
		return r_type(0x33, 7, 1, in);
	case LW:
	case SW:
		if (in->len == 2)
			return (in->kind == LW ? 0x4000u : 0xc000u) | (i >> 3 & 7) << 10 | (in->rs1 - 8) << 7 | (i >> 2 & 1) << 6 |
			       (i >> 6 & 1) << 5 | ((in->kind == LW ? in->rd : in->rs2) - 8) << 2;
		if (in->kind == LW)
			return i_type(0x03, 2, in);
		return 0x23 | (i & 31) << 7 | 2 << 12 | in->rs1 << 15 | in->rs2 << 20 | (i >> 5) << 25;
	case LH:
		return i_type(0x03, 1, in);
	case AMOADD:
		return r_type(0x2f, 2, 0, in);
	case BNE:
	case BLT:
		return 0x63 | (to >> 11 & 1) << 7 | (to >> 1 & 15) << 8 | (in->kind == BNE ? 1u : 4u) << 12 | in->rs1 << 15 |
		       in->rs2 << 20 | (to >> 5 & 63) << 25 | (to >> 12 & 1) << 31;
	case JAL:
		return 0x6f | in->rd << 7 | (to >> 12 & 255) << 12 | (to >> 11 & 1) << 20 | (to >> 1 & 1023) << 21 | (to >> 20 & 1) << 31;
	case JALR:
		return in->len == 2 ? 0x8002 | (in->rd ? 0x1000 : 0) | in->rs1 << 7 : 0x67 | in->rd << 7 | in->rs1 << 15;
	case CSR_HART:
		return 0x73 | in->rd << 7 | 2 << 12 | 0xf14u << 20;
	default:
		return 0x0f;
	}
}

void random_program__make(uint32_t seed)
{
	uint32_t pc;

	random_program.state = seed;
	pc = CODE_AT + 2 * random_program__rand(8);

	random_program.insns = 20 + random_program__rand(INSNS - 20);
	for (unsigned i = 0; i < random_program.insns; i++) {
		struct insn *in = &random_program.insn[i];

		choose_insn(in);
		/* a crossing access right after an AMO would need the banks of both words */
		if (i && in[-1].kind == AMOADD && (in->kind == LW || in->kind == LH || in->kind == SW))
			in->imm &= ~3;
		in->pc = pc;
		pc += in->len;
	}
	memset(random_program.code, 0, sizeof(random_program.code));
	for (unsigned i = 0; i < random_program.insns; i++) {
		struct insn *in = &random_program.insn[i];
		uint32_t word;

		if (in->kind == ADDI && in->rd >= LINKS && in->rd < LINKS + 2)
			in->imm = (int32_t)random_program.insn[random_program__rand(random_program.insns)].pc;
		word = encode(in);
		memcpy(random_program.code + in->pc, &word, in->len);
	}
	for (unsigned i = 0; i < L1_BYTES; i += 4) {
		uint32_t v = i >= TABLE                ? random_program.insn[random_program__rand(random_program.insns)].pc
			     : random_program__rand(3) ? random_program__rand(1 << 24)
						       : random_program__rand(4) - 2;

		memcpy(random_program.l1 + i, &v, 4);
	}
}

unsigned random_program__index(uint32_t pc)
{
	for (unsigned i = 0; i < random_program.insns; i++) {
		if (random_program.insn[i].pc == pc)
			return i;
	}
	return random_program.insns;
}
