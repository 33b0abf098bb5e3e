/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Implements <hwmodel/xpulp.h>: estimates what the innermost loops of a profiled program would gain from Xpulp, the extension of PsPIN's
 * cores (hardware loops, post-increment, p.mac), from the profile and the rules of hazard.c. Changes no code. Called by spinctl cost.
 */
#include <hwmodel/xpulp.h>

#include <string.h>

#include "hwmodel/core/state.h"

enum {
	BODY_MAX = 256, /* maximum of instructions in a loop */
	POST_MIN = -2048,
	POST_MAX = 2047,
};

struct loop_body {
	const struct rv32_profile *profile;
	const uint8_t *code;
	struct rv32_insn insn[BODY_MAX];
	bool removed[BODY_MAX];
	unsigned count;    /* the loop's branch is the last */
	bool has_branches; /* has branches inside, */
	bool exits;        /* and branches out of it */
};

const char *xpulp_reason_text(enum xpulp_reason reason)
{
	static const char *const texts[] = {
#define TEXT(name, text) text,
		XPULP_REASONS(TEXT)
#undef TEXT
	};

	return texts[reason];
}

static bool fetch(const struct rv32_profile *p, const uint8_t *code, uint32_t pc, struct rv32_insn *insn)
{
	uint32_t at = pc - p->addr;
	uint16_t low, high;

	if (at >= p->bytes || p->bytes - at < 2)
		return false;
	memcpy(&low, code + at, 2);
	if ((low & 3) != 3) {
		rv32_insn__decode(insn, pc, rv32_expand(low));
		insn->len_bytes = 2;
		return true;
	}
	if (p->bytes - at < 4)
		return false;
	memcpy(&high, code + at + 2, 2);
	rv32_insn__decode(insn, pc, low | (uint32_t)high << 16);
	return true;
}

static size_t slot(const struct loop_body *b, unsigned i)
{
	return (b->insn[i].pc - b->profile->addr) / 2;
}

static uint64_t times_executed(const struct loop_body *b, unsigned i)
{
	return b->profile->instructions[slot(b, i)];
}

static uint64_t charged(const struct loop_body *b, unsigned i, enum rv32_cause cause)
{
	return b->profile->cycles[slot(b, i) * RV32_CAUSE_COUNT + cause];
}

static uint64_t all_charged(const struct loop_body *b, unsigned i)
{
	uint64_t sum = 0;

	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		sum += charged(b, i, c);
	return sum;
}

static bool writes_rd(const struct rv32_insn *insn)
{
	return insn->class_ != RV32_CLASS_STORE && insn->class_ != RV32_CLASS_STORE_POST && insn->class_ != RV32_CLASS_BRANCH;
}

static unsigned times_written(const struct loop_body *b, unsigned x)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->count; i++)
		n += writes_rd(&b->insn[i]) && b->insn[i].rd == x;
	return n;
}

static bool is_step(const struct rv32_insn *insn)
{
	return insn->opcode == RV32_OP_addi && insn->rd && insn->rd == insn->rs1;
}

/* Returns the index of the only instruction that writes x, if it adds a constant to x once per iteration; else BODY_MAX. */
static unsigned step_of(const struct loop_body *b, unsigned x)
{
	if (!x || times_written(b, x) != 1)
		return BODY_MAX;
	for (unsigned i = 0; i < b->count; i++) {
		if (is_step(&b->insn[i]) && b->insn[i].rd == x && times_executed(b, i) == times_executed(b, b->count - 1))
			return i;
	}
	return BODY_MAX;
}

static bool is_plain_access(const struct rv32_insn *insn)
{
	return (insn->class_ == RV32_CLASS_LOAD && insn->format == RV32_FMT_I) ||
	       (insn->class_ == RV32_CLASS_STORE && insn->format == RV32_FMT_S);
}

/* Counts the instructions other than x's step and the branch that read x: as the address of an access, and otherwise. */
static void uses(const struct loop_body *b, unsigned x, unsigned *accesses, unsigned *others)
{
	*accesses = *others = 0;
	for (unsigned i = 0; i + 1 < b->count; i++) {
		const struct rv32_insn *insn = &b->insn[i];

		if (b->removed[i] || !(rv32_insn__reads(insn) >> x & 1) || (is_step(insn) && insn->rd == x))
			continue;
		if (is_plain_access(insn) && insn->rs1 == x && !(insn->class_ == RV32_CLASS_STORE && insn->rs2 == x))
			++*accesses;
		else
			++*others;
	}
}

