/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_RANDOM_PROGRAM_H
#define TESTS_COMMON_RANDOM_PROGRAM_H

/* Random rv32 programs that end only by their length: with jumps into the middle of everything, and their memory. */
#include <stdint.h>

enum {
	INSNS = 220,
	CODE_AT = 0x102,
	CODE_BYTES = 0x1000,
	L1_AT = 0x20000,
	L1_BYTES = 0x1000,
	DEVICE_AT = 0x40000,
	TABLE = 0x400 /* of code addresses, in L1 */,
	BASE = 8,
	DEVICE = 9,
	LINKS = 6
};

enum kind { ADD, ADDI, MUL, MULH, DIV, REMU, LW, LH, SW, AMOADD, BNE, BLT, JAL, JALR, CSR_HART, FENCE, KINDS };

struct insn {
	enum kind kind;
	unsigned len, rd, rs1, rs2, target; /* target: index */
	int32_t imm;
	uint32_t pc;
};

/* The one that was made last. */
extern struct random_program {
	struct insn insn[INSNS];
	unsigned insns;
	uint8_t code[CODE_BYTES], l1[L1_BYTES];
	uint64_t state; /* of the random numbers */
} random_program;

void random_program__make(uint32_t seed);
/* The next number of the same sequence, below it. */
uint32_t random_any(uint32_t below);
/* The instruction that begins at pc; random_program.insns: none. */
unsigned random_program__index(uint32_t pc);

#endif
