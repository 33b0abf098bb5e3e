/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the model of hXDP's compiler in spinctl cost --compare (user/cost/compare/vliw.h). It packs eBPF instructions that run in the same
 * cycle into a row, one to a lane. Rows and lanes of small programs must be those derived by hand from the paper's rules. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>

#include "user/cost/compare/vliw.h"

/* eBPF instructions, from which the programs below are written. */
#define MOV(dst, src)                                                               \
	{                                                                           \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = dst, .src_reg = src \
	}
#define MOVI(dst, value)                                                          \
	{                                                                         \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = dst, .imm = value \
	}
#define ADD(dst, src)                                                               \
	{                                                                           \
		.code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = dst, .src_reg = src \
	}
#define ADDI(dst, value)                                                          \
	{                                                                         \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = dst, .imm = value \
	}
#define LD(size, dst, src, at)                                                              \
	{                                                                                   \
		.code = BPF_LDX | BPF_MEM | size, .dst_reg = dst, .src_reg = src, .off = at \
	}
#define ST(size, dst, at, src)                                                              \
	{                                                                                   \
		.code = BPF_STX | BPF_MEM | size, .dst_reg = dst, .src_reg = src, .off = at \
	}
#define JUMP(op, dst, src, to)                                                          \
	{                                                                               \
		.code = BPF_JMP | op | BPF_X, .dst_reg = dst, .src_reg = src, .off = to \
	}
#define JUMPI(op, dst, value, to)                                                     \
	{                                                                             \
		.code = BPF_JMP | op | BPF_K, .dst_reg = dst, .imm = value, .off = to \
	}
