/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hXDP's reductions of an eBPF program (OSDI 2020, 3.1 and 3.2): removes instructions whose work the hardware does, and replaces groups of
 * instructions by one hXDP instruction. Called by vliw.c before blocks are scheduled. Invariant: an instruction is removed only if no
 * remaining instruction needs its result.
 */
#include <stddef.h>

#include "user/cost/compare/vliw.h"

#define EXIT                (BPF_JMP | BPF_EXIT)
#define CONTEXT             1 /* r1 when the program starts */
#define ALL_REGS            0x7ffu
#define SIX_BYTES           6
#define VLIW_BLOCKS_CHECKED 4096 /* a program with more blocks keeps its boundary checks */
#define NOT_VISITED \
	UINT32_MAX /* marks live_out as not yet computed; no block has it, since temporaries of 6-byte copies stay in their block */

static uint32_t bit(unsigned reg)
{
	return (uint32_t)(1u << (reg & 15));
}

static unsigned end_of(const struct vliw_block *block)
{
	return block->first + block->count;
}

/* Returns 1 if the instruction's only effect is to write registers that are not live. */
static int is_dead(const struct vliw_op *op, uint32_t live)
{
	return op->writes && !(op->writes & live) && op->memory <= VLIW_LOAD && !op->is_branch;
}

static uint32_t live_before(const struct vliw_op *op, uint32_t live)
{
	return op->removed || is_dead(op, live) ? live : (uint32_t)((live & ~op->writes) | op->reads);
}

/*
 * Computes the registers that are live at the start and end of each block. Reads of dead instructions do not keep a register live, so
 * remove_dead() finds chains of dead instructions of any length in one pass.
 */
static void find_live(struct vliw *v)
{
	int changed = 1;

	for (unsigned b = 0; b < v->block_count; b++) {
		v->blocks[b].live_in = 0;
		v->blocks[b].live_out = NOT_VISITED;
	}
	while (changed) {
		changed = 0;
		for (unsigned b = v->block_count; b--;) {
			struct vliw_block *block = &v->blocks[b];
			uint32_t live = 0;

			for (unsigned n = 0; n < 2; n++)
				if (block->next[n] >= 0)
					live |= vliw__next(v, block, n)->live_in;
			if (live == block->live_out)
				continue;
			block->live_out = live;
			for (unsigned i = end_of(block); i-- > block->first;)
				live = live_before(&v->ops[i], live);
			changed |= live != block->live_in;
			block->live_in = live;
		}
	}
}

static void remove_dead(struct vliw *v)
{
	find_live(v);
	for (unsigned b = 0; b < v->block_count; b++) {
		const struct vliw_block *block = &v->blocks[b];
		uint32_t live = block->live_out;

		for (unsigned i = end_of(block); i-- > block->first;) {
			struct vliw_op *op = &v->ops[i];
			const uint32_t before = live_before(op, live);

			op->removed |= is_dead(op, live);
			live = before;
		}
	}
}

/* --- boundary checks --- */

/* The registers known to hold the context's address and the packet's end; one bit per register. */
struct known {
	uint32_t context, end;
};

static void update_known(const struct bpf_insn *insn, const struct vliw_op *op, struct known *k)
{
	const int is_end = insn->code == (BPF_LDX | BPF_MEM | BPF_W) && insn->off == offsetof(struct xdp_md, data_end) &&
			   (k->context & bit(insn->src_reg));
	const int is_move = insn->code == (BPF_ALU64 | BPF_MOV | BPF_X);
	const struct known before = *k;

	k->context &= ~op->writes;
	k->end &= ~op->writes;
	if (is_end || (is_move && (before.end & bit(insn->src_reg))))
		k->end |= bit(insn->dst_reg);
	if (is_move && (before.context & bit(insn->src_reg)))
		k->context |= bit(insn->dst_reg);
}

static struct known known_at_end(const struct vliw *v, const struct vliw_block *block, struct known k)
{
	for (unsigned i = block->first; i < end_of(block); i++)
		update_known(&v->insns[i], &v->ops[i], &k);
	return k;
}

