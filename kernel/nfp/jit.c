/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A model of the JIT in the driver of NFP cards, which translates BPF to the card's instructions; it only counts instructions
 * (nfp_bpf_jit() and what it calls, the same in 6.1 and 6.12). Called by check.c for a program in which the walk of all paths (walk.c)
 * found nothing that is refused or unknown. jit_optimize.c has the optimizations; this file has the cost of each instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/jit.h"
#include "kernel/nfp/jit_insn.h"

#define FRAME_ALIGN    64
#define RETURN_BYTES   4  /* the return address, in a callee's frame */
#define SAVED_BYTES    32 /* R6 to R9 */
#define PROLOGUE       2
#define EPILOGUE       13
#define PREFETCH_NOPS  8
#define SAVE_RESTORE   18 /* both subroutines */
#define WORD_INDEX_MAX 7  /* largest word index in local memory for accesses to part of a word */

static uint32_t round_up(uint32_t value, uint32_t to)
{
	return (value + to - 1) / to * to;
}

/* The cost of a 32-bit constant: one instruction if 16 adjacent bits at a multiple of 8 are enough, plain or inverted, else two. */
static unsigned constant(uint32_t value)
{
	uint32_t other = ~value;

	if (!(value & 0xffff0000) || !(value & 0xff0000ff) || !(value & 0xffff) || !(other & 0xffff0000) || !(other & 0xff0000ff) ||
	    !(other & 0xffff))
		return 1;
	return 2;
}

/* The cost of using a constant as an operand: none if it fits into 8 bits, or 7 bits for commands. */
static unsigned operand(uint32_t value)
{
	return value <= 0xff ? 0 : constant(value);
}

static unsigned command_operand(int32_t value)
{
	return (uint32_t)value <= 0x7f ? 0 : constant((uint32_t)value);
}

static unsigned logic_constant(int op, uint32_t value)
{
	if (op == BPF_AND && (!value || !~value))
		return !value;
	if ((op == BPF_OR || op == BPF_XOR) && (!value || !~value))
		return !~value;
	return operand(value) + 1;
}

/* --- arithmetic --- */

static unsigned multiply(const struct nfp_jit_insn *i)
{
	const struct bpf_insn *insn = &i->insn;
	int is_x = BPF_SRC(insn->code) == BPF_X;
	uint32_t left = (uint32_t)i->meta->umax_dst, right = is_x ? (uint32_t)i->meta->umax_src : (uint32_t)insn->imm;
	unsigned before = is_x ? 0 : operand((uint32_t)insn->imm);

	return before + (left > UINT16_MAX || right > UINT16_MAX ? 7 : 4);
}

static unsigned highest_bit(uint32_t value)
{
	return value ? 32 - (unsigned)__builtin_clz(value) : 0;
}

struct reciprocal {
	uint32_t factor;
	int is_wide; /* the factor has 33 bits */
};

/* Division by invariant multiplication (Granlund and Montgomery), as lib/math/reciprocal_div.c has it. */
static struct reciprocal reciprocal_of(uint32_t divisor, unsigned precision)
{
	unsigned bits = highest_bit(divisor - 1), shift = bits;
	unsigned __int128 power = (unsigned __int128)1 << (32 + bits);
	uint64_t low = (uint64_t)(power / divisor);
	uint64_t high = (uint64_t)((power + ((unsigned __int128)1 << (32 + bits - precision))) / divisor);

	for (; shift && low >> 1 < high >> 1; shift--) {
		low >>= 1;
		high >>= 1;
	}
	return (struct reciprocal){ (uint32_t)high, high > UINT32_MAX };
}

