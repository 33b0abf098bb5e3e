/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Analyses a BPF program: how much of its stack it uses, and which registers are live. Called by work_limit__enforce(), which inserts a
 * counter of work into the loops of untrusted programs. The counter must be where no access of the program can be. Accesses go upwards from
 * a pointer, so the lowest offset of each stack pointer is what counts. Stack pointers are tracked through registers and through the stack,
 * the only memory in which the kernel lets a program without CAP_PERFMON store one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "user/libspin/internal.h"
#include "user/libspin/object/work_limit.h"

#define STACK_BYTES 512
#define SLOTS       (STACK_BYTES / 8)
#define NO_POINTER  INT16_MAX /* not a stack pointer; otherwise the lowest offset from the top of the stack, at most 0 */

struct stack {
	const struct work_code *code;
	int16_t (*at)[11]; /* registers before each instruction */
	uint8_t *reached;
	int16_t slot[SLOTS]; /* lowest pointer stored there at any time */
	int32_t lowest;
	int changed;
	const char *refused;
	int computed; /* refused for a computed offset: the kernel's verifier refuses most of those itself */
};

static void lower(struct stack *s, int16_t *to, int16_t from)
{
	if (from < *to) {
		*to = from;
		s->changed = 1;
	}
}

/* Records an offset at which the stack is used. */
static void note_offset(struct stack *s, int32_t offset)
{
	if (offset < s->lowest)
		s->lowest = offset;
	if (offset < -STACK_BYTES)
		s->refused = "it moves a pointer beyond its stack";
}

/* Returns the lowest stack pointer that this load from the stack may give; NO_POINTER: none. */
static int16_t load_slot(const struct stack *s, const int16_t *base, const struct bpf_insn *insn)
{
	int offset = *base + insn->off;
	int16_t lowest = NO_POINTER;

	if (BPF_SIZE(insn->code) != BPF_DW || BPF_MODE(insn->code) != BPF_MEM)
		return NO_POINTER;
	if (insn->src_reg == BPF_REG_10)
		return offset % 8 || offset < -STACK_BYTES || offset >= 0 ? NO_POINTER : s->slot[(offset + STACK_BYTES) / 8];
	for (int i = 0; i < SLOTS; i++)
		if (s->slot[i] < lowest)
			lowest = s->slot[i];
	return lowest;
}

/* Records a stack pointer that is stored on the stack. */
static void store_slot(struct stack *s, const struct bpf_insn *insn, int16_t base, int16_t value)
{
	int offset = base + insn->off;

	if (value == NO_POINTER || BPF_SIZE(insn->code) != BPF_DW)
		return;
	for (int i = 0; i < SLOTS; i++)
		if (insn->dst_reg != BPF_REG_10 || i == (offset + STACK_BYTES) / 8)
			lower(s, &s->slot[i], value);
}

static void apply_add(struct stack *s, const struct bpf_insn *insn, int16_t *reg)
{
	int16_t *to = &reg[insn->dst_reg];
	int64_t offset = *to;

	if (BPF_SRC(insn->code) == BPF_X) {
		if (*to != NO_POINTER || reg[insn->src_reg] != NO_POINTER) {
			s->refused = "it adds what is not a constant to a pointer to its stack";
			s->computed = 1;
		}
		return;
	}
	if (*to == NO_POINTER)
		return;
	offset += BPF_OP(insn->code) == BPF_ADD ? (int64_t)insn->imm : -(int64_t)insn->imm;
	if (offset > 0 || offset < -STACK_BYTES)
		s->refused = "it moves a pointer beyond its stack";
	else
		*to = (int16_t)offset;
	note_offset(s, *to);
}

static void apply_alu(struct stack *s, const struct bpf_insn *insn, int16_t *reg)
{
	int op = BPF_OP(insn->code), wide = BPF_CLASS(insn->code) == BPF_ALU64;

	if (wide && op == BPF_MOV && BPF_SRC(insn->code) == BPF_X && !insn->off)
		reg[insn->dst_reg] = reg[insn->src_reg];
	else if (wide && (op == BPF_ADD || op == BPF_SUB))
		apply_add(s, insn, reg);
	else
		reg[insn->dst_reg] = NO_POINTER; /* the kernel refuses this for a pointer */
}

/* Computes the registers after an instruction from those before it. */
static void apply_instruction(struct stack *s, const struct bpf_insn *insn, int16_t *reg)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		apply_alu(s, insn, reg);
		return;
	case BPF_LD:
		reg[insn->dst_reg] = NO_POINTER;
		return;
	case BPF_LDX:
		if (reg[insn->src_reg] == NO_POINTER) {
			reg[insn->dst_reg] = NO_POINTER;
			return;
		}
		note_offset(s, reg[insn->src_reg] + insn->off);
		reg[insn->dst_reg] = load_slot(s, &reg[insn->src_reg], insn);
		return;
	case BPF_ST:
	case BPF_STX:
		if (reg[insn->dst_reg] == NO_POINTER)
			return;
		note_offset(s, reg[insn->dst_reg] + insn->off);
		if (BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) != BPF_MEM)
			s->refused = "it has an atomic operation on its stack, which could load a pointer from there";
		else if (BPF_CLASS(insn->code) == BPF_STX)
			store_slot(s, insn, reg[insn->dst_reg], reg[insn->src_reg]);
		return;
	case BPF_JMP:
		if (BPF_OP(insn->code) != BPF_CALL)
			return;
		if (insn->src_reg)
			s->refused = "it calls a function that is not inline, whose loops would have a frame of their own";
		for (int i = BPF_REG_0; i <= BPF_REG_5; i++)
			reg[i] = NO_POINTER;
		return;
	default:
		return;
	}
}

