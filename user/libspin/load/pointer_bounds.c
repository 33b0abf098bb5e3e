/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Avoids a kernel warning about programs of the isolated class (loaded without CAP_PERFMON). Called by class.c before a program is loaded.
 *
 * Without CAP_PERFMON the verifier also follows what a CPU may execute speculatively after `pointer += register`, and leaves the pointer
 * there with 32-bit bounds that contradict its other bounds. The next copy of the register, or its next load from the stack (Linux
 * 6.12.95), detects this, warns (REG INVARIANTS VIOLATION, seen on Linux 6.18) and forgets the bounds. An addition of 0 makes the bounds
 * consistent. So one is inserted before each copy of such a pointer and each store of one to the stack. The inserted code is placed after
 * the program's end, so no instruction moves. The analysis may take other registers for such pointers, but misses none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "user/libspin/internal.h"
#include "user/libspin/object/work_limit.h"

#define SLOTS 64 /* stack slots of 8 bytes */
#define JUMP  (BPF_JMP | BPF_JA)
#define COPY  (BPF_ALU64 | BPF_MOV | BPF_X)
#define SPILL (BPF_STX | BPF_MEM | BPF_DW)
#define ADDED 3 /* instructions for one copy or store */

/* What a register may hold on some path: a pointer; a pointer moved by a register; the program's context argument. */
enum { POINTER = 1, COMPUTED = 2 /* by adding or subtracting a register */, CONTEXT = 4 };

struct flow {
	uint8_t (*at)[11]; /* registers before each instruction */
	uint8_t slot[SLOTS];
	int changed;
};

static void join(struct flow *f, uint8_t *to, uint8_t from)
{
	f->changed |= (*to | from) != *to;
	*to |= from;
}

static uint8_t *slot_of(struct flow *f, const struct bpf_insn *insn)
{
	int at = insn->off / 8 + SLOTS;

	return insn->off % 8 || at < 0 || at >= SLOTS ? NULL : &f->slot[at];
}

static int is_spill(const struct bpf_insn *insn)
{
	return insn->code == SPILL && insn->dst_reg == BPF_REG_10;
}

static void apply_load(struct flow *f, const struct bpf_insn *insn, uint8_t *reg)
{
	const uint8_t *slot = insn->src_reg == BPF_REG_10 && BPF_SIZE(insn->code) == BPF_DW ? slot_of(f, insn) : NULL;

	if (slot)
		reg[insn->dst_reg] = *slot;
	else /* fields of the context may be the frame's start and end */
		reg[insn->dst_reg] = reg[insn->src_reg] & CONTEXT ? POINTER : 0;
}

static void apply_alu(const struct bpf_insn *insn, uint8_t *reg)
{
	int op = BPF_OP(insn->code), wide = BPF_CLASS(insn->code) == BPF_ALU64;
	uint8_t *to = &reg[insn->dst_reg];

	if (insn->code == COPY) {
		reg[insn->src_reg] &= (uint8_t)~COMPUTED; /* see correct() */
		*to = reg[insn->src_reg];
	} else if (wide && (op == BPF_ADD || op == BPF_SUB) && BPF_SRC(insn->code) == BPF_X) {
		*to = (*to | reg[insn->src_reg]) & POINTER ? POINTER | COMPUTED : 0;
	} else if (wide && (op == BPF_ADD || op == BPF_SUB)) {
		*to &= POINTER;
	} else {
		*to = 0;
	}
}

/* Updates what is known of the registers and stack slots after one instruction. */
static void apply_instruction(struct flow *f, const struct bpf_insn *insn, uint8_t *reg)
{
	uint8_t *slot;

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		apply_alu(insn, reg);
		return;
	case BPF_LD:
		reg[insn->dst_reg] = POINTER;
		return;
	case BPF_LDX:
		apply_load(f, insn, reg);
		return;
	case BPF_STX:
		if (is_spill(insn))
			reg[insn->src_reg] &= (uint8_t)~COMPUTED; /* see correct() */
		slot = insn->dst_reg == BPF_REG_10 && BPF_SIZE(insn->code) == BPF_DW ? slot_of(f, insn) : NULL;
		if (slot)
			join(f, slot, reg[insn->src_reg]);
		return;
	case BPF_JMP:
		if (BPF_OP(insn->code) == BPF_CALL) {
			memset(&reg[BPF_REG_0], 0, 6);
			reg[BPF_REG_0] = POINTER;
		}
		return;
	default:
		return;
	}
}

/* Computes the registers before each instruction, to a fixed point. */
static int analyze(struct flow *f, const struct work_code *code)
{
	int passes = WORK_PASSES_MAX;
	size_t next[2];

	f->at[0][BPF_REG_1] = POINTER | CONTEXT;
	f->at[0][BPF_REG_10] = POINTER;
	do {
		if (!passes--)
			return -1;
		f->changed = 0;
		for (size_t i = 0; i < code->count; i = work_code__following(code, i)) {
			int count = work_code__next(code, i, next);
			uint8_t reg[11];

			memcpy(reg, f->at[i], sizeof(reg));
			apply_instruction(f, &code->insns[i], reg);
			for (int k = 0; k < count; k++)
				for (int r = 0; r < 11; r++)
					join(f, &f->at[next[k]][r], reg[r]);
		}
	} while (f->changed);
	return 0;
}

/* Returns 1 for a copy, or a store to the stack, of a pointer that was computed from a register. */
static int needs_correction(const struct flow *f, const struct work_code *code, size_t i)
{
	const struct bpf_insn *insn = &code->insns[i];

	return ((insn->code == COPY && !insn->off) || is_spill(insn)) && f->at[i][insn->src_reg] & COMPUTED;
}

/* Moves the instruction to after the program's end, after an addition of 0. Returns -1 if that is too far for a jump. */
static int correct(struct bpf_insn *insns, size_t *count, size_t at)
{
	const struct bpf_insn moved = insns[at];
	int64_t distance = (int64_t)*count - (int64_t)at - 1;

	if (distance + ADDED > INT16_MAX)
		return -1;
	insns[at] = (struct bpf_insn){ .code = JUMP, .off = (int16_t)distance };
	insns[(*count)++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = moved.src_reg };
	insns[(*count)++] = moved;
	insns[(*count)++] = (struct bpf_insn){ .code = JUMP, .off = (int16_t) - (distance + ADDED) };
	return 0;
}

int pointer_bounds__join(struct bpf_program *prog)
{
	const struct work_code code = { .name = bpf_program__name(prog),
					.insns = bpf_program__insns(prog),
					.count = bpf_program__insn_cnt(prog) };
	struct flow f = { .at = calloc(code.count, sizeof(*f.at)) };
	size_t moved = 0, count = code.count;
	struct bpf_insn *insns = NULL;
	int err = 0;

	if (f.at) {
		if (analyze(&f, &code))
			err = work_limit__refuse(&code, WORK_TOO_LONG);
		for (size_t i = 0; i < code.count && !err; i = work_code__following(&code, i))
			moved += needs_correction(&f, &code, i);
		insns = malloc((code.count + moved * ADDED) * sizeof(*insns));
	}
	if (!err && (!f.at || !insns))
		err = spin_fail(-ENOMEM, "no memory to load %s", code.name);
	if (!err && moved) {
		memcpy(insns, code.insns, code.count * sizeof(*insns));
		for (size_t i = 0; i < code.count && !err; i = work_code__following(&code, i))
			if (needs_correction(&f, &code, i) && correct(insns, &count, i))
				break; /* the jump is out of range: stop here */
		err = bpf_program__set_insns(prog, insns, count);
	}
	free(insns);
	free(f.at);
	return err;
}