/* Returns 1 for a boundary check that jumps if the packet is too short, 2 if it jumps when the packet is long enough, 0 for any other. */
static int is_check(const struct bpf_insn *insn, const struct known *k)
{
	const int right = (k->end & bit(insn->src_reg)) != 0, left = (k->end & bit(insn->dst_reg)) != 0;

	if (BPF_CLASS(insn->code) != BPF_JMP || BPF_SRC(insn->code) != BPF_X || right == left)
		return 0;
	switch (BPF_OP(insn->code)) {
	case BPF_JGT:
	case BPF_JGE:
		return right ? 1 : 2;
	case BPF_JLT:
	case BPF_JLE:
		return right ? 2 : 1;
	}
	return 0;
}

/* Removes the boundary check at a block's end. A check that jumps if the packet is long enough becomes an unconditional jump. */
static void remove_check(struct vliw *v, struct vliw_block *block, struct known k)
{
	const unsigned last = end_of(block) - 1;
	int kind;

	if (!v->ops[last].is_branch)
		return;
	for (unsigned i = block->first; i < last; i++)
		update_known(&v->insns[i], &v->ops[i], &k);
	kind = is_check(&v->insns[last], &k);
	if (!kind)
		return;
	vliw__next(v, block, kind == 1)->before--;
	block->next[kind == 1] = -1;
	v->ops[last].reads = 0;
	v->ops[last].removed = kind == 1;
}

/* Removes comparisons with the end of the packet, which hXDP's hardware makes itself. */
static void remove_checks(struct vliw *v)
{
	/* propagated from the first block; a block without predecessors (a function) starts with nothing known */
	struct known known[VLIW_BLOCKS_CHECKED], none = { 0, 0 };
	int changed = 1;

	if (v->block_count > sizeof(known) / sizeof(known[0]))
		return;
	for (unsigned b = 0; b < v->block_count; b++)
		known[b] = v->blocks[b].before ? (struct known){ ALL_REGS, ALL_REGS } : none;
	if (!v->blocks[0].before)
		known[0].context = bit(CONTEXT);
	while (changed) {
		changed = 0;
		for (unsigned b = 0; b < v->block_count; b++) {
			struct known k = known_at_end(v, &v->blocks[b], known[b]);

			for (unsigned n = 0; n < 2; n++) {
				struct known *to = v->blocks[b].next[n] >= 0 ? &known[v->block_of[v->blocks[b].next[n]]] : NULL;
				struct known old = to ? *to : none;

				if (!to)
					continue;
				to->context &= k.context;
				to->end &= k.end;
				changed |= old.context != to->context || old.end != to->end;
			}
		}
	}
	for (unsigned b = 0; b < v->block_count; b++)
		remove_check(v, &v->blocks[b], known[b]);
}

/* --- zeroing --- */

static int is_zero_move(const struct bpf_insn *insn)
{
	return (insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) || insn->code == (BPF_ALU | BPF_MOV | BPF_K)) && !insn->imm;
}

/* Removes zeroing at the program's start: hXDP starts with a zeroed stack and zeroed registers, except r1 and r10. */
static void remove_zeroing(struct vliw *v)
{
	struct vliw_block *block = &v->blocks[0];
	uint32_t written = bit(CONTEXT) | bit(BPF_REG_10), zero = 0;
	int stack_written = 0;

	for (unsigned i = 0; !block->before && i < end_of(block); i++) {
		const struct bpf_insn *insn = &v->insns[i];
		struct vliw_op *op = &v->ops[i];
		const int is_stack = op->memory == VLIW_STORE && insn->dst_reg == BPF_REG_10;
		const int is_zero = BPF_CLASS(insn->code) == BPF_ST ? !insn->imm : (zero & bit(insn->src_reg)) != 0;

		if (op->memory == VLIW_ALL_MEMORY)
			stack_written = 1;
		if (is_stack && is_zero && !stack_written) {
			op->removed = 1;
		} else if (is_stack) {
			stack_written = 1;
		} else if (is_zero_move(insn) && !(written & bit(insn->dst_reg))) {
			op->removed = 1;
			zero |= bit(insn->dst_reg);
		} else {
			zero &= ~op->writes;
		}
		written |= op->writes;
	}
}

/* --- three operands, exits with an action --- */

