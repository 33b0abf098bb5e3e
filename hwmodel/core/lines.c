/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The front end between a simulated core and its instruction cache: which blocks (runs of decoded code) have all their lines, and how long
 * fetches wait. Called by core.c, and by exec.c whenever it leaves a block by an edge (an exit) that is not linked to the next block.
 *
 * Blocks whose lines are all in the cache run as if there were no cache, and are linked to each other directly. When a line is filled
 * or replaced, these links are cut. They are made again when the cache has had no refill for ICACHE_QUIET_CYCLES. A block that lacks a
 * line has two other variants. HAZARD_SHORT ends at the first branch, since the rest may never run. HAZARD_COLD has helper ops that
 * request lines as RI5CY's front end does: it holds one line, requests the next one as soon as an instruction in the last word waits to
 * be decoded, and requests a jump's target in the cycle of the jump.
 */
#include "hwmodel/core/state.h"
#include "hwmodel/core/icache.h"
#include "hwmodel/core/max.h"

bool lines__known(const struct rv32_core *core, const struct block *block)
{
	return block->lines_known == *core->lines_known;
}

void lines__recheck(struct rv32_core *core)
{
	struct edge *edge, *next;

	if (core->linked_generation == *core->lines_known)
		return;
	core->linked_generation = *core->lines_known;
	for (edge = core->linked; edge; edge = next) {
		next = edge->linked;
		edge->is_linked = 0;
		edge->next = &core->link_op;
	}
	core->linked = NULL;
}

/* Have lines changed recently? Then the cores that share the cache must run in order of time. */
static bool has_recent_refill(const struct rv32_core *core)
{
	return core->icache && core->cycle < icache__last_refill(core->icache) + ICACHE_QUIET_CYCLES;
}

bool lines__may_proceed(struct rv32_core *core)
{
	struct rv32_bus_request req = {
		.cycle = core->cycle,
		.addr = core->pc,
		.kind = RV32_FETCH,
		.size_bytes = 4,
		.user_mode = core->user_mode,
	};

	return !has_recent_refill(core) || !core->bus.access || core->bus.access(core->bus.arg, &req) != RV32_BUS_STOP;
}

void lines__link(struct rv32_core *core, struct edge *edge, const struct op *next)
{
	edge->next = next;
	if (!core->icache || edge->is_linked)
		return;
	if (has_recent_refill(core)) { /* not linked: look again next time */
		edge->next = &core->link_op;
		return;
	}
	edge->is_linked = 1;
	edge->linked = core->linked;
	core->linked = edge;
}

/* Are all lines of the block in the instruction cache? */
static bool all_cached(struct rv32_core *core, struct block *block)
{
	if (lines__known(core, block))
		return true;
	for (uint32_t line = block->pc & ~(RV32_LINE_BYTES - 1u);; line += RV32_LINE_BYTES) {
		if (!icache__has(core->icache, core->cycle, line + core->code_at))
			return false;
		if (line == block->end_line)
			break;
	}
	if (!icache__is_filling(core->icache))
		block->lines_known = *core->lines_known;
	return true;
}

struct block *lines__enter(struct rv32_core *core, uint32_t pc, struct hazard hazard)
{
	static const uint8_t variants[] = { 0, HAZARD_SHORT, HAZARD_COLD };
	const uint8_t flags = hazard.flags;
	struct block *block = NULL;

	for (unsigned i = 0; i < sizeof(variants); i++) {
		hazard.flags = flags | variants[i];
		block = block__find(core, pc, hazard);
		if (variants[i] != HAZARD_COLD && all_cached(core, block))
			break;
	}
	lines__recheck(core);
	return block;
}

static void charge_stall(struct rv32_core *core, uint32_t pc, uint64_t cycles)
{
	if (!cycles)
		return;
	if (core->stopped)
		core->fetch.stall += cycles;
	stats__dynamic_at(core, pc, RV32_CYC_ICACHE, (int64_t)cycles);
}

static bool is_division(const struct op_info *info)
{
	return info->opcode >= RV32_OP_div && info->opcode <= RV32_OP_remu;
}

/*
 * Returns for how many cycles the edge has already been taken: cycles that a jump in the decode stage has waited for the instruction
 * before it, or that a branch target has waited for a discarded division. Returns 0 for a jump whose own line arrived during that wait.
 */