/* Returns the cycles before the loop that compute the number of iterations; -1 if they cannot be counted. */
static int count_cycles(const struct loop_body *b, unsigned *counter)
{
	const struct rv32_insn *branch = &b->insn[b->count - 1];
	unsigned x = branch->rs1, limit = branch->rs2, step = step_of(b, x);
	int32_t by;

	if (step == BODY_MAX || times_written(b, limit)) {
		x = branch->rs2;
		limit = branch->rs1;
		step = step_of(b, x);
	}
	if (step == BODY_MAX || (limit && times_written(b, limit)))
		return -1;
	*counter = step;
	by = b->insn[step].imm;
	if (!limit && by == -1)
		return 0;
	return XPULP_COUNT_CYCLES;
}

/*
 * Removes steps that an access through the register can do itself. Of several accesses each adds its part. Returns the cycles of setup.
 */
static unsigned fold_steps(struct loop_body *b, struct xpulp_loop *loop)
{
	unsigned setup = 0, accesses, others;

	for (unsigned i = 0; i + 1 < b->count; i++) {
		unsigned x = b->insn[i].rd, first;

		if (b->removed[i] || !is_step(&b->insn[i]) || step_of(b, x) != i)
			continue;
		uses(b, x, &accesses, &others);
		if (!accesses || others || b->insn[i].imm < POST_MIN || b->insn[i].imm > POST_MAX)
			continue;
		for (first = 0; !is_plain_access(&b->insn[first]) || b->insn[first].rs1 != x; first++)
			;
		setup += b->insn[first].imm ? XPULP_OFFSET_CYCLES : 0;
		b->removed[i] = true;
		loop->post_increments++;
	}
	return setup;
}

/* Replaces a mul, and an add of its result to a sum, by one p.mac where the add was. The product must have no other reader. */
static void fold_macs(struct loop_body *b, struct xpulp_loop *loop)
{
	for (unsigned i = 0; i + 1 < b->count; i++) {
		unsigned x = b->insn[i].rd, readers = 0, add = 0;

		if (b->insn[i].opcode != RV32_OP_mul || times_written(b, x) != 1)
			continue;
		for (unsigned j = 0; j < b->count; j++) {
			if (rv32_insn__reads(&b->insn[j]) >> x & 1) {
				readers++;
				add = j;
			}
		}
		if (readers != 1 || add < i || b->insn[add].opcode != RV32_OP_add || b->insn[add].rs1 == b->insn[add].rs2 ||
		    (b->insn[add].rd != b->insn[add].rs1 && b->insn[add].rd != b->insn[add].rs2))
			continue;
		b->insn[add].rs1 = b->insn[i].rs1; /* the add now reads the factors; like them, its sum is read in the execute stage */
		b->insn[add].rs2 = b->insn[i].rs2;
		b->removed[i] = true;
		loop->macs++;
	}
}

/* Returns the cycles of an iteration that follows another, by the core's rules, without cycles that depend on data. */
static unsigned iteration_cycles(const struct loop_body *b)
{
	struct schedule s = { 0 };
	struct op_info info[2 * BODY_MAX];
	unsigned start = 0, n = 0;

	memset(info, 0, sizeof(info));
	for (unsigned turn = 0; turn < 2; turn++) {
		start = s.cycle;
		for (unsigned i = 0; i + 1 < b->count; i++) {
			if (!b->removed[i])
				schedule__add(&s, &b->insn[i], &info[n++]);
		}
	}
	return s.cycle - start;
}

/* Returns the cycles that depend on data, which Xpulp does not change: divisions, memory, devices, lines. */
static uint64_t dynamic_cycles(const struct loop_body *b)
{
	static const enum rv32_cause causes[] = {
		RV32_CYC_MISALIGNED, RV32_CYC_MEMORY, RV32_CYC_L1,      RV32_CYC_L2,      RV32_CYC_REMOTE,
		RV32_CYC_ICACHE,     RV32_CYC_DMA,    RV32_CYC_COMMAND, RV32_CYC_BLOCKED,
	};
	uint64_t sum = 0;

	for (unsigned i = 0; i < b->count; i++) {
		if (b->removed[i])
			continue;
		for (unsigned c = 0; c < sizeof(causes) / sizeof(causes[0]); c++)
			sum += charged(b, i, causes[c]);
		if (b->insn[i].class_ == RV32_CLASS_DIV)
			sum += charged(b, i, RV32_CYC_MULDIV);
	}
	return sum;
}

