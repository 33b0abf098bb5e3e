/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the eBPF interpreter of spinctl cost --compare (user/cost/compare/machine.h), which counts the instructions that a program runs for
 * a packet. Each instruction must compute the same as the kernel's BPF_PROG_TEST_RUN, and an invalid or malicious program must end with a
 * reason. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include "user/cost/compare/code.h"
#include "user/cost/compare/machine.h"

/* A struct bpf_insn: opcode, destination and source register, offset, immediate. */
#define OP(code_, dst, src, off_, imm_)                                                 \
	{                                                                               \
		.code = code_, .dst_reg = dst, .src_reg = src, .off = off_, .imm = imm_ \
	}
#define MOVI(dst, value) OP(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define EXIT             OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int failures;
static uint8_t frame[64];

/* Returns the program's result, or -errno. */
static int64_t run(const struct bpf_insn *insns, unsigned count, char *reason, size_t reason_bytes)
{
	struct bpf_code code = { .insns = malloc(count * sizeof(*insns)), .count = count };
	struct machine *m = calloc(1, sizeof(*m));
	int64_t rc = -ENOMEM;

	if (code.insns && m && !machine__open(m, &code)) {
		memcpy(code.insns, insns, count * sizeof(*insns));
		rc = machine__run(m, frame, sizeof(frame));
		rc = rc ? rc : (int64_t)m->action;
		snprintf(reason, reason_bytes, "%s", m->reason);
		machine__close(m);
	}
	free(m);
	free(code.insns);
	return rc;
}

/* Returns the kernel's result, or -errno. */
static int64_t run_in_kernel(const struct bpf_insn *insns, unsigned count)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame));
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "compare", "GPL", insns, count, NULL), err;

	if (fd < 0)
		return -errno;
	err = bpf_prog_test_run_opts(fd, &opts);
	close(fd);
	return err ? -errno : (int64_t)opts.retval;
}

static const uint8_t alu_ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND,
				   BPF_LSH, BPF_RSH, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH };
static const uint8_t jump_ops[] = {
	BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT, BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE
};
static const int32_t operands[][2] = { { 7, 3 }, { -7, 3 }, { 1, -1 }, { 0x7fffffff, 2 }, { -0x80000000, 31 }, { 5, 5 } };

static int checked;

/* 64-bit results are folded into the 32 bits of the return value. */
static void check(const char *what, struct bpf_insn op, int32_t a, int32_t b)
{
	const struct bpf_insn insns[] = {
		MOVI(2, a),
		MOVI(3, b),
		OP(BPF_ALU64 | BPF_MUL | BPF_K, 2, 0, 0, 0x10001),
		MOVI(0, 1),
		op,
		MOVI(0, 2),
		OP(BPF_ALU64 | BPF_MOV | BPF_X, 4, 2, 0, 0),
		OP(BPF_ALU64 | BPF_RSH | BPF_K, 4, 0, 0, 32),
		OP(BPF_ALU64 | BPF_XOR | BPF_X, 2, 4, 0, 0),
		OP(BPF_ALU64 | BPF_ADD | BPF_X, 0, 2, 0, 0),
		OP(BPF_ALU64 | BPF_AND | BPF_K, 0, 0, 0, 0x7fffffff),
		EXIT,
	};
	const unsigned count = sizeof(insns) / sizeof(insns[0]);
	int64_t kernel = run_in_kernel(insns, count);
	char reason[200];
	int64_t ours = run(insns, count, reason, sizeof(reason));

	if (kernel == -EPERM) {
		printf("skip: needs the right to load programs, to compare with the kernel\n");
		exit(77);
	}
	if (kernel == -EINVAL)
		return; /* this kernel does not support the instruction */
	checked++;
	if (ours == kernel)
		return;
	printf("%s 0x%02x of %d and %d: %lld, the kernel has %lld %s\n", what, op.code, a, b, (long long)ours, (long long)kernel, reason);
	failures++;
}

