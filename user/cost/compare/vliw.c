/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Splits an eBPF program into basic blocks and schedules their instructions into VLIW rows, as hXDP's compiler does. Called by hxdp.c and
 * tests. Invariant: no instruction is in a row before that of an instruction it depends on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/compare/vliw.h"

#define CALL        (BPF_JMP | BPF_CALL)
#define EXIT        (BPF_JMP | BPF_EXIT)
#define LOAD_64     (BPF_LD | BPF_IMM | BPF_DW)
#define ARGUMENTS   0x3eu /* r1 to r5 */
#define CLOBBERED   0x3fu /* r0 to r5 */
#define UNSCHEDULED UINT32_MAX

static int is_jump(const struct bpf_insn *insn)
{
	const uint8_t class = BPF_CLASS(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && insn->code != CALL && insn->code != EXIT;
}

static int is_conditional(const struct bpf_insn *insn)
{
	return is_jump(insn) && BPF_OP(insn->code) != BPF_JA;
}

static unsigned size_of(uint8_t code)
{
	return BPF_SIZE(code) == BPF_DW ? 8 : BPF_SIZE(code) == BPF_W ? 4 : BPF_SIZE(code) == BPF_H ? 2 : 1;
}

static uint32_t bit(unsigned reg)
{
	return (uint32_t)(1u << (reg & 15));
}

static void describe_memory(const struct bpf_insn *insn, struct vliw_op *op)
{
	const int is_atomic = BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC;

	op->offset = insn->off;
	op->bytes = (int)size_of(insn->code);
	if (BPF_CLASS(insn->code) == BPF_LDX) {
		op->memory = VLIW_LOAD;
		op->reads = bit(insn->src_reg);
		op->writes = bit(insn->dst_reg);
		return;
	}
	op->memory = is_atomic ? VLIW_ALL_MEMORY : VLIW_STORE;
	op->reads = bit(insn->dst_reg);
	if (BPF_CLASS(insn->code) == BPF_STX)
		op->reads |= bit(insn->src_reg);
	if (is_atomic && insn->imm == BPF_CMPXCHG) {
		op->reads |= bit(0);
		op->writes = bit(0);
	} else if (is_atomic && (insn->imm & BPF_FETCH)) {
		op->writes = bit(insn->src_reg);
	}
}

/* Fills in the registers and memory that an instruction reads and writes. */
static void describe(const struct bpf_insn *insn, struct vliw_op *op)
{
	const uint8_t class = BPF_CLASS(insn->code), source = BPF_SRC(insn->code);

	if (insn->code == CALL) {
		op->is_call = 1;
		op->reads = ARGUMENTS;
		op->writes = CLOBBERED;
		op->memory = VLIW_ALL_MEMORY;
	} else if (insn->code == EXIT) {
		op->is_exit = op->is_branch = 1;
		op->reads = bit(0);
	} else if (class == BPF_JMP || class == BPF_JMP32) {
		op->is_branch = 1;
		if (is_conditional(insn))
			op->reads = (uint32_t)(bit(insn->dst_reg) | (source == BPF_X ? bit(insn->src_reg) : 0));
	} else if (class == BPF_ALU || class == BPF_ALU64) {
		op->writes = bit(insn->dst_reg);
		op->reads = BPF_OP(insn->code) == BPF_MOV ? 0 : bit(insn->dst_reg);
		if (source == BPF_X && BPF_OP(insn->code) != BPF_END && BPF_OP(insn->code) != BPF_NEG)
			op->reads |= bit(insn->src_reg);
	} else if (class == BPF_LD) {
		op->writes = bit(insn->dst_reg);
	} else {
		describe_memory(insn, op);
	}
}

/* --- blocks --- */

static int jump_target(const struct vliw *v, unsigned i)
{
	int64_t target = (int64_t)i + 1 + (v->insns[i].code == (BPF_JMP32 | BPF_JA) ? v->insns[i].imm : v->insns[i].off);

	return target < 0 || target >= v->count ? -1 : (int)target;
}

/* Marks the first instruction of each block in is_leader, one byte per instruction. Returns -EINVAL if a jump leaves the program. */
static int mark_leaders(const struct vliw *v, uint8_t *is_leader)
{
	is_leader[0] = 1;
	for (unsigned i = 0; i < v->count; i++) {
		const struct bpf_insn *insn = &v->insns[i];

		if (insn->code == LOAD_64) {
			i++;
			continue;
		}
		if (insn->code == CALL && insn->src_reg == BPF_PSEUDO_CALL) {
			int64_t callee = (int64_t)i + 1 + insn->imm;

			if (callee < 0 || callee >= v->count)
				return -EINVAL;
			is_leader[callee] = 1;
		}
		if (is_jump(insn)) {
			int target = jump_target(v, i);

			if (target < 0 || (is_conditional(insn) && i + 1 == v->count))
				return -EINVAL;
			is_leader[target] = 1;
		}
		if ((is_jump(insn) || insn->code == EXIT) && i + 1 < v->count)
			is_leader[i + 1] = 1;
	}
	return 0;
}

static int find_blocks(struct vliw *v)
{
	uint8_t *is_leader = calloc(v->count + 1, 1);
	int err = is_leader ? mark_leaders(v, is_leader) : -ENOMEM;

	for (unsigned i = 0; i < v->count && !err; i++) {
		if (is_leader[i] || (v->blocks[v->block_count - 1].count >= VLIW_BLOCK_MAX && v->insns[i - 1].code != LOAD_64))
			v->blocks[v->block_count++] = (struct vliw_block){ .first = i, .next = { -1, -1 } };
		v->blocks[v->block_count - 1].count++;
		v->block_of[i] = v->block_count - 1;
	}
	free(is_leader);
	return err;
}

struct vliw_block *vliw__next(const struct vliw *v, const struct vliw_block *block, unsigned n)
{
	return block->next[n] < 0 ? NULL : &v->blocks[v->block_of[block->next[n]]];
}

static void link_blocks(struct vliw *v)
{
	for (unsigned b = 0; b < v->block_count; b++) {
		struct vliw_block *block = &v->blocks[b];
		const unsigned last = block->first + block->count - 1;
		const struct bpf_insn *insn = &v->insns[last];
		const int is_branch = v->ops[last].is_branch; /* 0 for the second half of a 64-bit load, whatever its code */

		if ((!is_branch || is_conditional(insn)) && b + 1 < v->block_count)
			block->next[0] = (int)v->blocks[b + 1].first;
		if (is_branch && is_jump(insn))
			block->next[1] = jump_target(v, last);
		for (unsigned n = 0; n < 2; n++)
			if (block->next[n] >= 0)
				vliw__next(v, block, n)->before++;
	}
}

/* --- addresses --- */

/*
 * Resolves each address of a block to a root and an offset. A root is a register's value at the start of the block (numbered by register)
 * or the result of an instruction (numbered from 16).
 */
static void find_roots(struct vliw *v, const struct vliw_block *block)
{
	struct {
		int root;
		int64_t offset;
	} reg[11];
	int next_root = 16;

	for (int i = 0; i < 11; i++) {
		reg[i].root = i;
		reg[i].offset = 0;
	}
	for (unsigned i = block->first; i < block->first + block->count; i++) {
		const struct bpf_insn *insn = &v->insns[i];
		struct vliw_op *op = &v->ops[i];
		const unsigned dst = insn->dst_reg % 11, src = insn->src_reg % 11;

		if (op->memory == VLIW_LOAD || op->memory == VLIW_STORE) {
			unsigned base = op->memory == VLIW_LOAD ? src : dst;

			op->root = reg[base].root;
			op->offset = insn->off + reg[base].offset;
		}
		if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X)) {
			reg[dst] = reg[src];
			continue;
		}
		if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K)) {
			reg[dst].offset += insn->imm;
			continue;
		}
		for (unsigned n = 0; n < 11; n++)
			if (op->writes & bit(n)) {
				reg[n].root = next_root++;
				reg[n].offset = 0;
			}
	}
}