static unsigned divide(const struct nfp_jit_insn *i)
{
	uint64_t by = BPF_SRC(i->insn.code) == BPF_X ? i->meta->umin_src : (uint64_t)(int64_t)i->insn.imm;
	struct reciprocal r;
	unsigned shift = 0;

	if (by > UINT32_MAX || !by)
		return 1;
	if (by > 1u << 31)
		return operand((uint32_t)by) + 3;
	r = reciprocal_of((uint32_t)by, 32);
	if (r.is_wide && !(by & 1)) {
		shift = (unsigned)__builtin_ctzll(by);
		r = reciprocal_of((uint32_t)(by >> shift), 32 - shift);
	}
	if (!(by & (by - 1)))
		return operand(r.factor) + 1;
	return operand(r.factor) + (r.is_wide ? 11 : 8 + !!shift);
}

static unsigned shift_by_constant(int op, int is_64, uint8_t by, int zext)
{
	if (!is_64)
		return (by ? 1 + (op == BPF_ARSH) : 0) + (unsigned)zext;
	return !by ? 0 : op == BPF_ARSH && by != 32 ? 3 : 2;
}

static unsigned shift(const struct nfp_jit_insn *i)
{
	const struct nfp_meta *m = i->meta;
	int op = BPF_OP(i->insn.code), is_64 = BPF_CLASS(i->insn.code) == BPF_ALU64;

	if (BPF_SRC(i->insn.code) == BPF_K)
		return shift_by_constant(op, is_64, (uint8_t)i->insn.imm, m->zext);
	if (m->umin_src == m->umax_src)
		return shift_by_constant(op, is_64, (uint8_t)m->umin_src, m->zext);
	if (!is_64)
		return 2 + m->zext;
	if (m->umax_src < 32)
		return op == BPF_LSH ? 5 : 4;
	if (m->umin_src >= 32)
		return 3;
	return op == BPF_LSH ? 10 : 9;
}

static unsigned move(const struct nfp_jit_insn *i, uint32_t frame_depth)
{
	int64_t value = i->insn.imm;

	if (BPF_SRC(i->insn.code) == BPF_K)
		return constant((uint32_t)value) + (BPF_CLASS(i->insn.code) == BPF_ALU64 ? constant((uint32_t)(value >> 32)) : 1);
	if (BPF_CLASS(i->insn.code) == BPF_ALU64 && i->insn.src_reg == BPF_REG_10)
		return operand(frame_depth) + 2;
	return 2;
}

/* Returns how many NFP instructions the driver makes of an arithmetic instruction. */
static unsigned alu(const struct nfp_jit_insn *i, uint32_t frame_depth)
{
	const struct bpf_insn *insn = &i->insn;
	int op = BPF_OP(insn->code), is_64 = BPF_CLASS(insn->code) == BPF_ALU64;
	unsigned zext = is_64 ? 0 : i->meta->zext;
	int64_t value = insn->imm;

	switch (op) {
	case BPF_MOV:
		return move(i, frame_depth);
	case BPF_MUL:
		return multiply(i);
	case BPF_DIV:
		return divide(i);
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		return shift(i);
	case BPF_NEG:
		return is_64 ? 2 : 1 + zext;
	case BPF_END:
		return insn->imm == 64 ? 5 : 3;
	}
	if (BPF_SRC(insn->code) == BPF_X)
		return is_64 ? 2 : 1 + zext;
	if (!is_64)
		return logic_constant(op, (uint32_t)value) + zext;
	if (op == BPF_ADD || op == BPF_SUB)
		return operand((uint32_t)value) + 1 + operand((uint32_t)(value >> 32)) + 1;
	return logic_constant(op, (uint32_t)value) + logic_constant(op, (uint32_t)(value >> 32));
}

/* --- memory --- */

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The cost of a slice of a stack access: at most a word, within one register and one word of memory. */
static unsigned stack_slice(int is_load, uint32_t off, uint32_t bytes, int first, int new_register, int last, int steps)
{
	int far = off / 4 > WORD_INDEX_MAX, moves_on = steps && new_register && !last;

	if (bytes == 4)
		return 1;
	if (is_load)
		return 1 + (far && (first || !new_register)) + moves_on;
	return 1 + (far && (first || last)) + (new_register || last ? far + moves_on : 0);
}

