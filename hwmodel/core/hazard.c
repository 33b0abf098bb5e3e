/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Static timing of the pipeline of the simulated core (RI5CY, PsPIN's RISC-V core): the cycles of an instruction, given those before it.
 * Called by block.c when code is decoded, and by xpulp.c. Nothing here depends on data. Every number is from timing.h.
 */
#include "hwmodel/core/state.h"

static bool is_load(const struct rv32_insn *insn)
{
	return insn->class_ == RV32_CLASS_LOAD || insn->class_ == RV32_CLASS_LOAD_POST || insn->class_ == RV32_CLASS_AMO;
}

/* Returns the register written through the ALU's port, at the end of the execute stage and thus before a load's; 0 if none. */
static uint8_t alu_result(const struct rv32_insn *insn)
{
	switch (insn->class_) {
	case RV32_CLASS_ALU:
	case RV32_CLASS_MULH:
	case RV32_CLASS_DIV:
	case RV32_CLASS_CSR:
	case RV32_CLASS_JAL:
	case RV32_CLASS_JALR:
		return insn->rd;
	case RV32_CLASS_LOAD_POST:
	case RV32_CLASS_STORE_POST:
		return insn->rs1;
	default:
		return 0;
	}
}

/* Does it write x0 through the ALU's port? The hazard logic treats x0 like any other register. */
static bool writes_x0(const struct rv32_insn *insn)
{
	switch (insn->class_) {
	case RV32_CLASS_ALU:
	case RV32_CLASS_MULH:
	case RV32_CLASS_DIV:
	case RV32_CLASS_CSR:
	case RV32_CLASS_JAL:
	case RV32_CLASS_JALR:
		return !insn->rd;
	default:
		return false;
	}
}

/* mulh, div, rem: more than one cycle in the execute stage. */
static bool is_long(const struct rv32_insn *insn)
{
	return insn->class_ == RV32_CLASS_MULH || insn->class_ == RV32_CLASS_DIV;
}

static bool is_jump(const struct rv32_insn *insn)
{
	return insn->class_ == RV32_CLASS_JAL || insn->class_ == RV32_CLASS_JALR;
}

/*
 * Returns the cycles between an instruction's slot and its issue that earlier results cause. A jump is taken in the decode stage. There
 * it waits at no cost for a load to its own link register, or to x0 if it has none.
 */
static unsigned data_stall(const struct hazard *h, const struct rv32_insn *insn, enum rv32_cause *cause)
{
	uint32_t load1 = h->load1 ? 1u << h->load1 : 0;

	*cause = RV32_CYC_JUMP;
	if (insn->class_ == RV32_CLASS_JALR && insn->rs1) {
		if (h->load1 == insn->rs1)
			return TIMING_JALR_AFTER_LOAD;
		if (h->alu1 == insn->rs1)
			return TIMING_JALR_AFTER_ALU;
		if (h->load2 == insn->rs1)
			return TIMING_JALR_SECOND_AFTER_LOAD;
	}
	*cause = RV32_CYC_LOAD_USE;
	if (load1 && ((rv32_insn__reads(insn) & load1) || (alu_result(insn) == h->load1 && !is_jump(insn))))
		return TIMING_LOAD_USE;
	if ((h->flags & HAZARD_X0) && writes_x0(insn) && !is_jump(insn))
		return TIMING_LOAD_USE;
	return 0;
}

/* Returns the cycles beyond the first that do not depend on data, and stores their cause. */
static unsigned extra_cost(const struct rv32_insn *insn, enum rv32_cause *cause)
{
	*cause = RV32_CYC_FLUSH;
	switch (insn->class_) {
	case RV32_CLASS_MULH:
		*cause = RV32_CYC_MULDIV;
		return TIMING_MULH_EXTRA;
	case RV32_CLASS_JAL:
		*cause = RV32_CYC_JUMP;
		return TIMING_JUMP_EXTRA;
	case RV32_CLASS_JALR:
		*cause = RV32_CYC_JUMP;
		return TIMING_JUMP_EXTRA + (insn->rd && insn->rd == insn->rs1 ? TIMING_JALR_LINK_IS_BASE : 0);
	case RV32_CLASS_FENCE:
		return TIMING_FENCE_EXTRA;
	case RV32_CLASS_MRET:
		return TIMING_MRET_EXTRA;
	case RV32_CLASS_SYSTEM:
		return TIMING_TRAP_EXTRA;
	case RV32_CLASS_CSR:
		return csr__flushes((unsigned)insn->imm) ? TIMING_CSR_FLUSH_EXTRA : 0;
	default:
		return 0;
	}
}

/* A 32-bit instruction that crosses the end of a jump target's line waits, because the next line is fetched too late. */
static unsigned fetch_stall(const struct hazard *h, const struct rv32_insn *insn)
{
	return insn->len_bytes == 4 && (insn->pc & 15) == 14 && (h->flags & (HAZARD_JUMPED | HAZARD_SECOND)) ? TIMING_FETCH_LINE : 0;
}

bool is_high_product(const struct op_info *info)
{
	return info->opcode >= RV32_OP_mulh && info->opcode <= RV32_OP_mulhu;
}

static unsigned min_unsigned(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * A jump is taken in the decode stage while the instruction before it still executes. Returns true if that instruction executes until
 * the jump's target has been fetched.
 */
static bool overlap_jump(struct schedule *s, const struct rv32_insn *insn, struct op_info *info)
{
	const struct hazard *h = &s->hazard;
	bool base_pending = insn->class_ == RV32_CLASS_JALR && insn->rs1 && (h->load1 == insn->rs1 || h->alu1 == insn->rs1);

	if (base_pending || !is_jump(insn) || info->stall_fetch)
		return false;
	if (h->flags & HAZARD_LONG) {
		info->cost = (uint8_t)(info->cost - min_unsigned(TIMING_JUMP_HIDDEN_BY_EXECUTE, TIMING_JUMP_EXTRA));
		return true;
	}
	if (s->last_info) {
		/* a jump that writes x0 after a load to x0 does not execute until the load has returned */
		unsigned extra = (h->flags & HAZARD_X0) && writes_x0(insn) ? 0 : TIMING_JUMP_EXTRA;

		s->last_info->hidden = (uint8_t)(min_unsigned(TIMING_JUMP_HIDDEN_BY_EXECUTE, extra) + info->stall);
	}
	return false;
}

/*
 * A fence, like a jump, begins in the decode stage. It ends before the second word of a misaligned access if that word waits long
 * enough.
 */
static void overlap_fence(struct schedule *s, const struct rv32_insn *insn, struct op_info *info)
{
	if (insn->class_ != RV32_CLASS_FENCE)
		return;
	if (s->hazard.flags & HAZARD_LONG) {
		if (!info->stall_fetch || !s->last_info || !is_high_product(s->last_info))
			info->cost -= TIMING_FENCE_HIDDEN_BY_EXECUTE;
	} else if (s->last_info && !info->stall_fetch) {
		s->last_info->hidden = TIMING_FENCE_HIDDEN_BY_EXECUTE;
		s->last_info->hidden_second = TIMING_FENCE_EXTRA - TIMING_FENCE_HIDDEN_BY_EXECUTE;
	}
}

static uint8_t flags_after(const struct hazard *h, const struct rv32_insn *insn)
{
	uint8_t flags = 0;

	if (insn->class_ == RV32_CLASS_AMO)
		flags |= HAZARD_AMO;
	if (is_load(insn) && !insn->rd)
		flags |= HAZARD_X0;
	if (is_long(insn))
		flags |= HAZARD_LONG;
	if ((h->flags & HAZARD_JUMPED) && (insn->pc & 15) == 10 && insn->len_bytes == 4)
		flags |= HAZARD_SECOND;
	return flags;
}

void schedule__add(struct schedule *s, const struct rv32_insn *insn, struct op_info *info)
{
	struct hazard *h = &s->hazard, after = { 0 };
	enum rv32_cause cause;
	bool hides;
	unsigned fetch = fetch_stall(h, insn), stall = data_stall(h, insn, &cause);

	info->stall = (uint8_t)stall;
	info->stall_cause = (uint8_t)cause;
	info->stall_fetch = (uint8_t)(fetch > stall ? fetch - stall : 0);
	info->cost = (uint8_t)(1 + extra_cost(insn, &cause));
	info->cost_cause = (uint8_t)cause;
	hides = overlap_jump(s, insn, info);
	overlap_fence(s, insn, info);
	if (s->last_info) {
		s->last_info->next_late = info->stall_fetch;
		s->last_info->next_reads = h->load1 && (rv32_insn__reads(insn) >> h->load1 & 1);
	}
	info->issue = (uint16_t)(s->cycle + info->stall + info->stall_fetch);
	s->cycle = info->issue + info->cost;

	if (info->stall + info->stall_fetch == 0 && info->cost == 1 && insn->class_ != RV32_CLASS_DIV)
		after.load2 = h->load1;
	after.load1 = is_load(insn) ? insn->rd : 0;
	after.alu1 = alu_result(insn);
	after.flags = flags_after(h, insn);
	if (hides)
		after.flags |= HAZARD_FETCHED;
	*h = after;
	s->last_info = info;
}

unsigned rv32_divider_extra(bool is_signed, uint32_t divisor)
{
	unsigned z;

	if (is_signed && (int32_t)divisor < 0)
		z = (~divisor ? (unsigned)__builtin_clz(~divisor) : 32) - 1;
	else
		z = divisor ? (unsigned)__builtin_clz(divisor) : 32;
	return TIMING_DIV_EXTRA + TIMING_DIV_STEP * z;
}