uint64_t lines__early(const struct rv32_core *core, const struct edge *edge)
{
	const struct op_info *first = edge->block->info, *jump = &first[edge->op_index], *before = jump;
	struct rv32_insn insn;

	if (edge->divides && core->divided.until == core->cycle)
		return core->divided.cycles - 1;
	if (jump->opcode != RV32_OP_jal && jump->opcode != RV32_OP_jalr)
		return 0;
	if (edge->fetched && core->divided.cycles && core->divided.until + edge->cycles == core->cycle)
		return core->divided.cycles - 1;
	do {
		if (before == first)
			return 0;
		before--;
	} while (!before->is_insn);
	if (core->fetch.late == jump->pc || jump->stall_fetch)
		return 0;
	if (edge->fetched && is_high_product(before))
		return before->cost - 1u;
	rv32_insn__decode(&insn, before->pc, before->word);
	if (core->waited.until + edge->cycles != core->cycle || core->waited.pc != before->pc || before->next_reads ||
	    insn.class_ < RV32_CLASS_LOAD || insn.class_ > RV32_CLASS_AMO)
		return 0;
	return core->waited.cycles > core->waited.lines ? (uint64_t)(core->waited.cycles - core->waited.lines) : 0;
}

/* riscv_L0_buffer.sv, ABORTED_BRANCH: a line already requested must arrive before the jump's target is requested. */
void lines__jump(struct rv32_core *core, uint32_t pc, const struct edge *edge)
{
	uint64_t next;

	core->fetch.line = core->fetch.ahead = RV32_NO_LINE;
	core->fetch.early = 0;
	if (!core->icache)
		return;
	core->fetch.early = edge ? lines__early(core, edge) : core->fetch.stopped_early;
	core->fetch.stopped_early = 0;
	core->fetch.late = RV32_NO_LINE;
	next = icache__next_lookup(core->icache, core->icache_port) + FETCH_HIT_CYCLES;
	if (next <= FETCH_HIT_CYCLES || next + core->fetch.early <= core->cycle)
		return;
	core->fetch.early = next < core->cycle ? core->cycle - next : 0;
	if (next > core->cycle)
		charge_stall(core, pc, next - core->cycle);
}

void lines__fall_through(struct rv32_core *core, const struct edge *edge)
{
	uint32_t offset = edge->pc % RV32_LINE_BYTES;

	core->fetch.early = 0;
	if (edge->block->hazard.flags & HAZARD_COLD)
		return;
	core->fetch.line = edge->pc - offset;
	core->fetch.ahead = offset >= RV32_LINE_BYTES - 4 ? core->fetch.line + RV32_LINE_BYTES : RV32_NO_LINE;
	core->fetch.ready = 0;
}

/* Requests a line so that, on a hit, an instruction can issue at cycle `hit`. Returns false if the bus stops the core: repeat later. */
static bool request_line(struct rv32_core *core, uint64_t now, uint64_t hit, uint32_t line)
{
	uint64_t cycle = hit > FETCH_HIT_CYCLES ? hit - FETCH_HIT_CYCLES : 0;
	struct rv32_bus_request req = {
		.cycle = now,
		.addr = line,
		.kind = RV32_FETCH,
		.size_bytes = 4,
		.user_mode = core->user_mode,
	};

	if (core->bus.access && core->bus.access(core->bus.arg, &req) == RV32_BUS_STOP)
		return false;
	core->fetch.ready = hit + icache__fetch(core->icache, core->icache_port, cycle, line + core->code_at);
	return true;
}

/* Returns the instruction that follows a helper op. */
static const struct op_info *op_insn(const struct op *op)
{
	const struct op_info *info = op_info(op);

	while (!info->is_insn)
		info++;
	return info;
}

/*
 * Returns when an instruction enters the decode stage: when the instruction before it has left, or when its line has arrived. It then
 * waits there for results, and for the instruction before it to leave the execute stage.
 */
static uint64_t decode_cycle(const struct rv32_core *core, const struct op *op)
{
	const struct op_info *info = op_insn(op), *first = op_block(op)->info, *before = info;
	uint64_t issue = core->cycle + info->issue, decoded;

	do {
		if (before == first)
			return issue - info->stall;
		before--;
	} while (!before->is_insn);
	decoded = core->cycle + before->issue + 1;
	if (core->waited.pc == before->pc && core->waited.until == core->cycle)
		decoded -= (uint64_t)core->waited.cycles;
	if (core->fetch.line == (info->pc & ~(RV32_LINE_BYTES - 1u)) && core->fetch.ready > decoded)
		decoded = core->fetch.ready;
	return decoded < issue ? decoded : issue;
}

