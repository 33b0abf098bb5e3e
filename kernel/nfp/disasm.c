/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Writes a BPF instruction as text. Called by check.c for findings; `insn` may be any bytes, even an invalid instruction. */
#include <stdio.h>

#include "kernel/nfp/disasm.h"
#include "kernel/nfp/walk.h"

static const char *size_name(const struct bpf_insn *insn)
{
	static const char *const names[] = { "u32", "u16", "u8", "u64" };

	return names[BPF_SIZE(insn->code) >> 3];
}

static void alu(const struct bpf_insn *insn, char *to, size_t bytes)
{
	static const char *const operators[] = { "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "", "%=", "^=", "=", "s>>=" };
	char r = BPF_CLASS(insn->code) == BPF_ALU64 ? 'r' : 'w';
	unsigned op = BPF_OP(insn->code) >> 4;

	if (BPF_OP(insn->code) == BPF_END)
		snprintf(to, bytes, "r%u = %s%d r%u", insn->dst_reg,
			 BPF_CLASS(insn->code) == BPF_ALU64 ? "bswap"
			 : BPF_SRC(insn->code) == BPF_X     ? "be"
							    : "le",
			 insn->imm, insn->dst_reg);
	else if (BPF_OP(insn->code) == BPF_NEG)
		snprintf(to, bytes, "%c%u = -%c%u", r, insn->dst_reg, r, insn->dst_reg);
	else if (op >= sizeof(operators) / sizeof(operators[0]))
		snprintf(to, bytes, "opcode 0x%02x", insn->code);
	else if (BPF_SRC(insn->code) == BPF_K)
		snprintf(to, bytes, "%c%u %s%s %d", r, insn->dst_reg, insn->off && op != BPF_MOV >> 4 ? "s" : "", operators[op], insn->imm);
	else if (op == BPF_MOV >> 4 && insn->off)
		snprintf(to, bytes, "%c%u = (s%d)%c%u", r, insn->dst_reg, insn->off, r, insn->src_reg);
	else
		snprintf(to, bytes, "%c%u %s%s %c%u", r, insn->dst_reg, insn->off ? "s" : "", operators[op], r, insn->src_reg);
}

static void jump(const struct bpf_insn *insn, uint32_t at, char *to, size_t bytes)
{
	static const char *const operators[] = { "", "==", ">", ">=", "&", "!=", "s>", "s>=", "", "", "<", "<=", "s<", "s<=" };
	char r = BPF_CLASS(insn->code) == BPF_JMP ? 'r' : 'w', name[24];
	unsigned op = BPF_OP(insn->code) >> 4;
	long long target = (long long)at + 1 + insn->off;

	if (insn->code == (BPF_JMP | BPF_EXIT))
		snprintf(to, bytes, "exit");
	else if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL)
		snprintf(to, bytes, "call function at %lld", (long long)at + 1 + insn->imm);
	else if (insn->code == (BPF_JMP | BPF_CALL))
		snprintf(to, bytes, "call %s", insn->src_reg ? "of the kernel's" : nfp_helper__name(insn->imm, name, sizeof(name)));
	else if (BPF_OP(insn->code) == BPF_JA)
		snprintf(to, bytes, "goto %lld", BPF_CLASS(insn->code) == BPF_JMP ? target : (long long)at + 1 + insn->imm);
	else if (op >= sizeof(operators) / sizeof(operators[0]) || !*operators[op])
		snprintf(to, bytes, "opcode 0x%02x", insn->code);
	else if (BPF_SRC(insn->code) == BPF_K)
		snprintf(to, bytes, "if %c%u %s %d goto %lld", r, insn->dst_reg, operators[op], insn->imm, target);
	else
		snprintf(to, bytes, "if %c%u %s %c%u goto %lld", r, insn->dst_reg, operators[op], r, insn->src_reg, target);
}

static void constant(const struct nfp_object *o, const struct nfp_code *code, uint32_t at, char *to, size_t bytes)
{
	const struct bpf_insn *insn = &code->insns[at];

	if ((insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE) && (unsigned)insn->imm < o->map_count)
		snprintf(to, bytes, "r%u = %s%s", insn->dst_reg, insn->src_reg == BPF_PSEUDO_MAP_FD ? "map " : "value of ",
			 o->maps[insn->imm].name);
	else if (at + 1 < code->count)
		snprintf(to, bytes, "r%u = 0x%llx ll", insn->dst_reg,
			 (unsigned long long)((uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32));
	else
		snprintf(to, bytes, "r%u = ? ll", insn->dst_reg);
}

void nfp_disasm(const struct nfp_object *o, const struct nfp_code *code, uint32_t at, char *to, size_t bytes)
{
	const struct bpf_insn *insn = &code->insns[at];

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		alu(insn, to, bytes);
		return;
	case BPF_JMP:
	case BPF_JMP32:
		jump(insn, at, to, bytes);
		return;
	case BPF_LDX:
		snprintf(to, bytes, "r%u = *(%s *)(r%u %+d)", insn->dst_reg, size_name(insn), insn->src_reg, insn->off);
		return;
	case BPF_ST:
		snprintf(to, bytes, "*(%s *)(r%u %+d) = %d", size_name(insn), insn->dst_reg, insn->off, insn->imm);
		return;
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			snprintf(to, bytes, "lock *(%s *)(r%u %+d) op 0x%x r%u", size_name(insn), insn->dst_reg, insn->off,
				 (unsigned)insn->imm, insn->src_reg);
		else
			snprintf(to, bytes, "*(%s *)(r%u %+d) = r%u", size_name(insn), insn->dst_reg, insn->off, insn->src_reg);
		return;
	default:
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			constant(o, code, at, to, bytes);
		else
			snprintf(to, bytes, "opcode 0x%02x", insn->code);
	}
}