/* The stack's first 64 bytes are reached directly, others by a pointer. Up to 4 bytes are transferred at a time, aligned on both sides. */
static unsigned stack_access(const struct nfp_jit_insn *i, uint32_t frame_depth, int is_load)
{
	const struct nfp_meta *m = i->meta;
	uint32_t size = nfp_insn__bytes(&i->insn), off = frame_depth + (uint32_t)i->insn.off + (uint32_t)m->pointer_offset, in_register = 0;
	int steps = 0, by_pointer = 1, first = 1, new_register = 1, narrow = is_load && size < 8;
	unsigned count = 0;

	if (m->offset_varies || m->is_callers_frame) {
		count = operand((uint32_t)(int32_t)i->insn.off) + 1;
		steps = 1;
	} else if (off + size <= 64) {
		by_pointer = 0;
	} else if (off / 32 == (off + size - 1) / 32) {
		count = operand(off / 32 * 32) + 1;
		off %= 32;
	} else {
		count = operand(off / 4 * 4) + 1;
		steps = 1;
	}
	if (by_pointer)
		count += 1 + (narrow && m->zext ? 2 : 3);
	if (narrow)
		count += m->zext;
	while (size) {
		uint32_t slice;

		if (steps)
			off %= 4;
		slice = min_u32(min_u32(size, 4 - in_register), 4 - off % 4);
		count += stack_slice(is_load, off, slice, first, new_register, slice == size, steps);
		first = 0;
		in_register += slice;
		new_register = in_register >= 4;
		in_register %= 4;
		size -= slice;
		off += slice;
	}
	return count;
}

/* The cost of a load and a store, or several with adjacent addresses, as one copy on the card's memory bus. */
static unsigned copy(const struct nfp_jit_insn *i)
{
	uint32_t bytes = (uint32_t)abs(i->copy_bytes), words = (bytes + 3) / 4;
	unsigned count = command_operand(i->insn.off);

	if (i->meta->pointer == NFP_VALUE && i->insn.off)
		count += 2;
	count += (bytes > 32) + 1 + words + command_operand(i->copy_to_off);
	if (bytes <= 8 || (bytes <= 32 && bytes % 4 == 0))
		count += 1;
	else if (bytes <= 32 || bytes % 4 == 0)
		count += 2;
	else if (bytes <= 40)
		count += 2 + command_operand(i->copy_to_off + 32);
	else
		count += 3 + command_operand((uint8_t)(i->copy_to_off + (int)(words - 1) * 4));
	return count + 2;
}

static unsigned plain_load(const struct nfp_jit_insn *i, unsigned size)
{
	return 1 + (size < 4 ? 1 : size / 4) + (size < 8 ? i->meta->zext : 0);
}

static unsigned cached_load(const struct nfp_jit_insn *i, unsigned size)
{
	unsigned off = (uint8_t)(i->insn.off - i->cache_start) % 4, zext = i->meta->zext, count = 0;

	if (i->fills_cache)
		count = command_operand(i->cache_start) + (i->cache_end - i->cache_start > 32) + 1;
	if (!off)
		return count + (size == 8 ? 2 : 1 + zext);
	if (size <= 4 - off)
		return count + 1 + zext;
	return count + (size <= 4 ? 2 + zext : 4);
}

static unsigned load(const struct nfp_jit_insn *i, uint32_t frame_depth)
{
	unsigned size = nfp_insn__bytes(&i->insn);

	if (i->copy_bytes)
		return copy(i);
	switch (i->meta->pointer) {
	case NFP_STACK:
		return stack_access(i, frame_depth, 1);
	case NFP_PACKET:
		return i->cache_end ? cached_load(i, size) : command_operand(i->insn.off) + plain_load(i, size);
	case NFP_VALUE:
		return command_operand(i->insn.off) + (i->insn.off ? 2 : 0) + plain_load(i, size);
	default: /* xdp_md */
		return 2;
	}
}