#define CALL(id)                                      \
	{                                             \
		.code = BPF_JMP | BPF_CALL, .imm = id \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
/* Jumps back from instruction i to the first one: the program is one block, and all results are used. */
#define AGAIN(i)                                        \
	{                                               \
		.code = BPF_JMP | BPF_JA, .off = -(i)-1 \
	}
#define GONE -1

static int failures;

static void expect_equal(const char *what, const char *of, unsigned got, unsigned want)
{
	if (got == want)
		return;
	printf("%s: %s is %u, not %u\n", what, of, got, want);
	failures++;
}

/* rows: the expected row of each instruction, GONE if it is removed. */
static void check(const char *what, const struct bpf_insn *insns, unsigned count, unsigned without, unsigned all, const int *rows)
{
	struct vliw v;

	if (vliw__compile(&v, insns, count, 4, without)) {
		printf("%s: not compiled\n", what);
		failures++;
		return;
	}
	expect_equal(what, "number of rows", v.rows, all);
	for (unsigned i = 0; i < count; i++) {
		char of[64];

		snprintf(of, sizeof(of), "instruction %u: removed", i);
		expect_equal(what, of, (unsigned)v.ops[i].removed, rows[i] == GONE);
		snprintf(of, sizeof(of), "instruction %u: row", i);
		if (rows[i] != GONE && !v.ops[i].removed)
			expect_equal(what, of, v.ops[i].row, (unsigned)rows[i]);
	}
	vliw__free(&v);
}

#define CHECK(what, without, all, rows, ...)                                                           \
	do {                                                                                           \
		static const struct bpf_insn insns[] = __VA_ARGS__;                                    \
		check(what, insns, sizeof(insns) / sizeof(insns[0]), without, all, (const int[])rows); \
	} while (0)
#define ROWS(...)           \
	{                   \
		__VA_ARGS__ \
	}

/* 3.3: independent instructions share a row, up to the number of lanes; dependent ones are in a later row. */
static void bernstein(void)
{
	CHECK("independent", VLIW_NO_ACTIONS, 2, ROWS(0, 0, 0, 0, 1),
	      { LD(BPF_W, 2, 1, 0), LD(BPF_W, 3, 1, 4), LD(BPF_W, 4, 1, 8), LD(BPF_W, 5, 1, 12), CALL(1) });
	/* both stores write the same address: the third condition */
	CHECK("stores to one place", VLIW_NO_ACTIONS, 2, ROWS(0, 1, 1), { ST(BPF_W, 1, 0, 6), ST(BPF_W, 1, 0, 7), AGAIN(2) });
	CHECK("stores to two places", VLIW_NO_ACTIONS, 1, ROWS(0, 0, 0), { ST(BPF_W, 1, 0, 6), ST(BPF_W, 1, 4, 7), AGAIN(2) });
	/* operands are read at the start of a row: a register may be written in the row that reads it */
	CHECK("read and then written", VLIW_NO_ACTIONS, 1, ROWS(0, 0, 0), { ST(BPF_W, 1, 0, 6), LD(BPF_W, 6, 1, 8), AGAIN(2) });
}

/* 3.4: one helper call per row; r0 is available in the next row. The helper reads its arguments after the row. */
static void helpers(void)
{
	CHECK("two helpers", VLIW_NO_ACTIONS, 3, ROWS(0, 0, 1, 1, 2), { MOVI(1, 3), CALL(5), MOV(1, 0), CALL(5), EXIT });
}

/* 4.2: an instruction that needs two results of the previous row, which are on two lanes, waits one row. */
static void lanes(void)
{
	CHECK("forwarding", VLIW_NO_ACTIONS, 4, ROWS(0, 0, 2, 3),
	      { LD(BPF_W, 2, 1, 0), LD(BPF_W, 3, 1, 4), ADD(2, 3), ST(BPF_W, 1, 0, 2) });
	CHECK("a chain on one lane", VLIW_NO_ACTIONS, 3, ROWS(0, 1, 2), { LD(BPF_W, 2, 1, 0), ADDI(2, 1), ST(BPF_W, 1, 0, 2) });
}

/* 3.2 */
static void isa(void)
{
	CHECK("three operands", 0, 2, ROWS(GONE, 0, 1, 1), { MOV(4, 2), ADDI(4, 42), ST(BPF_DW, 1, 0, 4), AGAIN(3) });
	CHECK("two operands", VLIW_TWO_OPERANDS, 3, ROWS(0, 1, 2, 2), { MOV(4, 2), ADDI(4, 42), ST(BPF_DW, 1, 0, 4), AGAIN(3) });
	CHECK("an exit with its action", 0, 1, ROWS(GONE, 0), { MOVI(0, 1), EXIT });
	CHECK("an exit without", VLIW_NO_ACTIONS | VLIW_KEEP_ZEROING, 2, ROWS(0, 1), { MOVI(0, 1), EXIT });
	CHECK("6 bytes", 0, 2, ROWS(0, GONE, GONE, GONE, GONE, 1, GONE, 1),
	      { LD(BPF_H, 2, 6, 0), LD(BPF_H, 3, 6, 2), LD(BPF_H, 4, 6, 4), ST(BPF_H, 7, 0, 2), ST(BPF_H, 7, 2, 3), ST(BPF_H, 7, 4, 4),
		MOVI(0, 3), EXIT });
	/* the second load would read what the first store wrote */
	CHECK("6 bytes that overlap", 0, 4, ROWS(0, 1, 2, 3, 3),
	      { LD(BPF_W, 2, 6, 0), ST(BPF_W, 6, 2, 2), LD(BPF_H, 3, 6, 4), ST(BPF_H, 6, 6, 3), AGAIN(4) });
}

/* 3.1: removes the boundary check and its operands, and ends the block there. */
static void checks(void)
{
	CHECK("boundary check", 0, 4, ROWS(GONE, 0, GONE, GONE, GONE, 1, 2, GONE, 2, GONE, 0),
	      { LD(BPF_W, 2, 1, 4), LD(BPF_W, 3, 1, 0), MOV(4, 3), ADDI(4, 14), JUMP(BPF_JGT, 4, 2, 4), LD(BPF_B, 5, 3, 12),
		ST(BPF_B, 3, 0, 5), MOVI(0, 2), EXIT, MOVI(0, 1), EXIT });
	/* other comparisons stay */
	CHECK("no boundary check", 0, 5, ROWS(0, 0, 2, GONE, 0, GONE, 0),
	      { LD(BPF_W, 2, 1, 8), LD(BPF_W, 3, 1, 0), JUMP(BPF_JGT, 3, 2, 2), MOVI(0, 2), EXIT, MOVI(0, 1), EXIT });
	CHECK("zeroing", 0, 1, ROWS(GONE, GONE, 0), { MOVI(4, 0), ST(BPF_DW, 10, -8, 4), CALL(1) });
}

/* 4.2: consecutive branches that do not depend on each other's row share a row. */
static void branches(void)
{
	CHECK("a switch", VLIW_NO_ACTIONS, 4, ROWS(0, 1, 1, 1, 0, 1),
	      { LD(BPF_B, 2, 1, 9), JUMPI(BPF_JEQ, 2, 6, 2), JUMPI(BPF_JEQ, 2, 17, 1), JUMPI(BPF_JEQ, 2, 1, 0), MOVI(0, 1), EXIT });
}

static void expect_refused(const char *what, const struct bpf_insn *insns, unsigned count)
{
	struct vliw v;

	expect_equal(what, "result", (unsigned)-vliw__compile(&v, insns, count, 4, 0), EINVAL);
}

static void invalid_programs(void)
{
	static const struct bpf_insn out[] = { { .code = BPF_JMP | BPF_JA, .off = 5 } },
				     back[] = { { .code = BPF_JMP | BPF_JA, .off = -5 } };
	struct vliw v;

	expect_equal("a jump behind the end", "result", (unsigned)-vliw__compile(&v, out, 1, 4, 0), EINVAL);
	expect_equal("a jump before the start", "result", (unsigned)-vliw__compile(&v, back, 1, 4, 0), EINVAL);
	expect_equal("no instructions", "result", (unsigned)-vliw__compile(&v, back, 0, 4, 0), EINVAL);
	expect_equal("no lanes", "result", (unsigned)-vliw__compile(&v, back, 1, 0, 0), EINVAL);
	expect_refused("a boundary check that falls out of the end",
		       (const struct bpf_insn[]){ LD(BPF_W, 2, 1, 4), LD(BPF_W, 3, 1, 0), JUMP(BPF_JEQ, 3, 0, 1), EXIT,
						  JUMP(BPF_JGT, 2, 3, -2) },
		       5);
}

/*
 * Values are copied from register to register through blocks that jump backwards, and are never used. A compiler that analyses the whole
 * program again for each of them takes hours.
 */
static void long_chain(void)
{
	static struct bpf_insn insns[VLIW_INSTRUCTIONS_MAX];
	const unsigned count = VLIW_INSTRUCTIONS_MAX;
	struct vliw v;

	insns[0] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = (int16_t)(count - 3) };
	insns[1] = (struct bpf_insn)EXIT;
	for (unsigned i = 2; i < count; i += 2) {
		insns[i] = (struct bpf_insn)MOV(i / 2 % 2 ? 2 : 3, i / 2 % 2 ? 3 : 2);
		insns[i + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = i == 2 ? -3 : -4 };
	}
	if (vliw__compile(&v, insns, count, 4, 0)) {
		printf("a long chain: not compiled\n");
		failures++;
		return;
	}
	for (unsigned i = 2; i < count; i += 2)
		if (!v.ops[i].removed) {
			printf("a long chain: instruction %u, which nobody needs, is left\n", i);
			failures++;
			break;
		}
	vliw__free(&v);
}

int main(void)
{
	bernstein();
	helpers();
	lanes();
	isa();
	checks();
	branches();
	invalid_programs();
	long_chain();
	return failures != 0;
}