/* Returns why the loop cannot be a hardware loop; NONE: it can. */
static enum xpulp_reason convertible(const struct loop_body *b)
{
	if (b->exits)
		return XPULP_EXITS;
	for (unsigned i = 0; i + 1 < b->count; i++) {
		switch (b->insn[i].class_) {
		case RV32_CLASS_JAL:
		case RV32_CLASS_JALR:
			return XPULP_CALLS;
		case RV32_CLASS_SYSTEM:
		case RV32_CLASS_FENCE:
		case RV32_CLASS_MRET:
		case RV32_CLASS_WFI:
		case RV32_CLASS_HWLOOP:
		case RV32_CLASS_FAULT:
			return XPULP_SYSTEM;
		default:
			break;
		}
	}
	return XPULP_NONE;
}

/* Estimates the loop's cycles with Xpulp. If that gains nothing, `reason` says why and the cycles stay as they were. */
static void convert(struct loop_body *b, struct xpulp_loop *loop)
{
	unsigned counter, accesses, others, setup = XPULP_SETUP_CYCLES, last = b->count - 1;
	int count;

	loop->cycles_xpulp = loop->cycles;
	loop->reason = convertible(b);
	if (loop->reason != XPULP_NONE)
		return;
	count = count_cycles(b, &counter);
	if (count < 0) {
		loop->reason = XPULP_UNCOUNTED;
		return;
	}
	setup += (unsigned)count;
	uses(b, b->insn[counter].rd, &accesses, &others);
	if (!accesses && !others) {
		b->removed[counter] = true;
		loop->counter = 1;
	}
	if (!b->has_branches) {
		setup += fold_steps(b, loop);
		fold_macs(b, loop);
		loop->cycles_xpulp = loop->entries * setup + loop->turns * iteration_cycles(b) + dynamic_cycles(b);
	} else { /* further savings depend on the path through the loop */
		loop->cycles_xpulp =
			loop->cycles - all_charged(b, last) - (loop->counter ? times_executed(b, counter) : 0) + loop->entries * setup;
	}
	if (loop->cycles_xpulp >= loop->cycles) {
		loop->cycles_xpulp = loop->cycles;
		loop->reason = XPULP_GAINS_LESS;
	}
}

/* Finds the loop that ends with the branch. Returns false unless it is an innermost loop that ran. */
static bool find_loop(struct loop_body *b, const struct rv32_insn *branch, struct xpulp_loop *loop)
{
	uint32_t pc = (uint32_t)branch->imm, iterations, last;
	uint64_t taken;

	memset(loop, 0, sizeof(*loop));
	b->count = 0;
	b->has_branches = b->exits = false;
	memset(b->removed, 0, sizeof(b->removed));
	while (pc <= branch->pc) {
		struct rv32_insn *insn = &b->insn[b->count];

		if (b->count == BODY_MAX || !fetch(b->profile, b->code, pc, insn))
			return false;
		if (insn->class_ == RV32_CLASS_BRANCH && pc != branch->pc) {
			if ((uint32_t)insn->imm <= pc) /* a loop inside */
				return false;
			b->has_branches = true;
			b->exits |= (uint32_t)insn->imm > branch->pc;
		}
		b->count++;
		pc += insn->len_bytes;
	}
	last = b->count - 1;
	iterations = b->count ? (uint32_t)times_executed(b, last) : 0;
	if (!iterations || b->insn[last].pc != branch->pc)
		return false;
	taken = charged(b, last, RV32_CYC_BRANCH) / TIMING_BRANCH_TAKEN_EXTRA;
	loop->start = (uint32_t)branch->imm;
	loop->end = pc;
	loop->turns = times_executed(b, last);
	loop->entries = loop->turns - taken;
	for (unsigned i = 0; i < b->count; i++)
		loop->cycles += all_charged(b, i);
	return taken > 0;
}

size_t xpulp__loops(const struct rv32_profile *profile, const uint8_t *code, struct xpulp_loop *loops, size_t room)
{
	struct loop_body loop_body = { .profile = profile, .code = code };
	size_t found = 0;

	for (uint32_t at = 0; at + 2 <= profile->bytes; at += 2) {
		struct rv32_insn insn;
		struct xpulp_loop loop;

		if (!profile->instructions[at / 2] || !fetch(profile, code, profile->addr + at, &insn) ||
		    insn.class_ != RV32_CLASS_BRANCH || (uint32_t)insn.imm > insn.pc || !find_loop(&loop_body, &insn, &loop))
			continue;
		convert(&loop_body, &loop);
		if (found < room)
			loops[found] = loop;
		found++;
	}
	return found;
}