/* Returns the next instruction of the block that reads or writes one of the registers, or the end of the block. */
static unsigned next_use(const struct vliw *v, const struct vliw_block *block, unsigned i, uint32_t regs)
{
	for (i++; i < end_of(block); i++)
		if (!v->ops[i].removed && ((v->ops[i].reads | v->ops[i].writes) & regs))
			break;
	return i;
}

static int writes_between(const struct vliw *v, unsigned from, unsigned to, uint32_t regs)
{
	for (unsigned i = from + 1; i < to; i++)
		if (!v->ops[i].removed && (v->ops[i].writes & regs))
			return 1;
	return 0;
}

/* r4 = r2; r4 += 42 becomes r4 = r2 + 42. */
static void use_three_operands(struct vliw *v, const struct vliw_block *block)
{
	for (unsigned i = block->first; i < end_of(block); i++) {
		const struct bpf_insn *move = &v->insns[i], *insn;
		const uint8_t class = BPF_CLASS(move->code);
		unsigned n;

		if (v->ops[i].removed || (class != BPF_ALU64 && class != BPF_ALU) || move->code != (class | BPF_MOV | BPF_X))
			continue;
		n = next_use(v, block, i, bit(move->dst_reg));
		insn = &v->insns[n];
		if (n == end_of(block) || BPF_CLASS(insn->code) != class || insn->dst_reg != move->dst_reg ||
		    BPF_OP(insn->code) == BPF_MOV || BPF_OP(insn->code) == BPF_END || BPF_OP(insn->code) == BPF_NEG ||
		    (BPF_SRC(insn->code) == BPF_X && insn->src_reg == move->dst_reg) || writes_between(v, i, n, bit(move->src_reg)))
			continue;
		v->ops[n].reads = (uint32_t)((v->ops[n].reads & ~bit(move->dst_reg)) | bit(move->src_reg));
		v->ops[i].removed = 1;
	}
}

/* r0 = 1; exit becomes one exit that contains the action. */
static void use_action(struct vliw *v, const struct vliw_block *block)
{
	const unsigned last = end_of(block) - 1;

	if (v->insns[last].code != EXIT)
		return;
	for (unsigned i = last; i-- > block->first;) {
		const struct bpf_insn *insn = &v->insns[i];

		if (v->ops[i].removed || !((v->ops[i].reads | v->ops[i].writes) & bit(0)))
			continue;
		if (insn->code != (BPF_ALU64 | BPF_MOV | BPF_K) && insn->code != (BPF_ALU | BPF_MOV | BPF_K))
			return;
		v->ops[i].removed = 1;
		v->ops[last].reads = 0;
		v->ops[last].has_action = 1;
		return;
	}
}

/* --- loads and stores of 6 bytes --- */

#define PARTS SIX_BYTES

/* Loads of adjacent bytes, and the stores that write their values to adjacent bytes in the same order. */
struct copy6 {
	unsigned load[PARTS], store[PARTS], parts;
};

/* Returns the store that is the only use of a load's value, or 0. */
static unsigned find_store(const struct vliw *v, const struct vliw_block *block, unsigned load)
{
	const uint32_t reg = v->ops[load].writes;
	unsigned n = next_use(v, block, load, reg), then;

	if (n == end_of(block) || v->ops[n].memory != VLIW_STORE || BPF_CLASS(v->insns[n].code) != BPF_STX ||
	    bit(v->insns[n].src_reg) != reg || bit(v->insns[n].dst_reg) == reg || v->ops[n].bytes != v->ops[load].bytes)
		return 0;
	then = next_use(v, block, n, reg);
	if (then == end_of(block) ? (block->live_out & reg) != 0 : (v->ops[then].reads & reg) != 0)
		return 0;
	return n;
}

static unsigned min_index(const unsigned *at, unsigned n)
{
	unsigned found = at[0];

	for (unsigned i = 1; i < n; i++)
		found = at[i] < found ? at[i] : found;
	return found;
}

static unsigned max_index(const unsigned *at, unsigned n)
{
	unsigned found = at[0];

	for (unsigned i = 1; i < n; i++)
		found = at[i] > found ? at[i] : found;
	return found;
}

