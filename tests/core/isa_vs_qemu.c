/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of the modelled RISC-V core: every rv32imac instruction on random and extreme operands. One program, run by qemu-riscv32 and by
 * hpu-run (the core alone), must write the same bytes and execute the same number of instructions. Run by tests/run.
 */
#include <inttypes.h>
#include <stdint.h>
#include <sys/wait.h>

#include "tests/core/toolchain.h"

enum { TRIES = 24 };

static FILE *out;
static uint32_t seed = 20240229;
static unsigned results;

static uint32_t random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static uint32_t operand(unsigned try)
{
	static const uint32_t extreme[] = { 0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 0xfffffffe, 0xffff8000 };
	uint32_t r = random_word();

	if (try % 3 == 0 || r % 5 == 0)
		return extreme[random_word() % 8];
	return r % 5 == 1 ? random_word() % 64 : random_word() >> r % 29;
}

static int32_t imm(unsigned bits)
{
	uint32_t r = random_word();

	if (r % 7 == 0)
		return r & 8 ? (1 << (bits - 1)) - 1 : -(1 << (bits - 1));
	return (int32_t)(random_word() << (32 - bits)) >> (32 - bits);
}

/* Stores the result in a2 at s1, and advances s1. */
static void store_result(void)
{
	fprintf(out, "\tsw a2,0(s1)\n\taddi s1,s1,4\n");
	results++;
}

static void load_operands(unsigned try)
{
	fprintf(out, "\tli a0,%" PRIu32 "\n\tli a1,%" PRIu32 "\n\tli a2,%" PRIu32 "\n", operand(try), operand(try + 1), random_word());
}

static void alu(void)
{
	static const char *const r[] = { "add", "sub", "sll",  "slt",    "sltu",  "xor", "srl",  "sra", "or",
					 "and", "mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu" };
	static const char *const i[] = { "addi", "slti", "sltiu", "xori", "ori", "andi" };
	static const char *const s[] = { "slli", "srli", "srai" };
	static const char *const u[] = { "lui", "auipc" };
	static const char *const c[] = { "c.sub", "c.xor", "c.or", "c.and", "c.add", "c.mv" };

	for (unsigned t = 0; t < TRIES; t++) {
		for (unsigned k = 0; k < sizeof(r) / sizeof(*r); k++) {
			load_operands(t);
			fprintf(out, "\t%s a2,a0,a1\n", r[k]);
			store_result();
			fprintf(out, "\t%s x0,a0,a1\n\tmv a2,x0\n\t%s a0,a0,a0\n\tadd a2,a2,a0\n", r[k], r[k]);
			store_result();
		}
		for (unsigned k = 0; k < sizeof(i) / sizeof(*i); k++) {
			load_operands(t);
			fprintf(out, "\t%s a2,a0,%" PRId32 "\n", i[k], imm(12));
			store_result();
		}
		for (unsigned k = 0; k < sizeof(s) / sizeof(*s); k++) {
			load_operands(t);
			fprintf(out, "\t%s a2,a0,%" PRIu32 "\n", s[k], random_word() % 32);
			store_result();
			fprintf(out, "\tc.%s a2,%" PRIu32 "\n", s[k], 1 + random_word() % 31);
			store_result();
		}
		fprintf(out, "\t%s a2,%" PRIu32 "\n", u[0], random_word() >> 12);
		store_result();
		fprintf(out, "1:\t%s a2,%" PRIu32 "\n\tla a1,1b\n\tsub a2,a2,a1\n", u[1], random_word() >> 12);
		store_result();
		for (unsigned k = 0; k < sizeof(c) / sizeof(*c); k++) {
			load_operands(t);
			fprintf(out, "\t%s a2,a1\n", c[k]);
			store_result();
		}
		load_operands(t);
		fprintf(out, "\tc.addi a2,%" PRId32 "\n", imm(6) | 1);
		store_result();
		fprintf(out, "\tc.andi a2,%" PRId32 "\n", imm(6));
		store_result();
		fprintf(out, "\tc.li a2,%" PRId32 "\n\tc.nop\n", imm(6));
		store_result();
		fprintf(out, "\tc.lui a2,0x%" PRIx32 "\n", random_word() & 1 ? 1 + random_word() % 31 : 0xfffe0 + random_word() % 32);
		store_result();
		fprintf(out, "\tmv s2,sp\n\tc.addi16sp sp,%" PRId32 "\n\tsub a2,sp,s2\n\tmv sp,s2\n",
			(int32_t)(1 + random_word() % 30) * 16 * (random_word() & 1 ? 1 : -1));
		store_result();
		fprintf(out, "\tc.addi4spn a2,sp,%" PRIu32 "\n\tsub a2,a2,sp\n", 4 * (1 + random_word() % 255));
		store_result();
	}
}

