/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decodes the instructions of the simulated core into blocks. A block is a run of decoded instructions (ops): it begins at an address,
 * continues past branches that are not taken, and ends at the next jump. Its exits are called edges. Blocks are kept in a hash table and an
 * arena. Called by exec.c and lines.c, and by core.c to flush them. A block is valid until block__flush(), which also runs when the arena
 * is full.
 */
#include <string.h>

#include "hwmodel/core/state.h"

/* The instructions, one amo_check before each, two line requests per fetch line, and the ops that end the block. */
enum { OPS_MAX = 2 * RV32_BLOCK_INSNS + 2 * (4 * RV32_BLOCK_INSNS / RV32_LINE_BYTES + 2) + 2, OP_NONE = 255 };
_Static_assert(OPS_MAX < OP_NONE, "an op's index has 8 bits");

/* A block while it is decoded; copied to the arena when its size is known. */
struct block_builder {
	struct rv32_core *core;
	struct schedule schedule;
	struct op op[OPS_MAX];
	struct op_info info[OPS_MAX];
	struct edge edge[RV32_BLOCK_EDGES];
	uint8_t edge_op[RV32_BLOCK_EDGES]; /* the op that holds the edge's offset, OP_NONE for a follower */
	unsigned insns, ops, edges;
	bool is_cold;  /* with ops that request its lines, */
	uint32_t line; /* last for this line */
	uint32_t end_line;
};

/* Returns the pipeline's state at a jump's target. Only targets at 10 and 14 modulo 16, near the end of a fetch line, cost extra cycles. */
struct hazard hazard__jumped(uint32_t pc)
{
	struct hazard h = { 0 };

	if ((pc & 15) == 10 || (pc & 15) == 14)
		h.flags = HAZARD_JUMPED;
	return h;
}

static bool is_same_hazard(struct hazard a, struct hazard b)
{
	return a.load1 == b.load1 && a.load2 == b.load2 && a.alu1 == b.alu1 && a.flags == b.flags;
}

static unsigned hash(uint32_t pc, struct hazard h)
{
	uint32_t key = pc ^ pc >> 13 ^ (uint32_t)h.load1 << 3 ^ (uint32_t)h.alu1 << 5 ^ (uint32_t)h.load2 << 7 ^ (uint32_t)h.flags << 9;

	return (key >> 1) % RV32_HASH;
}

/* Fetches and decodes one instruction. Where there is none, *insn is of class FAULT, which traps when it executes. */
static void fetch(const struct rv32_core *core, uint32_t pc, struct rv32_insn *insn)
{
	uint16_t low, high;
	uint32_t word;

	memset(insn, 0, sizeof(*insn));
	insn->pc = pc;
	insn->len_bytes = 2;
	insn->format = RV32_FMT_N;
	insn->class_ = RV32_CLASS_FAULT;
	insn->opcode = pc & 1 ? RV32_OP_fetch_misaligned : RV32_OP_fetch_fault;
	if ((pc & 1) || !memory__fetch(core, pc, &low))
		return;
	if ((low & 3) != 3) {
		word = rv32_expand(low);
		rv32_insn__decode(insn, pc, word);
		insn->len_bytes = 2;
		if (insn->opcode == RV32_OP_illegal)
			insn->word = low;
		return;
	}
	if (!memory__fetch(core, pc + 2, &high))
		return;
	rv32_insn__decode(insn, pc, low | (uint32_t)high << 16);
}

static struct op *add_op(struct block_builder *b, unsigned opcode, uint32_t pc)
{
	struct op *op = &b->op[b->ops];

	memset(op, 0, sizeof(*op));
	memset(&b->info[b->ops], 0, sizeof(b->info[0]));
	op->label = b->core->labels[opcode];
	op->index = (uint8_t)b->ops;
	b->info[b->ops].pc = pc;
	b->info[b->ops].opcode = (uint8_t)opcode;
	b->info[b->ops].issue = (uint16_t)b->schedule.cycle;
	b->ops++;
	return op;
}

/* Adds the edge that leaves the block after the last instruction. The op added last refers to it unless `follower`. */
static struct edge *add_edge(struct block_builder *b, uint32_t pc, struct hazard hazard, unsigned extra, bool follower)
{
	struct edge *e = &b->edge[b->edges];

	memset(e, 0, sizeof(*e));
	e->next = &b->core->link_op;
	e->count = UINT64_MAX;
	e->pc = pc;
	e->hazard = hazard;
	e->extra = (uint8_t)extra;
	e->cycles = b->schedule.cycle + extra;
	e->op_index = (uint8_t)(b->ops - 1);
	b->edge_op[b->edges++] = follower ? OP_NONE : (uint8_t)(b->ops - 1);
	return e;
}