static int may_overlap(const struct vliw_op *a, const struct vliw_op *b)
{
	if (a->memory == VLIW_ALL_MEMORY || b->memory == VLIW_ALL_MEMORY)
		return 1;
	if (a->root == b->root)
		return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
	return 0;
}

/* Returns 1 if block b, which follows a, always runs after a and is not a jump target, and the merged block is not too long. */
static int can_merge(const struct vliw *v, const struct vliw_block *a, unsigned b)
{
	const unsigned last = a->first + a->count - 1;

	if (a->count + v->blocks[b].count > VLIW_BLOCK_MAX)
		return 0;
	return a->next[0] == (int)v->blocks[b].first && a->next[1] < 0 && v->blocks[b].before == 1 &&
	       (v->ops[last].removed || !v->ops[last].is_branch);
}

static void renumber(struct vliw *v, unsigned count)
{
	v->block_count = count;
	for (unsigned b = 0; b < count; b++)
		for (unsigned i = 0; i < v->blocks[b].count; i++)
			v->block_of[v->blocks[b].first + i] = b;
	for (unsigned b = 0; b < count; b++)
		find_roots(v, &v->blocks[b]);
}

void vliw__merge_blocks(struct vliw *v)
{
	const unsigned count = v->block_count;
	unsigned kept = 0;

	for (unsigned b = 1; b < count; b++) {
		struct vliw_block *to = &v->blocks[kept];

		if (can_merge(v, to, b)) {
			to->count += v->blocks[b].count;
			memcpy(to->next, v->blocks[b].next, sizeof(to->next));
		} else {
			kept++;
			if (kept != b)
				v->blocks[kept] = v->blocks[b];
		}
	}
	renumber(v, kept + 1);
}

