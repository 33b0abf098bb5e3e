/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts the simulated core's cycles by cause and by address. Running code only counts how often each edge, an exit of a block of code, is
 * taken; stats__fold() turns these counts into instructions and cycles on demand. Called by the files of core/ that charge cycles; calls
 * none of them.
 */
#include "hwmodel/core/state.h"

static uint64_t *profiled(struct rv32_core *core, enum rv32_cause cause, uint32_t pc)
{
	struct rv32_profile *p = core->profile;

	return p && pc - p->addr < p->bytes ? &p->cycles[(size_t)((pc - p->addr) / 2) * RV32_CAUSE_COUNT + cause] : NULL;
}

static void charge(struct rv32_core *core, uint32_t pc, enum rv32_cause cause, uint64_t cycles)
{
	uint64_t *profile = profiled(core, cause, pc);

	core->cycles[cause] += cycles;
	if (profile)
		*profile += cycles;
}

void rv32_core__move_cycles(struct rv32_core *core, enum rv32_cause cause, uint32_t from_pc, uint32_t to_pc, uint64_t cycles)
{
	uint64_t *from = profiled(core, cause, from_pc), *to = profiled(core, cause, to_pc);

	if (from)
		*from -= cycles;
	if (to)
		*to += cycles;
}

void rv32_core__wait(struct rv32_core *core, uint64_t to_cycle, enum rv32_cause cause)
{
	uint64_t now = core_cycle(core);

	if (to_cycle <= now)
		return;
	core->cycle += to_cycle - now;
	charge(core, core_pc(core), cause, to_cycle - now);
}

void stats__dynamic_at(struct rv32_core *core, uint32_t pc, enum rv32_cause cause, int64_t cycles)
{
	if (core->waited.pc != pc || core->waited.until != core->cycle)
		core->waited.cycles = core->waited.lines = 0;
	core->waited.cycles += cycles;
	if (cause == RV32_CYC_ICACHE)
		core->waited.lines += cycles;
	core->cycle += (uint64_t)cycles;
	core->waited.pc = pc;
	core->waited.until = core->cycle;
	charge(core, pc, cause, (uint64_t)cycles);
}

void stats__dynamic(struct rv32_core *core, const struct op *op, enum rv32_cause cause, int64_t cycles)
{
	stats__dynamic_at(core, op_info(op)->pc, cause, cycles);
}

static void charge_stall(struct rv32_core *core, const struct op_info *info, uint64_t times)
{
	charge(core, info->pc, info->stall_cause, times * info->stall);
	charge(core, info->pc, RV32_CYC_FETCH, times * info->stall_fetch);
}

/* Charges an instruction that was executed `times` times: its stalls, its cycle and its further ones. */
static void charge_op(struct rv32_core *core, const struct op_info *info, uint64_t times)
{
	struct rv32_profile *p = core->profile;

	if (!info->is_insn)
		return;
	charge_stall(core, info, times);
	charge(core, info->pc, RV32_CYC_ISSUE, times);
	charge(core, info->pc, info->cost_cause, times * (uint64_t)(info->cost - 1));
	core->instructions += times;
	if (p && info->pc - p->addr < p->bytes)
		p->instructions[(info->pc - p->addr) / 2] += times;
}

void stats__fold(struct rv32_core *core)
{
	struct edge *e, *next;

	for (e = core->touched; e; e = next) {
		const struct op_info *info = e->block->info;
		uint64_t times = e->count + 1;

		for (unsigned i = 0; i <= e->op_index; i++)
			charge_op(core, &info[i], times);
		charge(core, info[e->op_index].pc, RV32_CYC_BRANCH, times * e->extra);
		next = e->touched;
		e->count = UINT64_MAX;
		e->touched = NULL;
	}
	core->touched = NULL;
}

void stats__charge_partial(struct rv32_core *core, const struct op *op, bool done)
{
	const struct op_info *info = op_block(op)->info, *last = &info[op->index];

	for (unsigned i = 0; i < op->index; i++)
		charge_op(core, &info[i], 1);
	if (done)
		charge_op(core, last, 1);
	else
		charge_stall(core, last, 1);
	core->cycle += last->issue + (done ? last->cost : 0u);
}

uint64_t stats__instructions_at(struct rv32_core *core, const struct op *op)
{
	const struct op_info *info = op_block(op)->info;
	uint64_t n = 0;

	stats__fold(core);
	for (unsigned i = 0; i < op->index; i++)
		n += info[i].is_insn;
	return core->instructions + n;
}

void rv32_core__stats(const struct rv32_core *core, struct rv32_stats *out)
{
	struct rv32_core *c = (struct rv32_core *)(uintptr_t)core; /* folding changes nothing visible */

	stats__fold(c);
	out->cycle = core->cycle;
	out->instructions = core->instructions;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		out->cycles[i] = core->cycles[i];
	if (core->paused) {
		const struct op_info *info = op_block(core->paused)->info, *last = &info[core->paused->index];

		for (unsigned i = 0; i <= core->paused->index; i++) {
			if (!info[i].is_insn)
				continue;
			out->cycles[info[i].stall_cause] += info[i].stall;
			out->cycles[RV32_CYC_FETCH] += info[i].stall_fetch;
			if (&info[i] == last)
				break;
			out->cycles[RV32_CYC_ISSUE]++;
			out->cycles[info[i].cost_cause] += info[i].cost - 1u;
			out->instructions++;
		}
		out->cycle += last->issue;
	}
}

const char *rv32_cause_name(enum rv32_cause cause)
{
	static const char *const names[] = {
		[RV32_CYC_ISSUE] = "issue",
		[RV32_CYC_LOAD_USE] = "load_use",
		[RV32_CYC_JUMP] = "jump",
		[RV32_CYC_BRANCH] = "branch",
		[RV32_CYC_FETCH] = "fetch",
		[RV32_CYC_MULDIV] = "muldiv",
		[RV32_CYC_MISALIGNED] = "misaligned",
		[RV32_CYC_MEMORY] = "memory",
		[RV32_CYC_FLUSH] = "flush",
		[RV32_CYC_L1] = "l1",
		[RV32_CYC_L2] = "l2",
		[RV32_CYC_REMOTE] = "remote",
		[RV32_CYC_ICACHE] = "icache",
		[RV32_CYC_DMA] = "dma",
		[RV32_CYC_COMMAND] = "command",
		[RV32_CYC_BLOCKED] = "blocked",
		[RV32_CYC_THREAD] = "thread",
	};
	_Static_assert(sizeof(names) / sizeof(names[0]) == RV32_CAUSE_COUNT, "a cause has no name");

	return cause < RV32_CAUSE_COUNT ? names[cause] : "unknown";
}

const char *rv32_cause_text(enum rv32_cause cause)
{
	static const char *const texts[] = {
#define TEXT(name, text) text,
		RV32_CAUSES(TEXT)
#undef TEXT
	};

	return cause < RV32_CAUSE_COUNT ? texts[cause] : "unknown";
}