static bool is_loop_end(const struct rv32_core *core, uint32_t pc)
{
	for (unsigned i = 0; i < core->loop_ends; i++) {
		if (core->loop_end[i] == pc)
			return true;
	}
	return false;
}

static bool is_window_access(const struct rv32_insn *insn)
{
	return insn->class_ >= RV32_CLASS_LOAD && insn->class_ <= RV32_CLASS_AMO;
}

static struct op *add_line(struct block_builder *b, unsigned opcode, uint32_t pc, uint32_t line)
{
	struct op *op = add_op(b, opcode, pc);

	op->imm = (int32_t)line;
	return op;
}

static bool in_last_word(uint32_t pc)
{
	return pc % RV32_LINE_BYTES >= RV32_LINE_BYTES - 4;
}

static bool is_wide(const struct rv32_core *core, uint32_t pc)
{
	uint16_t half;

	return memory__fetch(core, pc, &half) && (half & 3) == 3;
}

/* Does a 32-bit instruction cross the end of its line? */
static bool crosses(const struct rv32_core *core, uint32_t pc)
{
	return pc % RV32_LINE_BYTES == RV32_LINE_BYTES - 2 && is_wide(core, pc);
}

/*
 * Adds the line requests of the front end for this instruction. While an instruction is decoded, the front end requests the next line
 * if the following instruction is in the last word. It does so a cycle earlier if that instruction crosses the line, unless this one is
 * a jump's target. A jump leaves before this request.
 */
static void add_lines(struct block_builder *b, const struct rv32_insn *insn)
{
	uint32_t line = insn->pc & ~(RV32_LINE_BYTES - 1u), next_line = line + RV32_LINE_BYTES, next = insn->pc + insn->len_bytes;
	bool jumps = insn->class_ == RV32_CLASS_JAL || insn->class_ == RV32_CLASS_JALR;
	bool requests_ahead = !in_last_word(insn->pc) && in_last_word(next) && !jumps;

	b->end_line = requests_ahead || in_last_word(insn->pc) ? next_line : line;
	if (!b->is_cold)
		return;
	if (line != b->line)
		add_line(b, RV32_OP_line_need, insn->pc, line);
	if (line != b->line && in_last_word(insn->pc))
		add_line(b, RV32_OP_line_ahead, insn->pc, next_line)->rs1 = 1;
	b->line = line;
	if (crosses(b->core, insn->pc)) {
		add_line(b, RV32_OP_line_need, insn->pc, next_line);
		b->line = next_line;
	}
	if (insn->class_ == RV32_CLASS_BRANCH && is_wide(b->core, next) && next % RV32_LINE_BYTES == RV32_LINE_BYTES - 6 &&
	    crosses(b->core, next + 4)) { /* requested by what follows, taken or not, as it enters decode */
		add_line(b, RV32_OP_line_ahead, insn->pc, next_line);
		b->end_line = next_line;
	}
	if (requests_ahead)
		add_line(b, RV32_OP_line_ahead, insn->pc, next_line)->rs2 =
			crosses(b->core, next) && !(b->schedule.hazard.flags & HAZARD_JUMPED);
}

/* Appends the operations of one instruction: checks of its code lines, a check of the AMO before it, then itself. */
static void add_insn(struct block_builder *b, const struct rv32_insn *insn)
{
	bool writes_rd = insn->format != RV32_FMT_S3 && insn->format != RV32_FMT_S3P && insn->class_ != RV32_CLASS_HWLOOP;
	struct hazard before = b->schedule.hazard;
	unsigned opcode = insn->opcode;
	struct op_info *info;
	struct op *op;

	if (insn->opcode == RV32_OP_lui || insn->opcode == RV32_OP_auipc || (insn->opcode == RV32_OP_addi && insn->rs1 == 0))
		opcode = RV32_OP_li;
	if (insn->class_ == RV32_CLASS_JAL && (uint32_t)insn->imm == insn->pc && b->core->stop_at_self_jump)
		opcode = RV32_OP_halt;
	add_lines(b, insn);
	op = add_op(b, opcode, insn->pc);
	op->imm = insn->imm;
	op->rd = writes_rd && insn->rd == 0 ? RV32_SINK : insn->rd;
	op->rs1 = insn->rs1;
	op->rs2 = insn->rs2;
	info = &b->info[op->index];
	info->is_insn = 1;
	info->word = insn->word;
	info->len_bytes = insn->len_bytes;
	schedule__add(&b->schedule, insn, info);

	/* an AMO's bank is free again if this instruction stalls for any reason */
	if ((before.flags & HAZARD_AMO) && is_window_access(insn) && info->stall + info->stall_fetch == 0) {
		struct op copy = *op;
		struct op_info copy_info = *info;

		b->ops--;
		op = add_op(b, RV32_OP_amo_check, insn->pc);
		op->rs1 = insn->rs1;
		if (insn->class_ == RV32_CLASS_LOAD || insn->class_ == RV32_CLASS_STORE) {
			op->rs2 = insn->format == RV32_FMT_R ? insn->rs2 : insn->format == RV32_FMT_S3 ? insn->rd : 0;
			op->imm = insn->imm;
		}
		b->info[op->index].issue = copy_info.issue;
		copy.index = (uint8_t)b->ops;
		b->op[b->ops] = copy;
		b->info[b->ops] = copy_info;
		b->schedule.last_info = &b->info[b->ops++];
	}
}