/* --- scheduling --- */

static int is_lane_free(unsigned used, unsigned lane)
{
	return !(used >> lane & 1);
}

struct row {
	unsigned number, used; /* used: one bit per lane */
	int has_call;
};

/*
 * The row that b may have if a precedes it in the program: ANYWHERE, NOT_BEFORE a's row (may share it), or AFTER a's row. needs: the
 * registers that b reads and that no instruction between a and b writes.
 */
enum order { ANYWHERE, NOT_BEFORE, AFTER };

/* Returns the registers in which an instruction leaves a value. A helper clobbers r1 to r5 without leaving a value. */
static uint32_t results(const struct vliw_op *op)
{
	return op->is_call ? op->writes & ~ARGUMENTS : op->writes;
}

/* Returns where `b` must be relative to `a`, which precedes it in the program. needs: the registers that b reads. */
static enum order order(const struct vliw_op *a, const struct vliw_op *b, uint32_t needs)
{
	enum order found = ANYWHERE;

	if (results(a) & needs) {
		if (!b->is_call || a->is_call)
			return AFTER;
		found = NOT_BEFORE; /* a helper reads its arguments after its row, so it may share the row that writes them */
	}
	if ((a->writes & (a->is_call ? b->writes : results(b))) && !a->can_rename && !b->can_rename)
		return AFTER;
	if ((a->reads & b->writes) && !b->can_rename)
		found = NOT_BEFORE;
	if (a->memory != VLIW_NO_MEMORY && b->memory != VLIW_NO_MEMORY && !(a->memory == VLIW_LOAD && b->memory == VLIW_LOAD) &&
	    may_overlap(a, b)) {
		if (a->memory != VLIW_LOAD)
			return AFTER;
		found = NOT_BEFORE;
	}
	return found;
}

/* Returns 1 if all instructions before i in the block are scheduled. A branch ends its block, so none may be in a later row. */
static int earlier_are_scheduled(const struct vliw *v, const struct vliw_block *block, unsigned i)
{
	for (unsigned n = block->first; n < i; n++)
		if (!v->ops[n].removed && v->ops[n].row == UNSCHEDULED)
			return 0;
	return 1;
}

/* Returns 1 and sets *lane if the instruction can be placed in the row. */
static int can_place(const struct vliw *v, const struct vliw_block *block, unsigned i, const struct row *row, unsigned *lane)
{
	const struct vliw_op *op = &v->ops[i];
	uint32_t needs = op->reads;
	int fixed = -1;

	if ((op->is_call && row->has_call) || (op->is_branch && !earlier_are_scheduled(v, block, i)))
		return 0;
	for (unsigned n = i; n-- > block->first;) {
		const struct vliw_op *before = &v->ops[n];
		enum order rule = before->removed ? ANYWHERE : order(before, op, needs);

		if (rule != ANYWHERE && (before->row == UNSCHEDULED || (rule == AFTER && before->row >= row->number)))
			return 0;
		/* to the next row, results are forwarded only within a lane */
		if (rule == AFTER && (results(before) & needs) && before->row + 1 == row->number) {
			if (fixed >= 0 && fixed != (int)before->lane)
				return 0;
			fixed = (int)before->lane;
		}
		if (!before->removed)
			needs &= ~before->writes;
	}
	for (unsigned n = fixed >= 0 ? (unsigned)fixed : 0; n < (fixed >= 0 ? (unsigned)fixed + 1 : v->lanes); n++)
		if (is_lane_free(row->used, n)) {
			*lane = n;
			return 1;
		}
	return 0;
}

/* List scheduling: each row takes, in the program's order, all operations that can be placed in it. */
static void schedule(struct vliw *v, struct vliw_block *block)
{
	unsigned left = 0;

	for (unsigned i = block->first; i < block->first + block->count; i++) {
		v->ops[i].row = UNSCHEDULED;
		left += !v->ops[i].removed;
	}
	for (unsigned number = 0; left; number++) {
		struct row row = { .number = number };

		for (unsigned i = block->first; i < block->first + block->count; i++) {
			struct vliw_op *op = &v->ops[i];
			unsigned lane;

			if (op->removed || op->row != UNSCHEDULED || !can_place(v, block, i, &row, &lane))
				continue;
			op->row = number;
			op->lane = lane;
			row.used |= 1u << lane;
			row.has_call |= op->is_call;
			left--;
		}
		block->rows = number + 1;
	}
}