/* Returns 1 if an instruction between `from` and `to` may store to the bytes of `op`, or with by_loads also load them. */
static int is_accessed_between(const struct vliw *v, unsigned from, unsigned to, const struct vliw_op *op, int by_loads)
{
	for (unsigned i = from + 1; i < to; i++) {
		const struct vliw_op *other = &v->ops[i];

		if (other->removed || other->memory == VLIW_NO_MEMORY || (other->memory == VLIW_LOAD && !by_loads))
			continue;
		if (other->memory == VLIW_ALL_MEMORY ||
		    (other->root == op->root && other->offset < op->offset + op->bytes && op->offset < other->offset + other->bytes))
			return 1;
	}
	return 0;
}

/* Returns 1 if the loads can move up to the first load, and the stores down to the last store, past all instructions between. */
static int can_move(const struct vliw *v, const struct copy6 *c)
{
	const unsigned first = min_index(c->load, c->parts), last = max_index(c->store, c->parts);

	for (unsigned n = 0; n < c->parts; n++)
		if (is_accessed_between(v, first, c->load[n], &v->ops[c->load[n]], 0) ||
		    is_accessed_between(v, c->store[n], last, &v->ops[c->store[n]], 1))
			return 0;
	return 1;
}

/* Adds the load and store of the bytes that follow the copy. Returns their number, or 0. */
static int extend(const struct vliw *v, const struct vliw_block *block, struct copy6 *c, int bytes)
{
	const struct vliw_op *load = &v->ops[c->load[0]], *store = &v->ops[c->store[0]];

	for (unsigned i = block->first; i < end_of(block); i++) {
		const struct vliw_op *op = &v->ops[i];
		unsigned n;

		if (op->removed || op->memory != VLIW_LOAD || op->root != load->root || op->offset != load->offset + bytes ||
		    op->bytes > SIX_BYTES - bytes)
			continue;
		n = find_store(v, block, i);
		if (!n || v->ops[n].root != store->root || v->ops[n].offset != store->offset + bytes)
			continue;
		c->load[c->parts] = i;
		c->store[c->parts++] = n;
		return op->bytes;
	}
	return 0;
}

/* Replaces the copy by one load at the position of the first and one store at the position of the last, through a temporary register. */
static void merge_copy(struct vliw *v, const struct copy6 *c)
{
	const unsigned first = min_index(c->load, c->parts), last = max_index(c->store, c->parts);
	const uint32_t temporary = 1u << (VLIW_OWN_REGISTERS + v->six_bytes % 16);
	struct vliw_op load = v->ops[c->load[0]], store = v->ops[c->store[0]];

	store.reads = (store.reads & ~load.writes) | temporary;
	load.writes = temporary;
	load.bytes = store.bytes = SIX_BYTES;
	for (unsigned n = 0; n < c->parts; n++)
		v->ops[c->load[n]].removed = v->ops[c->store[n]].removed = 1;
	v->ops[first] = load;
	v->ops[last] = store;
	v->six_bytes++;
}

static void use_six_bytes(struct vliw *v, const struct vliw_block *block)
{
	for (unsigned i = block->first; i < end_of(block); i++) {
		struct copy6 c = { .load = { i }, .parts = 1 };
		int bytes = v->ops[i].bytes, more = 1;

		if (v->ops[i].removed || v->ops[i].memory != VLIW_LOAD || bytes > 4)
			continue;
		c.store[0] = find_store(v, block, i);
		while (c.store[0] && more && bytes < SIX_BYTES && c.parts < PARTS)
			bytes += more = extend(v, block, &c, bytes);
		if (bytes == SIX_BYTES && can_move(v, &c))
			merge_copy(v, &c);
	}
}

void vliw__reduce(struct vliw *v, unsigned without)
{
	if (!(without & VLIW_KEEP_BOUNDS_CHECKS))
		remove_checks(v);
	vliw__merge_blocks(v);
	if (!(without & VLIW_KEEP_ZEROING))
		remove_zeroing(v);
	remove_dead(v);
	for (unsigned b = 0; b < v->block_count; b++) {
		if (!(without & VLIW_TWO_OPERANDS))
			use_three_operands(v, &v->blocks[b]);
		if (!(without & VLIW_NO_ACTIONS))
			use_action(v, &v->blocks[b]);
		if (!(without & VLIW_NO_SIX_BYTES))
			use_six_bytes(v, &v->blocks[b]);
	}
	find_live(v);
}