/*
 * The instruction after a branch is already in the decode stage when the branch is taken. If it is a division, the divider runs to its
 * end.
 */
static void find_division_after_branch(struct block_builder *b, uint32_t pc, struct edge *taken)
{
	struct schedule ahead = b->schedule;
	struct rv32_insn insn;
	struct op_info info;

	fetch(b->core, pc, &insn);
	if (insn.class_ != RV32_CLASS_DIV)
		return;
	ahead.last_info = NULL;
	schedule__add(&ahead, &insn, &info);
	if (info.stall_fetch)
		return;
	taken->divides = insn.opcode == RV32_OP_div || insn.opcode == RV32_OP_rem ? 2 : 1;
	taken->divisor = insn.rs2;
}

/* Adds the edges after an instruction. Returns false if the block continues after it. */
static bool end_block(struct block_builder *b, const struct rv32_insn *insn)
{
	uint32_t next = insn->pc + insn->len_bytes;
	const bool fetched = b->schedule.hazard.flags & HAZARD_FETCHED;
	struct hazard none = { 0 };
	struct edge *e;

	switch (insn->class_) {
	case RV32_CLASS_BRANCH:
		e = add_edge(b, (uint32_t)insn->imm, hazard__jumped((uint32_t)insn->imm), TIMING_BRANCH_TAKEN_EXTRA, false);
		find_division_after_branch(b, next, e);
		return false;
	case RV32_CLASS_JAL:
		e = add_edge(b, (uint32_t)insn->imm, fetched ? none : hazard__jumped((uint32_t)insn->imm), 0, false);
		e->fetched = fetched;
		e->link = next;
		return true;
	case RV32_CLASS_JALR:
		e = add_edge(b, 1, none, 0, false);
		e->fetched = fetched;
		e->link = next;
		e->offset = insn->imm;
		return true;
	case RV32_CLASS_FENCE:
		add_edge(b, next, hazard__jumped(next), 0, false);
		return true;
	case RV32_CLASS_HWLOOP:
	case RV32_CLASS_SYSTEM:
	case RV32_CLASS_MRET:
	case RV32_CLASS_WFI:
	case RV32_CLASS_FAULT:
		return true; /* exec.c leaves these by pc, without an edge */
	default:
		break;
	}
	if (is_loop_end(b->core, insn->pc)) {
		add_op(b, RV32_OP_loop_end, insn->pc);
		add_edge(b, 1, b->schedule.hazard, 0, false)->link = insn->pc;
		add_edge(b, next, b->schedule.hazard, 0, true)->falls = 1;
		return true;
	}
	return false;
}

static const struct {
	uint8_t first, second, fused;
} pairs[] = {
#define FUSED(a, b) { RV32_OP_##a, RV32_OP_##b, RV32_OP_##a##_##b },
#include "hwmodel/core/fused.def"
#undef FUSED
	{ RV32_OP_COUNT, RV32_OP_COUNT, 0 }
};

/* Runs frequent pairs of ops in one dispatch (fused.def). Both ops keep their index, so nothing else changes. */
static void fuse(struct block_builder *b)
{
	for (unsigned i = 0; i + 1 < b->ops; i++) {
		for (unsigned p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++) {
			if (pairs[p].first != b->info[i].opcode || pairs[p].second != b->info[i + 1].opcode)
				continue;
			b->op[i].label = b->core->labels[pairs[p].fused];
			i++;
			break;
		}
	}
}