/* Returns the index of a block's only remaining instruction, or -1. */
static int single_op(const struct vliw *v, const struct vliw_block *block)
{
	int found = -1;

	for (unsigned i = block->first; i < block->first + block->count; i++)
		if (!v->ops[i].removed) {
			if (found >= 0)
				return -1;
			found = (int)i;
		}
	return found;
}

/* Returns the used lanes of a block's last row; *writes: the registers that the row writes. */
static unsigned last_row(const struct vliw *v, const struct vliw_block *block, uint32_t *writes)
{
	unsigned used = 0;

	*writes = 0;
	for (unsigned i = block->first; i < block->first + block->count; i++)
		if (!v->ops[i].removed && v->ops[i].row + 1 == block->rows) {
			used |= 1u << v->ops[i].lane;
			*writes |= v->ops[i].writes;
		}
	return used;
}

/* Moves the conditional branches that directly follow the block's own branch into its last row, on free lanes. */
static void share_branches(struct vliw *v, struct vliw_block *block)
{
	const struct vliw_block *at = block;
	uint32_t writes;
	unsigned used;

	if (!block->rows || !is_conditional(&v->insns[block->first + block->count - 1]) || v->ops[block->first + block->count - 1].removed)
		return;
	used = last_row(v, block, &writes);
	while (at->next[0] >= 0) {
		struct vliw_block *next = vliw__next(v, at, 0);
		int i = next->before == 1 ? single_op(v, next) : -1;
		unsigned lane = 0;

		if (i < 0 || !is_conditional(&v->insns[i]) || (v->ops[i].reads & writes))
			return;
		while (lane < v->lanes && !is_lane_free(used, lane))
			lane++;
		if (lane == v->lanes)
			return;
		used |= 1u << lane;
		v->ops[i].row = block->rows - 1;
		v->ops[i].lane = lane;
		next->rows = 0;
		at = next;
	}
}

/* Marks instructions whose result may use any register: it does not leave the block, and no helper or exit reads it. */
static void find_renames(struct vliw *v, const struct vliw_block *block)
{
	for (unsigned i = block->first; i < block->first + block->count; i++) {
		struct vliw_op *op = &v->ops[i];
		int leaves_block = (op->writes & block->live_out) != 0, is_argument = 0;

		if (op->removed || !op->writes || op->is_call)
			continue;
		for (unsigned n = i + 1; n < block->first + block->count; n++) {
			const struct vliw_op *later = &v->ops[n];

			if (later->removed)
				continue;
			is_argument |= (later->reads & op->writes) && (later->is_call || later->is_exit);
			if (later->writes & op->writes) {
				leaves_block = 0;
				break;
			}
		}
		op->can_rename = !leaves_block && !is_argument;
	}
}

int vliw__compile(struct vliw *v, const struct bpf_insn *insns, unsigned count, unsigned lanes, unsigned without)
{
	int err;

	*v = (struct vliw){ .insns = insns, .count = count, .lanes = lanes };
	if (!count || !lanes || lanes > VLIW_LANES_MAX)
		return -EINVAL;
	if (count > VLIW_INSTRUCTIONS_MAX)
		return -E2BIG;
	v->ops = calloc(count, sizeof(*v->ops));
	v->blocks = calloc(count, sizeof(*v->blocks));
	v->block_of = calloc(count, sizeof(*v->block_of));
	err = v->ops && v->blocks && v->block_of ? find_blocks(v) : -ENOMEM;
	if (err) {
		vliw__free(v);
		return err;
	}
	for (unsigned i = 0; i < count; i++) {
		describe(&insns[i], &v->ops[i]);
		if (insns[i].code == LOAD_64 && i + 1 < count)
			v->ops[++i].removed = 1;
	}
	link_blocks(v);
	for (unsigned b = 0; b < v->block_count; b++)
		find_roots(v, &v->blocks[b]);
	vliw__reduce(v, without);
	for (unsigned b = 0; b < v->block_count; b++) {
		find_renames(v, &v->blocks[b]);
		schedule(v, &v->blocks[b]);
	}
	for (unsigned b = 0; b < v->block_count; b++)
		share_branches(v, &v->blocks[b]);
	for (unsigned b = 0; b < v->block_count; b++)
		v->rows += v->blocks[b].rows;
	return 0;
}

void vliw__free(struct vliw *v)
{
	free(v->ops);
	free(v->blocks);
	free(v->block_of);
	*v = (struct vliw){ 0 };
}

uint64_t vliw__rows_run(const struct vliw *v, const uint64_t *runs, uint64_t *undrained)
{
	uint64_t rows = 0;

	*undrained = 0;
	for (unsigned b = 0; b < v->block_count; b++)
		rows += runs[v->blocks[b].first] * v->blocks[b].rows;
	for (unsigned i = 0; i < v->count; i++)
		if (v->ops[i].is_exit && !v->ops[i].has_action)
			*undrained += runs[i];
	return rows;
}