/* s0 points into the middle of a scratch area */
static void memory(void)
{
	static const char *const l[] = { "lb", "lh", "lw", "lbu", "lhu" };
	static const char *const s[] = { "sb", "sh", "sw" };

	for (unsigned t = 0; t < TRIES; t++) {
		for (unsigned k = 0; k < 3; k++) {
			int32_t at = (int32_t)(random_word() % 4000) - 2000;

			load_operands(t);
			fprintf(out, "\t%s a0,%" PRId32 "(s0)\n\tlw a2,%" PRId32 "(s0)\n", s[k], at, at & ~3);
			store_result();
			fprintf(out, "\tlw a2,%" PRId32 "(s0)\n", (at & ~3) + 4);
			store_result();
		}
		for (unsigned k = 0; k < 5; k++) {
			fprintf(out, "\t%s a2,%" PRId32 "(s0)\n", l[k], (int32_t)(random_word() % 4000) - 2000);
			store_result();
		}
		load_operands(t);
		fprintf(out, "\tmv a3,s0\n\tc.sw a0,%u(a3)\n\tc.lw a2,%u(a3)\n", 4 * (t % 32), 4 * (t % 32));
		store_result();
		fprintf(out, "\tmv t0,sp\n\tmv sp,s0\n\tc.swsp a1,%u(sp)\n\tc.lwsp a2,%u(sp)\n\tmv sp,t0\n", 8 * (t % 32), 8 * (t % 32));
		store_result();
	}
}

static void jumps(void)
{
	static const char *const b[] = { "beq", "bne", "blt", "bge", "bltu", "bgeu" };

	for (unsigned t = 0; t < TRIES; t++) {
		for (unsigned k = 0; k < 6; k++) {
			load_operands(t);
			if (random_word() % 4 == 0)
				fprintf(out, "\tmv a1,a0\n");
			fprintf(out, "\tli a2,1\n\t%s a0,a1,1f\n\tli a2,2\n1:\n", b[k]);
			store_result();
		}
		for (unsigned k = 0; k < 2; k++) {
			fprintf(out, "\tli a0,%u\n\tli a2,1\n\t%s a0,1f\n\tli a2,2\n1:\n", random_word() % 2, k ? "c.beqz" : "c.bnez");
			store_result();
		}
		fprintf(out, "\tjal a2,1f\n\tnop\n1:\tla a1,1b\n\tsub a2,a2,a1\n");
		store_result();
		fprintf(out, "\tla a0,1f+%u\n\tjalr a2,%d(a0)\n\tnop\n1:\tla a1,1b\n\tsub a2,a2,a1\n", t + 1 - t % 2, -(int)(t - t % 2));
		store_result();
		fprintf(out, "\tla a2,1f\n\tjalr a2,0(a2)\n\tnop\n1:\tla a1,1b\n\tsub a2,a2,a1\n");
		store_result();
		fprintf(out, "\tc.jal 1f\n\tc.nop\n1:\tla a1,1b\n\tsub a2,ra,a1\n");
		store_result();
		fprintf(out, "\tli a2,3\n\tc.j 1f\n\tli a2,4\n1:\n");
		store_result();
		fprintf(out, "\tla a0,1f\n\tc.jalr a0\n\tc.nop\n1:\tsub a2,ra,a0\n");
		store_result();
		fprintf(out, "\tla a0,1f\n\tli a2,3\n\tc.jr a0\n\tli a2,4\n1:\n");
		store_result();
		/* a backward loop over a block boundary */
		fprintf(out, "\tli a0,%u\n\tli a2,0\n1:\tadd a2,a2,a0\n\taddi a0,a0,-1\n\tbnez a0,1b\n", 1 + t);
		store_result();
	}
}

static void atomics(void)
{
	static const char *const a[] = { "amoswap", "amoadd", "amoxor", "amoand", "amoor", "amomin", "amomax", "amominu", "amomaxu" };

	for (unsigned t = 0; t < TRIES; t++) {
		for (unsigned k = 0; k < 9; k++) {
			load_operands(t);
			fprintf(out, "\tsw a0,0(s0)\n\t%s.w%s a2,a1,(s0)\n", a[k], t % 2 ? ".aqrl" : "");
			store_result();
			fprintf(out, "\tlw a2,0(s0)\n");
			store_result();
		}
		load_operands(t);
		fprintf(out, "\tsw a0,0(s0)\n\tlr.w a2,(s0)\n");
		store_result();
		fprintf(out, "\tsc.w a2,a1,(s0)\n");
		store_result();
		fprintf(out, "\tlw a2,0(s0)\n");
		store_result();
		fprintf(out, "\tsc.w a2,a0,(s0)\n"); /* no reservation left */
		store_result();
		fprintf(out, "\tfence\n\tfence.i\n\tlw a2,0(s0)\n");
		store_result();
	}
}