static void *arena_alloc(struct rv32_core *core, size_t bytes)
{
	void *p = core->arena + core->arena_used;

	core->arena_used += (bytes + 63) & ~(size_t)63;
	return p;
}

/* Copies the finished block to the core's memory and enters it in the hash table. */
static struct block *commit(struct block_builder *b, uint32_t pc, struct hazard hazard)
{
	size_t op_bytes = b->ops * sizeof(struct op), info_bytes = b->ops * sizeof(struct op_info);
	struct rv32_core *core = b->core;
	struct block *block;
	struct edge *edges;
	unsigned slot;

	block = arena_alloc(core, sizeof(*block) + op_bytes);
	edges = arena_alloc(core, b->edges * sizeof(struct edge));
	block->info = arena_alloc(core, info_bytes);
	block->pc = pc;
	block->end_line = b->end_line;
	block->lines_known = 0; /* not a generation of any cache; without a cache the generation is always 0 */
	block->hazard = hazard;
	block->ops = (uint16_t)b->ops;
	memcpy(block->op, b->op, op_bytes);
	memcpy(block->info, b->info, info_bytes);
	for (unsigned i = 0; i < b->edges; i++) {
		edges[i] = b->edge[i];
		edges[i].block = block;
		if (b->edge_op[i] != OP_NONE) {
			struct op *op = &block->op[b->edge_op[i]];

			op->imm = (int32_t)((char *)&edges[i] - (char *)op);
		}
	}
	slot = hash(pc, hazard);
	block->hash_next = core->hash[slot];
	core->hash[slot] = block;
	return block;
}

/*
 * Ends a block before `insn`, the next instruction. `insn` is scheduled nevertheless, since it sets the timing of the last instruction
 * of the block.
 */
static void cut_block(struct block_builder *b, const struct rv32_insn *insn)
{
	struct schedule ahead = b->schedule;
	struct op_info ignored;

	schedule__add(&ahead, insn, &ignored);
	add_op(b, RV32_OP_end, insn->pc);
	add_edge(b, insn->pc, b->schedule.hazard, 0, false)->falls = 1;
}

/* Builds the block that begins at pc. `hazard` is what earlier instructions leave, which decides the first ones' stalls. */
static struct block *decode(struct rv32_core *core, uint32_t pc, struct hazard hazard)
{
	struct block_builder b = { .core = core, .schedule.hazard = hazard, .is_cold = hazard.flags & HAZARD_COLD, .line = RV32_NO_LINE };
	uint32_t at = pc;
	bool ended = false;

	b.schedule.hazard.flags &= (uint8_t) ~(HAZARD_COLD | HAZARD_SHORT);
	while (!ended) {
		struct rv32_insn insn;

		fetch(core, at, &insn);
		if (b.insns == RV32_BLOCK_INSNS || b.schedule.cycle >= RV32_BLOCK_CYCLES || b.edges + 3 > RV32_BLOCK_EDGES ||
		    (b.insns && is_breakpoint(core, at)) || ((hazard.flags & HAZARD_SHORT) && b.edges)) {
			cut_block(&b, &insn);
			break;
		}
		b.insns++;
		add_insn(&b, &insn);
		ended = end_block(&b, &insn);
		at += insn.len_bytes;
	}
	fuse(&b);
	return commit(&b, pc, hazard);
}

void block__flush(struct rv32_core *core)
{
	stats__fold(core);
	if (core->paused) {
		const struct op *op = core->paused;

		core->pc = op_info(op)->pc;
		core->hazard = (struct hazard){ 0 };
		core->paused = NULL;
		core->split.done_bytes = 0;
		stats__charge_partial(core, op, false);
	}
	memset(core->hash, 0, sizeof(core->hash));
	for (unsigned i = 0; i < RV32_JUMP_CACHE; i++)
		core->jump_cache[i].pc = 1;
	core->arena_used = 0;
	core->linked = NULL;
	core->generation++;
}

struct block *block__find(struct rv32_core *core, uint32_t pc, struct hazard hazard)
{
	/* upper bound of the bytes that one block takes */
	const size_t room = sizeof(struct block) + OPS_MAX * (sizeof(struct op) + sizeof(struct op_info)) +
			    RV32_BLOCK_EDGES * sizeof(struct edge) + 4 * 64;
	struct block *block;

	for (block = core->hash[hash(pc, hazard)]; block; block = block->hash_next) {
		if (block->pc == pc && is_same_hazard(block->hazard, hazard))
			return block;
	}
	if (core->arena_used + room > RV32_ARENA_BYTES)
		block__flush(core);
	return decode(core, pc, hazard);
}