static unsigned store(const struct nfp_jit_insn *i, uint32_t frame_depth)
{
	unsigned size = nfp_insn__bytes(&i->insn);

	if (i->meta->pointer == NFP_CTX)
		return 5;
	if (i->meta->pointer == NFP_STACK)
		return stack_access(i, frame_depth, 0);
	return command_operand(i->insn.off) + (size + 3) / 4 + 1;
}

static unsigned atomic_add(const struct nfp_jit_insn *i)
{
	int maybe = i->meta->adds_at_most_16_bits, over = i->meta->adds_over_16_bits;
	unsigned count = operand((uint32_t)(int32_t)i->insn.off);

	return count + (maybe && over ? 5 : 0) + (i->insn.off ? 2 : 0) + (maybe ? 3 : 0) +
	       (over ? 2 + (BPF_SIZE(i->insn.code) == BPF_DW) : 0);
}

/* --- jumps and calls --- */

static unsigned jump_by_constant(const struct nfp_jit_insn *i, int is_64)
{
	int64_t value = i->insn.imm;
	uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);

	switch (BPF_OP(i->insn.code)) {
	case BPF_JEQ:
		if (!is_64)
			return operand(low) + 2;
		return (low ? operand(low) + 1 : 0) + (high ? operand(high) + 1 : 0) + 2;
	case BPF_JNE:
		if (!value)
			return 2;
		return operand(low) + 2 + (is_64 ? operand(high) + 2 : 0);
	case BPF_JSET:
		return operand(low) + 1 + (is_64 && high) + 1;
	default:
		return operand(low) + 1 + (is_64 ? operand(high) + 1 : 0) + 1;
	}
}

static unsigned jump(const struct nfp_jit_insn *i)
{
	int is_64 = BPF_CLASS(i->insn.code) == BPF_JMP;

	if (BPF_OP(i->insn.code) == BPF_JA)
		return 1;
	if (BPF_SRC(i->insn.code) == BPF_K)
		return jump_by_constant(i, is_64);
	switch (BPF_OP(i->insn.code)) {
	case BPF_JSET:
	case BPF_JNE:
		return is_64 ? 4 : 2;
	case BPF_JEQ:
		return is_64 ? 4 : 2;
	default:
		return is_64 ? 3 : 2;
	}
}

static unsigned helper(const struct nfp_walk *w, const struct nfp_jit_insn *i, uint32_t frame_depth)
{
	int moves_base;

	switch (i->insn.imm) {
	case BPF_FUNC_xdp_adjust_head:
		return w->adjust_head_at >= 0 ? 5 : 16;
	case BPF_FUNC_xdp_adjust_tail:
		return 11;
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_update_elem:
	case BPF_FUNC_map_delete_elem:
		moves_base = i->meta->key_varies || (int64_t)frame_depth + i->meta->key_offset;
		return 3 + (moves_base ? 5 : 0) + (i->insn.imm == BPF_FUNC_map_update_elem);
	default: /* get_prandom_u32, perf_event_output */
		return 3;
	}
}

static uint32_t kernel_depth(const struct nfp_walk *w, unsigned function)
{
	return round_up(w->functions[function].depth_bytes, w->kernel >= NFP_KERNEL_6_12 ? 8 : 1);
}

/* The depth of a frame, including what the JIT keeps in a callee's frame. */
static uint32_t full_depth(const struct nfp_walk *w, unsigned function)
{
	uint32_t depth = kernel_depth(w, function);

	if (function)
		depth += RETURN_BYTES + (w->functions[function].writes_saved ? SAVED_BYTES : 0);
	return depth;
}

static int saves_registers(const struct nfp_walk *w, unsigned function)
{
	return function && w->functions[function].writes_saved;
}

static unsigned function_at(const struct nfp_walk *w, int64_t insn)
{
	unsigned i = 0;

	while (i + 1 < w->function_count && w->functions[i + 1].start <= insn)
		i++;
	return i;
}

