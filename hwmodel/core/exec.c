/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Executes the simulated core's instructions, block by block: a block is a run of decoded instructions (ops). Threaded dispatch: each op
 * jumps to the code of the next one. isa.def has the semantics of each instruction. Cycles that are known when code is decoded are charged
 * by the edge, a block's exit, when the block is left. Cycles that depend on data are charged at once. Called by rv32_core__run() alone.
 * Invariant: `cycle` is core->cycle kept in a register. It is stored before any call that reads or changes it, and RELOAD()ed after.
 */
#include <string.h>

#include "hwmodel/core/state.h"

/* clang-format off */
/* Operands of the running op, for the rows of isa.def. */
#define RD   x[op->rd]
#define RS1  x[op->rs1]
#define RS2  x[op->rs2]
#define RS3  x[op->rd]
#define SRS1 ((int32_t)RS1)
#define SRS2 ((int32_t)RS2)
#define IMM  ((uint32_t)op->imm)
#define EDGE() ((struct edge *)((char *)(uintptr_t)op + op->imm))

#define NEXT() do { op++; goto *op->label; } while (0)

#define LEAVE(e) do {                                        \
		edge = (e);                                  \
		cycle += edge->cycles;                       \
		if (unlikely(++edge->count == 0))            \
			goto touch;                          \
		if (unlikely(cycle >= until))                \
			goto out_of_time;                    \
		op = edge->next;                             \
		goto *op->label;                             \
	} while (0)

/* Xpulp: position, highest bit and mask of the bit field in an immediate; the number that p.beqimm and p.bneimm compare with. */
#define FIELD_AT (IMM & 31)
#define FIELD_TOP (IMM >> 5 & 31)
#define FIELD_ONES (~(0xfffffffeu << FIELD_TOP))
#define BRANCH_NUMBER ((int32_t)(op_info(op)->word << 7) >> 27)

#define DO_BRANCH(cond) do { if (cond) LEAVE(EDGE()); } while (0)
#define DO_JAL() do { edge = EDGE(); RD = edge->link; LEAVE(edge); } while (0)
#define DO_JALR() do {                                                        \
		edge = EDGE();                                                \
		target = (RS1 + (uint32_t)edge->offset) & ~1u;                \
		RD = edge->link;                                              \
		if (unlikely(edge->pc != target))                             \
			retarget_edge(core, edge, target);                         \
		LEAVE(edge);                                                  \
	} while (0)

/* After a call that may have used the bus or changed the cycle. */
#define RELOAD() (cycle = core->cycle, until = core->until, read_page = core->pages.read, write_page = core->pages.write)

#define IN_WORD(type, addr) (sizeof(type) == 1 || (sizeof(type) == 2 ? ((addr) & 3) != 3 : ((addr) & 3) == 0))

/* Reads into `value`. */
#define READ(type, addr) do {                                                         \
		address = (addr);                                                     \
		host = read_page[address >> RV32_PAGE_SHIFT];                         \
		if (likely(host && IN_WORD(type, address))) {                         \
			type v_;                                                      \
			memcpy(&v_, (const void *)(host + address), sizeof(v_));      \
			value = (uint32_t)v_;                                         \
		} else {                                                              \
			core->cycle = cycle;                                          \
			status = memory__load(core, op, address, sizeof(type), &value); \
			RELOAD();                                                     \
			if (unlikely(status != RV32_BUS_OK))                          \
				goto load_failed;                                     \
			value = (uint32_t)(type)value;                                \
		}                                                                     \
	} while (0)

#define WRITE(type, addr) do {                                                        \
		address = (addr);                                                     \
		host = write_page[address >> RV32_PAGE_SHIFT];                        \
		if (likely(host && IN_WORD(type, address))) {                         \
			type v_ = (type)RS2;                                          \
			memcpy((void *)(host + address), &v_, sizeof(v_));            \
		} else {                                                              \
			core->cycle = cycle;                                          \
			status = memory__store(core, op, address, sizeof(type), RS2); \
			RELOAD();                                                     \
			if (unlikely(status != RV32_BUS_OK))                          \
				goto store_failed;                                    \
		}                                                                     \
	} while (0)