static void instructions(void)
{
	static const uint8_t classes[] = { BPF_ALU, BPF_ALU64 }, jumps[] = { BPF_JMP, BPF_JMP32 };
	static const int ends[] = { 16, 32, 64 };

	for (unsigned o = 0; o < sizeof(operands) / sizeof(operands[0]); o++) {
		const int32_t a = operands[o][0], b = operands[o][1];

		for (unsigned c = 0; c < 2; c++) {
			for (unsigned i = 0; i < sizeof(alu_ops); i++) {
				check("ALU", (struct bpf_insn)OP(classes[c] | alu_ops[i] | BPF_X, 2, 3, 0, 0), a, b & 31);
				check("ALU", (struct bpf_insn)OP(classes[c] | alu_ops[i] | BPF_K, 2, 0, 0, b & 31), a, b);
			}
			for (unsigned i = 0; i < sizeof(jump_ops); i++) {
				check("jump", (struct bpf_insn)OP(jumps[c] | jump_ops[i] | BPF_X, 2, 3, 1, 0), a, b);
				check("jump", (struct bpf_insn)OP(jumps[c] | jump_ops[i] | BPF_K, 2, 0, 1, b), a, b);
			}
			for (unsigned i = 0; i < 3; i++)
				check("byte order", (struct bpf_insn)OP(BPF_ALU | BPF_END | (c ? BPF_TO_BE : BPF_TO_LE), 2, 0, 0, ends[i]),
				      a, b);
			check("negate", (struct bpf_insn)OP(classes[c] | BPF_NEG, 2, 0, 0, 0), a, b);
		}
	}
}

/* The program must fail, with `want` in the reason. */
static void expect_refused(const char *want, const struct bpf_insn *insns, unsigned count)
{
	char reason[200] = "";
	int64_t rc = run(insns, count, reason, sizeof(reason));

	if (rc < 0 && strstr(reason, want))
		return;
	printf("not refused for '%s': %lld, %s\n", want, (long long)rc, reason);
	failures++;
}
#define REFUSE(want, ...)                                                      \
	do {                                                                   \
		static const struct bpf_insn insns[] = __VA_ARGS__;            \
		expect_refused(want, insns, sizeof(insns) / sizeof(insns[0])); \
	} while (0)

static void traps(void)
{
	REFUSE("more than", { OP(BPF_JMP | BPF_JA, 0, 0, -1, 0) });
	REFUSE("jumps out", { OP(BPF_JMP | BPF_JA, 0, 0, 30, 0), EXIT });
	REFUSE("jumps out", { OP(BPF_JMP | BPF_JA, 0, 0, -30, 0), EXIT });
	REFUSE("jumps out", { MOVI(0, 1) });
	REFUSE("memory that it does not have", { MOVI(2, 0), OP(BPF_LDX | BPF_MEM | BPF_DW, 0, 2, 0, 0), EXIT });
	REFUSE("memory that it does not have",
	       { OP(BPF_LDX | BPF_MEM | BPF_DW, 2, 1, 0, 0), OP(BPF_LDX | BPF_MEM | BPF_DW, 0, 2, 57, 0), EXIT });
	REFUSE("memory that it does not have",
	       { OP(BPF_LDX | BPF_MEM | BPF_DW, 2, 1, 0, 0), OP(BPF_LDX | BPF_MEM | BPF_B, 0, 2, -1, 0), EXIT });
	REFUSE("memory that it does not have", { OP(BPF_STX | BPF_MEM | BPF_DW, 10, 1, 4096, 0), EXIT });
	REFUSE("memory that it does not have", { OP(BPF_STX | BPF_MEM | BPF_DW, 1, 1, 0, 0), EXIT });
	REFUSE("behind its context", { OP(BPF_LDX | BPF_MEM | BPF_W, 0, 1, 64, 0), EXIT });
	REFUSE("in the midst", { OP(BPF_LD | BPF_IMM | BPF_DW, 0, 1, 0, 7) });
	REFUSE("not a map", { OP(BPF_LD | BPF_IMM | BPF_DW, 1, 1, 0, 7), OP(0, 0, 0, 0, 0), OP(BPF_JMP | BPF_CALL, 0, 0, 0, 1), EXIT });
	REFUSE("memory that it does not have",
	       { OP(BPF_LD | BPF_IMM | BPF_DW, 1, 2, 0, 70), OP(0, 0, 0, 0, 8), OP(BPF_LDX | BPF_MEM | BPF_B, 0, 1, 0, 0), EXIT });
	REFUSE("helper function 9999", { OP(BPF_JMP | BPF_CALL, 0, 0, 0, 9999), EXIT });
	REFUSE("more functions", { OP(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, -1), EXIT });
	REFUSE("function of the kernel", { OP(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, 1), EXIT });
	REFUSE("(code 0x91)", { OP(BPF_LDX | 0x80 | BPF_B, 0, 1, 0, 0), EXIT });
	REFUSE("(code 0x37)", { OP(BPF_ALU64 | BPF_DIV | BPF_K, 0, 0, 1, 2), EXIT });
	REFUSE("(code 0xbf)", { OP(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 8, 0), EXIT });
	REFUSE("(code 0xf7)", { OP(BPF_ALU64 | 0xf0, 0, 1, 0, 0), EXIT });
	REFUSE("(code 0x6)", { OP(BPF_JMP32 | BPF_JA, 0, 0, 0, 0), EXIT });
	REFUSE("(code 0x8d)", { OP(BPF_JMP | BPF_CALL | BPF_X, 0, 0, 0, 1), EXIT });
	REFUSE("(code 0x30)", { OP(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 0), EXIT });
	REFUSE("(code 0xd3)", { OP(BPF_STX | BPF_ATOMIC | BPF_B, 10, 0, -8, 0), EXIT });
	REFUSE("a register that there is not", { OP(BPF_ALU64 | BPF_MOV | BPF_X, 13, 1, 0, 0), EXIT });
}