static int generate(const char *path)
{
	out = fopen(path, "w");
	if (!out)
		return FAIL;
	fprintf(out, "\t.option norelax\n\t.globl _start\n_start:\n\tla s0,scratch+4096\n\tla s1,results\n");
	alu();
	memory();
	jumps();
	atomics();
	fprintf(out, "\tli a0,1\n\tla a1,results\n\tli a2,%u\n\tli a7,64\n\tecall\n\tli a0,0\n\tli a7,93\n\tecall\n", 4 * results);
	fprintf(out, "\t.bss\n\t.balign 4\nscratch: .zero 8192\nresults: .zero %u\n", 4 * results);
	return fclose(out) ? FAIL : PASS;
}

static int run(const char *format, const char *a, const char *b, const char *c)
{
	char command[2000];

	snprintf(command, sizeof(command), format, a, b, c);
	if (system(command) == 0)
		return PASS;
	printf("failed: %s\n", command);
	return FAIL;
}

static uint64_t count_lines(const char *text, const char *start)
{
	uint64_t n = 0;

	for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		n += strncmp(p, start, strlen(start)) == 0;
	return n;
}

static int compare(const char *ours, const char *theirs)
{
	size_t n, m;
	char *a = slurp(ours, &n), *b = slurp(theirs, &m);
	int result = PASS;

	if (!a || !b || n != m || n != 4 * results) {
		printf("%zu and %zu bytes written instead of %u\n", n, m, 4 * results);
		result = FAIL;
	} else if (memcmp(a, b, n) != 0) {
		for (unsigned i = 0; i < results; i++) {
			uint32_t x, y;

			memcpy(&x, a + 4 * i, 4);
			memcpy(&y, b + 4 * i, 4);
			if (x == y)
				continue;
			printf("result %u: 0x%08" PRIx32 ", qemu has 0x%08" PRIx32 " (see isa.S)\n", i, x, y);
			result = FAIL;
			break;
		}
	}
	free(a);
	free(b);
	return result;
}

int main(void)
{
	const char *source = build_path("tests/core/isa.S"), *elf = build_path("tests/core/isa.elf");
	const char *ours = build_path("tests/core/isa.hpu"), *theirs = build_path("tests/core/isa.qemu");
	const char *json = build_path("tests/core/isa.json"), *trace = build_path("tests/core/isa.trace");
	uint64_t counted = 0, traced;
	char *text, *field;
	size_t len;

	if (!have(cross_gcc()) || !have("qemu-riscv32")) {
		printf("skip: needs %s (package gcc-riscv64-unknown-elf) and qemu-riscv32 (package qemu-user)\n", cross_gcc());
		return SKIP;
	}
	if (generate(source) != PASS) {
		printf("cannot write %s\n", source);
		return FAIL;
	}
	if (run("%s -march=rv32imac_zicsr_zifencei -mabi=ilp32 -nostdlib -static -o %s %s", cross_gcc(), elf, source) ||
	    run("qemu-riscv32 %s >%s%s", elf, theirs, "") || run("%s --json %s 2>%s", build_path("bin/hpu-run"), elf, ours) ||
	    run("%s --json --quiet %s >%s", build_path("bin/hpu-run"), elf, json) || compare(ours, theirs))
		return FAIL;
	printf("%u results equal qemu's\n", results);

	/* QEMU 8 renamed -singlestep */
	if (run("qemu-riscv32 $(qemu-riscv32 -h | grep -o -m 1 -e -one-insn-per-tb || echo -singlestep) "
		"-d nochain,exec -D %s %s >%s",
		trace, elf, theirs))
		return FAIL;
	text = slurp(trace, &len);
	traced = count_lines(text, "Trace ");
	free(text);
	text = slurp(json, &len);
	field = text ? strstr(text, "\"instructions\":") : NULL;
	if (field)
		counted = strtoull(field + strlen("\"instructions\":"), NULL, 10);
	free(text);
	remove(trace);
	if (counted != traced) {
		printf("%" PRIu64 " instructions counted, qemu executed %" PRIu64 "\n", counted, traced);
		return FAIL;
	}
	printf("%" PRIu64 " instructions, as many as qemu executed\n", counted);
	return PASS;
}