static unsigned call(const struct nfp_walk *w, uint32_t at, uint32_t frame_depth)
{
	uint32_t moved = round_up(frame_depth, FRAME_ALIGN);
	int64_t target = (int64_t)at + 1 + w->code->insns[at].imm;

	return (moved ? 2 * operand(moved) + 7 : 0) + 2 + (unsigned)saves_registers(w, function_at(w, target));
}

/* Returns how many NFP instructions the driver makes of instruction `at`. */
static unsigned translate(const struct nfp_walk *w, struct nfp_jit_insn *insns, uint32_t at, uint32_t frame_depth)
{
	const struct nfp_jit_insn *i = &insns[at];

	switch (BPF_CLASS(i->insn.code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return alu(i, frame_depth);
	case BPF_LD:
		return 0; /* counted with its second half */
	case BPF_LDX:
		return load(i, frame_depth);
	case BPF_STX:
		return BPF_MODE(i->insn.code) == BPF_ATOMIC ? atomic_add(i) : store(i, frame_depth);
	case BPF_JMP:
	case BPF_JMP32:
		if (i->insn.code == (BPF_JMP | BPF_CALL))
			return i->insn.src_reg == BPF_PSEUDO_CALL ? call(w, at, frame_depth) : helper(w, i, frame_depth);
		if (i->insn.code == (BPF_JMP | BPF_EXIT))
			return function_at(w, at) ? 2 : 1;
		return jump(i);
	}
	return 0;
}

/* The cost of the second half of a 64-bit load. A map's number is small. */
static unsigned second_half(const struct bpf_insn *first, const struct bpf_insn *second)
{
	if (first->src_reg)
		return 2;
	return constant((uint32_t)first->imm) + (first->imm == second->imm ? 1 : constant((uint32_t)second->imm));
}

unsigned nfp_jit__count(const struct nfp_walk *w)
{
	struct nfp_jit_insn *insns = nfp_jit__optimize(w);
	unsigned count = PROLOGUE + EPILOGUE + PREFETCH_NOPS, function = 0;
	uint32_t frame_depth = round_up(full_depth(w, 0), 4);

	if (!insns)
		return 0;
	for (uint32_t i = 0; i < w->code->count; i++) {
		if (i && w->code->starts_function[i]) {
			frame_depth = round_up(full_depth(w, ++function), 4);
			count++;
		}
		if (insns[i].is_dead || insns[i].is_merged)
			continue;
		if (i && insns[i - 1].insn.code == (BPF_LD | BPF_IMM | BPF_DW) && !insns[i].insn.code)
			count += second_half(&insns[i - 1].insn, &insns[i].insn);
		else
			count += translate(w, insns, i, frame_depth);
	}
	for (unsigned f = 1; f < w->function_count; f++)
		if (saves_registers(w, f)) {
			count += SAVE_RESTORE;
			break;
		}
	free(insns);
	return count;
}

/*
 * Finds the deepest chain of calls: each round makes the chains from every function one call longer. The walk refuses more than
 * NFP_FRAMES_MAX frames, and so recursion.
 */
unsigned nfp_jit__stack_bytes(const struct nfp_walk *w)
{
	uint32_t chain[NFP_FUNCTIONS_MAX] = { 0 }, longer[NFP_FUNCTIONS_MAX];

	for (unsigned round = 0; round < NFP_FRAMES_MAX; round++) {
		unsigned function = 0;

		memset(longer, 0, sizeof(longer));
		for (uint32_t i = 0; i < w->code->count; i++) {
			const struct bpf_insn *insn = &w->code->insns[i];
			uint32_t called;

			function += i && w->code->starts_function[i];
			if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg != BPF_PSEUDO_CALL)
				continue;
			called = chain[function_at(w, (int64_t)i + 1 + insn->imm)];
			longer[function] = called > longer[function] ? called : longer[function];
		}
		for (function = 0; function < w->function_count; function++)
			chain[function] = longer[function] + round_up(full_depth(w, function), FRAME_ALIGN);
	}
	return chain[0];
}