/* Returns the instruction before an op's, or NULL if that is in another block. */
static const struct op_info *prev_insn(const struct op *op)
{
	const struct op_info *first = op_block(op)->info, *info = op_insn(op);

	while (info != first)
		if ((--info)->is_insn)
			return info;
	return NULL;
}

bool lines__ahead(struct rv32_core *core, const struct op *op)
{
	uint64_t now = core->cycle + op_info(op)->issue, hit = decode_cycle(core, op) + FETCH_HIT_CYCLES;
	uint32_t line = (uint32_t)op->imm;

	if (core->fetch.ahead == line)
		return true;
	if (op->rs1) /* the block begins in the line's last word: the next line is requested when this one arrives */
		hit = now - (prev_insn(op) ? 0 : core->fetch.early) + FETCH_HIT_CYCLES - 1;
	else
		hit -= op->rs2;
	if (!request_line(core, now, hit, line))
		return false;
	core->fetch.ahead = line;
	lines__recheck(core);
	return true;
}

/* Rounds `cycles` up to a multiple of `one`, a division's cycles. */
static uint64_t round_up_to_division(uint64_t cycles, uint64_t one)
{
	return (cycles + one - 1) / one * one;
}

/*
 * Returns when an instruction issues. With its line present it would issue at `issue`; its line allows it from core->fetch.ready on.
 * `late`: how many cycles the line comes later than one after a single-cycle instruction would need. While mulh or a division
 * executes, an empty decode stage is filled only at its end, by which time the divider has restarted. The same holds while an access
 * waits (RI5CY: id_ready needs ex_ready): an instruction that arrives in that time issues a cycle later, and a jump is not taken.
 */
static uint64_t issue_cycle(const struct rv32_core *core, const struct op_info *before, const struct op_info *info, uint64_t issue,
			    uint64_t late)
{
	const uint64_t ready = core->fetch.ready, one = core->divided.until == core->cycle ? core->divided.cycles : 0;

	if (late && one && (!before || is_division(before))) /* `issue` is after the second division, if the line is late in any case */
		return issue +
		       (info->stall_fetch ? round_up_to_division(late + info->stall_fetch, one) - one : round_up_to_division(late, one));
	if (late && before && is_high_product(before))
		return issue + (late < before->cost ? 1 : late + 1 - before->cost);
	if (core->fetch.late == info->pc)
		issue += before->hidden + !(info->stall || info->stall_fetch); /* stalls pass during the wait */
	return max_u64(ready, issue);
}

bool lines__fetched(const struct rv32_core *core, uint32_t pc, uint64_t cycle)
{
	const uint32_t first = pc & ~(RV32_LINE_BYTES - 1u), last = (pc + 3) & ~(RV32_LINE_BYTES - 1u);

	if (last == core->fetch.line)
		return true;
	return (first == last || first == core->fetch.line) && last == core->fetch.ahead && core->fetch.ready <= cycle;
}

bool lines__need(struct rv32_core *core, const struct op *op)
{
	uint64_t now = core->cycle + op_info(op)->issue, issue = core->cycle + op_insn(op)->issue;
	const struct op_info *before = prev_insn(op);
	uint64_t early = before ? 0 : core->fetch.early, due; /* of a jump's target; its second line is due a cycle later */
	uint32_t line = (uint32_t)op->imm;

	if (core->fetch.line == line)
		return true;
	due = now - early + (!before && op_insn(op)->pc < line);
	core->fetch.late = RV32_NO_LINE;
	if (core->fetch.ahead != line) {
		if (!request_line(core, now, now - early, line))
			return false;
	} else if (before) { /* requested earlier: it was due directly after the previous instruction, taken as one cycle */
		due = core->cycle + before->issue + 1 + op_insn(op)->stall_fetch;
		if (core->waited.pc == before->pc && core->waited.until == core->cycle) {
			due -= (uint64_t)(core->waited.cycles - core->waited.lines);
			if (core->fetch.ready > due)
				core->fetch.late = op_insn(op)->pc;
		}
	}
	core->stopped &= op_insn(op)->pc == core->pc;
	charge_stall(core, op_info(op)->pc, issue_cycle(core, before, op_insn(op), issue, max_u64(core->fetch.ready, due) - due) - issue);
	core->fetch.line = line;
	core->fetch.ahead = RV32_NO_LINE;
	lines__recheck(core);
	memory__select_pages(core);
	return true;
}
