/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_RANDOM_PROGRAM_H
#define TESTS_COMMON_RANDOM_PROGRAM_H

/*
 * Random rv32 programs and their memory. They have jumps to any instruction, and no exit: only a limit on the number of instructions ends
 * them. Made for tests/core/random_programs.c.
 */
#include <stdint.h>

/*
 * Sizes and addresses of code, L1 and a device; then register numbers: pointers to L1 and to the device, and the first of two code
 * addresses.
 */
enum {
	INSNS = 220,
	CODE_AT = 0x102,
	CODE_BYTES = 0x1000,
	L1_AT = 0x20000,
	L1_BYTES = 0x1000,
	DEVICE_AT = 0x40000,
	TABLE = 0x400 /* code addresses, in L1 */,
	BASE = 8,
	DEVICE = 9,
	LINKS = 6
};

enum kind { ADD, ADDI, MUL, MULH, DIV, REMU, LW, LH, SW, AMOADD, BNE, BLT, JAL, JALR, CSR_HART, FENCE, KINDS };

struct insn {
	enum kind kind;
	unsigned len, rd, rs1, rs2, target; /* target: index of an instruction */
	int32_t imm;
	uint32_t pc;
};

/* The program that was made last. */
extern struct random_program {
	struct insn insn[INSNS];
	unsigned insns;
	uint8_t code[CODE_BYTES], l1[L1_BYTES];
	uint64_t state; /* of the random number generator */
} random_program;

void random_program__make(uint32_t seed);
/* Returns the next number of the same sequence, below `below`. */
uint32_t random_program__rand(uint32_t below);
/* Returns the index of the instruction that begins at pc, or random_program.insns. */
unsigned random_program__index(uint32_t pc);

#endif