/* An unknown action is the program's mistake and not an error of the machine, which would have no reason. */
static void actions(void)
{
	static const struct bpf_insn minus_one[] = { MOVI(0, -1), EXIT };
	char reason[200];
	int64_t rc = run(minus_one, 2, reason, sizeof(reason));

	if (rc == UINT32_MAX && !*reason)
		return;
	printf("the action -1: %lld, %s\n", (long long)rc, reason);
	failures++;
}

/* Makes a datagram from 10.0.0.SOURCE without a UDP checksum. */
static void make_datagram(uint8_t source)
{
	static const uint8_t headers[] = { 2, 0,  0,  0, 0, 2,  2, 0, 0, 0,  0, 1, 8, 0,    0x45, 0,    0,    50, 0,  0, 0,
					   0, 64, 17, 0, 0, 10, 0, 0, 0, 10, 0, 0, 2, 0x0f, 0xa0, 0x23, 0x28, 0,  30, 0, 0 };
	uint32_t sum = 0;

	memset(frame, 0x5a, sizeof(frame));
	memcpy(frame, headers, sizeof(headers));
	frame[29] = source;
	for (unsigned i = 14; i < 34; i += 2)
		sum += (uint32_t)frame[i] << 8 | frame[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
	frame[24] = (uint8_t)(sum >> 8);
	frame[25] = (uint8_t)sum;
}

/* Runs one datagram on both. */
static void check_datagram(struct machine *m, int fd, const char *what)
{
	static uint8_t out[sizeof(frame) + 512];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .data_out = out,
		    .data_size_out = sizeof(out));
	int err = bpf_prog_test_run_opts(fd, &opts), ours = machine__run(m, frame, sizeof(frame));

	if (!err && !ours && m->action == opts.retval && m->end - m->begin == opts.data_size_out &&
	    !memcmp(m->packet + m->begin, out, opts.data_size_out))
		return;
	printf("%s: %d, action %u and %u bytes, the kernel has %u and %u %s\n", what, ours, m->action, m->end - m->begin, opts.retval,
	       opts.data_size_out, m->reason);
	failures++;
}

/* A handler's whole program, with its table filled, must return the same verdicts and bytes as the loaded program. */
static void handler(void)
{
	static const char *inserts[] = { "routes:src=10.0.0.1 port=7000" };
	const struct fill_options fill = { .inserts = { inserts, 1 } };
	struct cost_program program = { .fill = &fill };
	struct machine *m = calloc(1, sizeof(*m));
	struct spin_object *object = NULL;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	struct bpf_code code;
	char path[512], reason[256] = "";

	if (!m || built_object("filtering", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9000", &rule) || spin_ctx__create(NULL, object, &rule, &ctx) ||
	    spin_ctx__table_insert(ctx, "routes", "src=10.0.0.1 port=7000")) {
		printf("filtering: %s\n", spin_strerror_last());
		exit(1);
	}
	program.object = object;
	program.rule = &rule;
	if (compare_code__open(&code, &program, reason, sizeof(reason)) || compare_code__fill(&code, &program) || machine__open(m, &code)) {
		printf("filtering: %s\n", reason);
		exit(1);
	}
	make_datagram(1);
	check_datagram(m, spin_ctx__program_fd(ctx), "a datagram that is in the table");
	if (m->packet[m->begin + 36] == 0x23 && m->packet[m->begin + 37] == 0x28) {
		printf("a datagram that is in the table keeps its port\n");
		failures++;
	}
	make_datagram(9);
	check_datagram(m, spin_ctx__program_fd(ctx), "a datagram that is not");
	frame[37]++;
	check_datagram(m, spin_ctx__program_fd(ctx), "a datagram of another rule");
	frame[14] = 0x41;
	check_datagram(m, spin_ctx__program_fd(ctx), "no datagram");
	machine__close(m);
	bpf_code__free(&code);
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	free(m);
}

int main(void)
{
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 7);
	traps();
	actions();
	if (failures)
		return 1;
	instructions();
	handler();
	if (checked < 300) {
		printf("only %d instructions are compared\n", checked);
		failures++;
	}
	return failures != 0;
}