#define DO_LOAD(type, addr) do { READ(type, addr); RD = value; } while (0)
#define DO_STORE(type, addr) WRITE(type, addr)
#define POST_INCREMENT(step) do { target = address + (step); x[op->rs1 ? op->rs1 : RV32_SINK] = target; } while (0)
#define DO_LOAD_POST(type, step) do { READ(type, RS1); POST_INCREMENT(step); RD = value; } while (0)
#define DO_STORE_POST(type, step) do { WRITE(type, RS1); POST_INCREMENT(step); } while (0)

#define DO_DIV(is_signed, quotient) do {                                              \
		unsigned extra_ = rv32_divider_extra(is_signed, RS2);                 \
		extra_ *= 1 + (op_info(op)->next_late != 0); /* restarts until the next instruction is fetched */  \
		core->cycle = cycle;                                                  \
		stats__dynamic(core, op, RV32_CYC_MULDIV, extra_);                    \
		core->divided.cycles = 1 + rv32_divider_extra(is_signed, RS2);        \
		core->divided.until = core->cycle;                                    \
		memory__select_pages(core);                                               \
		RELOAD();                                                             \
		RD = (quotient);                                                      \
	} while (0)

#define DO_ATOMIC(kind, funct5) do {                                                  \
		core->cycle = cycle;                                                  \
		address = RS1;                                                        \
		failure = memory__atomic(core, op, kind, funct5, address, RS2, &value); \
		RELOAD();                                                             \
		if (unlikely(failure != 0))                                           \
			goto atomic_failed;                                           \
		RD = value;                                                           \
	} while (0)

#define DO_CSR(operand) do {                                                          \
		core->cycle = cycle;                                                  \
		if (!csr__access(core, op, operand, cycle + op_info(op)->issue, &value)) \
			goto illegal;                                                 \
		RD = value;                                                           \
	} while (0)

#define DO_TRAP(number) do { trap = (struct rv32_trap){ .cause = (number) }; goto raise_done; } while (0)
#define DO_FENCE() LEAVE(EDGE())
#define DO_FENCE_I() goto fence_i
#define DO_MRET() goto mret
#define DO_WFI() goto wfi
#define LOOP_SET() goto loop_set
#define LOOP_SETUPI_COUNT (op_info(op)->word >> 20)
#define LOOP_SETUP(n) do {                                                            \
		core->loop[op->rd].start = op_info(op)->pc + 4;                       \
		core->loop[op->rd].end = IMM;                                         \
		core->loop[op->rd].count = (n);                                       \
		goto loop_set;                                                        \
	} while (0)

#define PAIR_LABEL(a, b) PAIR_LABEL_(a, b)
#define PAIR_LABEL_(a, b) L_##a##_##b
#define PAIR_OPCODE(a) PAIR_OPCODE_(a)
#define PAIR_OPCODE_(a) RV32_OP_##a
/* clang-format on */

/*
 * Is the edge's block one that requests its lines (HAZARD_COLD)? Then the core may have to wait for a line each time it leaves the
 * block.
 */
static bool is_cold_edge(const struct edge *edge)
{
	return edge->block->hazard.flags & HAZARD_COLD;
}

/* Points the edge of a jalr at a new target. */
static void retarget_edge(struct rv32_core *core, struct edge *edge, uint32_t target)
{
	const struct jump_entry *entry = &core->jump_cache[(target >> 1) % RV32_JUMP_CACHE];

	edge->pc = target;
	edge->hazard = edge->fetched ? (struct hazard){ 0 } : hazard__jumped(target);
	if (!is_cold_edge(edge) && !edge->fetched && entry->pc == target && lines__known(core, op_block(entry->op)))
		lines__link(core, edge, entry->op);
	else
		edge->next = &core->link_op;
}

/*
 * Runs the division after a taken branch if it has been fetched; its result is discarded. Returns the hazard for the branch target,
 * which is fetched during the division.
 */
