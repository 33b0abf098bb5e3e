/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the live registers at each instruction of a BPF program, by the usual backward iteration over the program, and the targets of
 * jumps. Called by walk.c, which compares only live registers of two states, and by jit_optimize.c. A call of a function is assumed to
 * read all arguments and to preserve everything else.
 */
#include "kernel/nfp/liveness.h"

#define ARGUMENTS 0x3eu /* R1 to R5 */

int64_t nfp_insn__target(const struct nfp_code *code, uint32_t i)
{
	const struct bpf_insn *insn = &code->insns[i];
	int class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	if (i && code->insns[i - 1].code == (BPF_LD | BPF_IMM | BPF_DW))
		return -1; /* the second half of a 64-bit load */
	if ((class != BPF_JMP && class != BPF_JMP32) || op == BPF_EXIT)
		return -1;
	if (op != BPF_CALL)
		return (int64_t)i + 1 + insn->off;
	return insn->src_reg == BPF_PSEUDO_CALL ? (int64_t)i + 1 + insn->imm : -1;
}

static uint16_t bit(unsigned reg)
{
	return reg < 10 ? (uint16_t)(1u << reg) : 0;
}

/* The registers that are live before the instruction, given those that are live after it. */
static uint16_t live_before(const struct bpf_insn *insn, uint16_t after)
{
	int op = BPF_OP(insn->code), is_x = BPF_SRC(insn->code) == BPF_X;
	uint16_t dst = bit(insn->dst_reg), src = bit(insn->src_reg);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		if (op == BPF_MOV)
			return (uint16_t)((after & ~dst) | (is_x ? src : 0));
		return (uint16_t)(after | dst | (is_x && op != BPF_END ? src : 0));
	case BPF_LD:
		return (uint16_t)(after & ~dst);
	case BPF_LDX:
		return (uint16_t)((after & ~dst) | src);
	case BPF_ST:
		return (uint16_t)(after | dst);
	case BPF_STX:
		return (uint16_t)(after | dst | src | 1); /* a compare-exchange reads R0 */
	default:
		if (op == BPF_EXIT)
			return 1;
		if (op == BPF_CALL)
			return (uint16_t)((after & ~1u) | ARGUMENTS);
		return (uint16_t)(after | (op == BPF_JA ? 0 : dst | (is_x ? src : 0)));
	}
}

void nfp_liveness__find(const struct nfp_code *code, uint16_t *live)
{
	int changed = 1;

	while (changed) {
		changed = 0;
		for (uint32_t i = code->count; i--;) {
			const struct bpf_insn *insn = &code->insns[i];
			int64_t target = nfp_insn__target(code, i);
			int is_call = BPF_OP(insn->code) == BPF_CALL && (BPF_CLASS(insn->code) == BPF_JMP);
			int falls_through = insn->code != (BPF_JMP | BPF_JA) && insn->code != (BPF_JMP | BPF_EXIT);
			uint16_t after = falls_through && i + 1 < code->count ? live[i + 1] : 0, now;

			if (!is_call && target >= 0 && target < code->count)
				after |= live[target];
			now = live_before(insn, after);
			if (now != live[i]) {
				live[i] = now;
				changed = 1;
			}
		}
	}
}