/* Passes the registers after instruction i to its successors. */
static void propagate(struct stack *s, size_t i)
{
	int16_t reg[11];
	size_t next[2];
	int count;

	memcpy(reg, s->at[i], sizeof(reg));
	apply_instruction(s, &s->code->insns[i], reg);
	count = work_code__next(s->code, i, next);
	if (count < 0)
		s->refused = "it jumps outside of itself";
	for (int k = 0; k < count; k++) {
		if (!s->reached[next[k]]) {
			s->reached[next[k]] = 1;
			memcpy(s->at[next[k]], reg, sizeof(reg));
			s->changed = 1;
		}
		for (int r = 0; r < 10; r++)
			lower(s, &s->at[next[k]][r], reg[r]);
	}
}

int work_stack__check(struct work_code *code)
{
	struct stack s = { .code = code, .at = calloc(code->count, sizeof(*s.at)), .reached = calloc(code->count, 1), .changed = 1 };
	int err = s.at && s.reached ? 0 : spin_fail(-ENOMEM, "no memory to load %s", code->name), passes = WORK_PASSES_MAX;

	for (int i = 0; i < SLOTS; i++)
		s.slot[i] = NO_POINTER;
	for (int i = 0; i < 10 && !err; i++)
		s.at[0][i] = NO_POINTER;
	if (!err)
		s.reached[0] = 1;
	/* offsets only decrease, down to the end of the stack, so this ends */
	while (!err && s.changed && !s.refused) {
		if (!passes--)
			s.refused = WORK_TOO_LONG;
		s.changed = 0;
		for (size_t i = 0; i < code->count && !s.refused; i = work_code__following(code, i))
			if (s.reached[i])
				propagate(&s, i);
	}
	if (s.refused) {
		work_limit__refuse(code, s.refused);
		err = s.computed ? -EACCES : -EINVAL;
	}
	code->stack_bytes = (-s.lowest + 7) / 8 * 8;
	free(s.at);
	free(s.reached);
	return err;
}

#define BIT(reg)  (1u << (reg))
#define ARGUMENTS (BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(5))

/* Returns the registers that an instruction reads, one bit each. */
static unsigned regs_read(const struct bpf_insn *insn)
{
	unsigned both = BIT(insn->dst_reg) | (BPF_SRC(insn->code) == BPF_X ? BIT(insn->src_reg) : 0);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		if (BPF_OP(insn->code) == BPF_MOV)
			return BPF_SRC(insn->code) == BPF_X ? BIT(insn->src_reg) : 0;
		return both;
	case BPF_LDX:
		return BIT(insn->src_reg);
	case BPF_ST:
		return BIT(insn->dst_reg);
	case BPF_STX:
		return BIT(insn->dst_reg) | BIT(insn->src_reg) | (BPF_MODE(insn->code) == BPF_ATOMIC ? BIT(0) : 0);
	case BPF_JMP:
	case BPF_JMP32:
		return BPF_OP(insn->code) == BPF_CALL ? ARGUMENTS : BPF_OP(insn->code) == BPF_EXIT ? BIT(0) : both;
	default:
		return 0;
	}
}

static unsigned regs_written(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
	case BPF_LD:
	case BPF_LDX:
		return BIT(insn->dst_reg);
	case BPF_JMP:
		return BPF_OP(insn->code) == BPF_CALL ? ARGUMENTS | BIT(0) : 0;
	default:
		return 0;
	}
}

int work_stack__live(struct work_code *code)
{
	size_t next[2];

	code->live = calloc(code->count, sizeof(*code->live));
	if (!code->live)
		return spin_fail(-ENOMEM, "no memory to load %s", code->name);
	for (int changed = 1, passes = WORK_PASSES_MAX; changed; passes--) {
		if (!passes)
			return work_limit__refuse(code, WORK_TOO_LONG);
		changed = 0;
		for (size_t i = code->count; i-- > 0;) {
			int count = work_code__next(code, i, next);
			unsigned live = 0;

			for (int k = 0; k < count; k++)
				live |= code->live[next[k]];
			live = (live & ~regs_written(&code->insns[i])) | regs_read(&code->insns[i]);
			changed |= live != code->live[i];
			code->live[i] = (uint16_t)live;
		}
	}
	return 0;
}