static struct hazard divide(struct rv32_core *core, const struct edge *edge)
{
	const struct op_info *info = &edge->block->info[edge->op_index];
	const uint32_t pc = info->pc + info->len_bytes;
	unsigned extra;

	if (is_cold_edge(edge) && !lines__fetched(core, pc, core->cycle - TIMING_BRANCH_TAKEN_EXTRA))
		return edge->hazard;
	extra = rv32_divider_extra(edge->divides == 2, core->x[edge->divisor]);
	stats__dynamic_at(core, pc, RV32_CYC_MULDIV, extra);
	core->divided.cycles = 1 + extra;
	core->divided.until = core->cycle;
	memory__select_pages(core);
	return (struct hazard){ .flags = HAZARD_LONG };
}

/* Finds the block after an edge and links the edge to it. core->cycle must be up to date. */
static const struct op *link_edge(struct rv32_core *core, struct edge *edge, struct hazard hazard)
{
	unsigned generation = core->generation;
	bool cold = is_cold_edge(edge), edge_divides = edge->divides;
	struct block *block;

	core->stopped = false;
	if (!edge->falls)
		lines__jump(core, edge->pc, edge);
	block = lines__enter(core, edge->pc, hazard);
	if (!cold && !edge_divides && !(block->hazard.flags & HAZARD_COLD) && generation == core->generation) {
		struct hazard jumped = hazard__jumped(block->pc);

		lines__link(core, edge, block->op);
		if (!hazard.load1 && !hazard.load2 && !hazard.alu1 && hazard.flags == jumped.flags)
			core->jump_cache[(block->pc >> 1) % RV32_JUMP_CACHE] = (struct jump_entry){ block->pc, block->op };
	}
	return block->op;
}

/* Blocks must end where hardware loops end. Records the current loop ends, and flushes all blocks if one is new. */
static void record_loop_ends(struct rv32_core *core)
{
	for (unsigned l = 0; l < 2; l++) {
		unsigned i = 0;

		while (i < core->loop_ends && core->loop_end[i] != core->loop[l].end)
			i++;
		if (i < core->loop_ends)
			continue;
		if (core->loop_ends == RV32_LOOP_ENDS)
			core->loop_ends = 0;
		core->loop_end[core->loop_ends++] = core->loop[l].end;
		block__flush(core);
		l = (unsigned)-1; /* the other loop's end may just have been dropped */
	}
}

/* Enters the trap handler. Returns false if there is none. core->pc and core->cycle are already those of the trap. */
static bool enter_trap(struct rv32_core *core)
{
	if (!core->mtvec)
		return false;
	if (!core->in_trap) {
		core->in_trap = true;
		core->open_trap = core->trap;
		core->open_trap_cycle = core->cycle;
	}
	core->mepc = core->trap.pc;
	core->mcause = core->trap.cause;
	core->mtval = core->trap.tval;
	core->mpp_user = core->user_mode;
	core->mpie = core->mie;
	core->mie = 0;
	core->user_mode = 0;
	core->reserved = 0;
	core->pc = core->mtvec & ~3u;
	core->hazard = hazard__jumped(core->pc);
	return true;
}

enum rv32_stop exec__run(struct rv32_core *core, const void *const **labels)
{
	static const void *const table[RV32_OP_COUNT] = {
#define INSN(name, ...) [RV32_OP_##name] = &&L_##name,
#include "hwmodel/core/isa.def"
#undef INSN
#define FUSED(a, b) [RV32_OP_##a##_##b] = &&L_##a##_##b,
#include "hwmodel/core/fused.def"
#undef FUSED
		[RV32_OP_illegal] = &&illegal,
		[RV32_OP_fetch_fault] = &&fetch_fault,
		[RV32_OP_fetch_misaligned] = &&fetch_odd,
		[RV32_OP_li] = &&L_li,
		[RV32_OP_end] = &&L_end,
		[RV32_OP_loop_end] = &&L_loop_end,
		[RV32_OP_amo_check] = &&L_amo_check,
		[RV32_OP_link] = &&L_link,
		[RV32_OP_line_ahead] = &&L_line_ahead,
		[RV32_OP_line_need] = &&L_line_need,
		[RV32_OP_halt] = &&L_halt,
	};
	const uintptr_t *read_page, *write_page;
	uint32_t *x, address, value, target;
	enum rv32_bus_status status;
	struct rv32_trap trap = { 0 };
	uint64_t cycle, until;
	const struct op *op;
	struct edge *edge = NULL;
	struct hazard hazard;
	uintptr_t host;
	int failure;

	if (!core) {
		*labels = table;
		return RV32_STOP_CYCLES;
	}
	x = core->x;
	RELOAD();
	if (core->paused) {
		op = core->paused;
		core->paused = NULL;
	} else {
		if (!lines__may_proceed(core))
			return RV32_STOP_BUS;
		if (core->stopped)
			core->fetch.stall = 0;
		if (!core->fetch.goes_on)
			lines__jump(core, core->pc, NULL);
		core->fetch.goes_on = false;
		op = lines__enter(core, core->pc, core->hazard)->op;
		core->stopped &= (op_block(op)->hazard.flags & HAZARD_COLD) != 0;
		RELOAD();
	}
	goto * op->label;

#define INSN(name, text, match, mask, fmt, cls, ...) \
	L_##name:                                    \
	{                                            \
		__VA_ARGS__;                         \
	}                                            \
	NEXT();
#include "hwmodel/core/isa.def"
#undef INSN

L_li:
	RD = IMM;
	NEXT();

#include "hwmodel/core/pairs.h"

L_end:
	LEAVE(EDGE());

L_loop_end: /* two edges: back to the start, and on to the next instruction */
	edge = EDGE();
	for (unsigned l = 0; l < 2; l++) {
		if (core->loop[l].end != edge->link || core->loop[l].count <= 1)
			continue;
		core->loop[l].count--;
		if (edge->pc != core->loop[l].start) {
			edge->pc = core->loop[l].start;
			edge->next = &core->link_op;
		}
		LEAVE(edge);
	}
	LEAVE(edge + 1);

L_amo_check:
	core->cycle = cycle;
	memory__amo_check(core, op, RS1 + RS2 + IMM);
	cycle = core->cycle;
	NEXT();

L_line_ahead:
	core->cycle = cycle;
	if (!lines__ahead(core, op))
		goto bus_stop;
	RELOAD();
	NEXT();

L_line_need:
	core->cycle = cycle;
	if (!lines__need(core, op))
		goto bus_stop;
	RELOAD();
	NEXT();

L_link:
	core->cycle = cycle;
	hazard = edge->divides ? divide(core, edge) : edge->hazard;
	if (is_breakpoint(core, edge->pc)) {
		core->pc = edge->pc;
		core->hazard = hazard;
		core->stopped = true;
		return RV32_STOP_PC;
	}
	if (core->icache) {
		core->pc = edge->pc;
		if (edge->falls)
			lines__fall_through(core, edge);
		if (!lines__may_proceed(core)) {
			core->hazard = hazard;
			core->fetch.goes_on = edge->falls;
			core->fetch.stopped_early = edge->falls ? 0 : lines__early(core, edge);
			return RV32_STOP_BUS;
		}
	}
	op = link_edge(core, edge, hazard);
	RELOAD();
	goto * op->label;

touch:
	edge->touched = core->touched;
	core->touched = edge;
	if (cycle < until) {
		op = edge->next;
		goto * op->label;
	}
out_of_time:
	core->cycle = cycle;
	if (cycle < core->limit) { /* stopped only to check whether windows are shared by now */
		memory__select_pages(core);
		RELOAD();
		op = edge->next;
		goto * op->label;
	}
	core->hazard = edge->divides ? divide(core, edge) : edge->hazard;
	core->pc = edge->pc;
	core->fetch.goes_on = core->icache && edge->falls;
	core->fetch.stopped_early = core->icache && !edge->falls ? lines__early(core, edge) : 0;
	if (core->fetch.goes_on)
		lines__fall_through(core, edge);
	core->stopped = is_breakpoint(core, edge->pc);
	return core->stopped ? RV32_STOP_PC : RV32_STOP_CYCLES;

loop_set:
	core->cycle = cycle;
	stats__charge_partial(core, op, true);
	core->pc = op_info(op)->pc + 4;
	core->hazard = (struct hazard){ 0 };
	record_loop_ends(core);
	goto dispatch;

fence_i:
	core->cycle = cycle;
	stats__charge_partial(core, op, true);
	core->pc = op_info(op)->pc + 4;
	core->hazard = hazard__jumped(core->pc);
	block__flush(core);
	goto dispatch;

mret:
	if (core->user_mode)
		goto illegal;
	core->cycle = cycle;
	stats__charge_partial(core, op, true);
	core->in_trap = false;
	core->user_mode = core->mpp_user;
	core->mpp_user = 1;
	core->mie = core->mpie;
	core->mpie = 1;
	core->pc = core->mepc;
	core->hazard = hazard__jumped(core->pc);
	goto dispatch;

wfi:
	core->cycle = cycle;
	stats__charge_partial(core, op, true);
	core->pc = op_info(op)->pc + 4;
	core->hazard = (struct hazard){ 0 };
	return RV32_STOP_WFI;

L_halt:
	core->cycle = cycle;
	stats__charge_partial(core, op, false);
	core->pc = op_info(op)->pc;
	core->hazard = hazard__jumped(core->pc);
	return RV32_STOP_HALT;

dispatch: /* to core->pc, not by an edge */
	memory__select_pages(core);
	RELOAD();
	core->stopped = is_breakpoint(core, core->pc);
	if (core->stopped)
		return RV32_STOP_PC;
	if (cycle >= core->limit)
		return RV32_STOP_CYCLES;
	lines__jump(core, core->pc, NULL);
	op = lines__enter(core, core->pc, core->hazard)->op;
	RELOAD();
	goto * op->label;

atomic_failed:
	if (failure > 0)
		goto bus_stop;
	trap = (struct rv32_trap){ .cause = (uint32_t)(-1 - failure), .tval = address };
	goto raise;
load_failed:
	if (status == RV32_BUS_STOP)
		goto bus_stop;
	trap = (struct rv32_trap){ .cause = RV32_TRAP_LOAD_FAULT, .tval = address };
	goto raise;
store_failed:
	if (status == RV32_BUS_STOP)
		goto bus_stop;
	trap = (struct rv32_trap){ .cause = RV32_TRAP_STORE_FAULT, .tval = address };
	goto raise;
illegal:
	trap = (struct rv32_trap){ .cause = RV32_TRAP_ILLEGAL, .tval = op_info(op)->word };
	goto raise;
fetch_fault:
	trap = (struct rv32_trap){ .cause = RV32_TRAP_FETCH_FAULT, .tval = op_info(op)->pc };
	goto raise;
fetch_odd:
	trap = (struct rv32_trap){ .cause = RV32_TRAP_FETCH_ODD, .tval = op_info(op)->pc };
	goto raise;

bus_stop:
	core->cycle = cycle;
	core->paused = op;
	return RV32_STOP_BUS;

raise: /* the instruction had no effect */
	core->cycle = cycle;
	stats__dynamic(core, op, RV32_CYC_FLUSH, 1 + TIMING_TRAP_EXTRA);
	stats__charge_partial(core, op, false);
	trap.pc = op_info(op)->pc;
	core->trap = trap;
	core->pc = trap.pc;
	core->hazard = (struct hazard){ 0 };
	if (!enter_trap(core))
		return RV32_STOP_TRAP;
	goto dispatch;

raise_done: /* ecall, ebreak: counted as an instruction */
	core->cycle = cycle;
	stats__charge_partial(core, op, true);
	trap.pc = op_info(op)->pc;
	core->trap = trap;
	if (enter_trap(core))
		goto dispatch;
	core->pc = trap.pc + op_info(op)->len_bytes;
	core->hazard = hazard__jumped(core->pc);
	return trap.cause == RV32_TRAP_EBREAK ? RV32_STOP_EBREAK : RV32_STOP_ECALL;
}
