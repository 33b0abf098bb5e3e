/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of the modelled RISC-V core, which decodes code into blocks: runs random programs with jumps into the middle of blocks, and compares
 * it with a second model, in this file, that times one instruction after the other, by the times at which results, banks and fetched words
 * are available. Wherever the core stops, pc, instruction count, cycle and registers must be equal. Also tests a core that does not share
 * its L1, and one with a small instruction cache and slow refills. Run by tests/run.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/random_program.h"
#include "hwmodel/core/icache.h"
#include <hwmodel/rv32.h>

enum { PROGRAMS = 3000, STEPS = 700 };

static uint8_t model_l1[L1_BYTES];

/* The device returns the address, and its wait cycles depend on the address. */
static uint32_t device_wait(uint32_t addr)
{
	return addr >> 2 & 3;
}

/* The rest of the machine. Every `stops`-th request must wait first. */
static struct {
	bool is_shared, has_icache;
	unsigned stops, requests, stopped;
	uint64_t bank[64];
} bus;

static enum rv32_bus_status device(void *arg, struct rv32_bus_request *req)
{
	uint64_t *bank = &bus.bank[req->addr / 4 % 64];

	(void)arg;
	if (bus.stops && ++bus.requests % bus.stops == 0) {
		bus.stopped++;
		return RV32_BUS_STOP;
	}
	if (req->kind == RV32_FETCH)
		return RV32_BUS_OK;
	if (req->in_window) {
		req->wait_cycles = *bank > req->cycle ? (uint32_t)(*bank - req->cycle) : 0;
		*bank = req->cycle + req->wait_cycles + (req->kind == RV32_AMO ? 2 : 1);
		return RV32_BUS_OK;
	}
	if (req->addr - DEVICE_AT >= 0x1000)
		return RV32_BUS_FAULT;
	req->wait_cycles = device_wait(req->addr);
	req->value = req->addr;
	return RV32_BUS_OK;
}

/* The model's state. use[r]: cycle from which an instruction can use register r; base[r]: from which a jalr can. */
static struct model {
	uint32_t x[32];
	unsigned at;
	uint64_t slot;   /* cycle at which the next instruction may issue */
	uint64_t decode; /* cycle from which it is in decode */
	uint64_t use[32], base[32], bank[64];
	uint64_t fetched; /* cycle at which the 32-bit instruction at 14 modulo 16 is available */
	bool is_second;   /* the next line is requested when this instruction has executed */
	bool behind_long; /* the previous instruction was mulh or a division */
	bool behind_wait; /* the previous instruction was an access of more than a cycle */
	uint64_t second;  /* wait cycles of that access's second word */
	uint64_t divided; /* cycles of the previous instruction if it was a division */
} model;

static unsigned leading_zeros(uint32_t v)
{
	unsigned n = 0;

	while (n < 32 && !(v >> (31 - n) & 1))
		n++;
	return n;
}

static uint32_t device_read(uint32_t addr, unsigned size)
{
	uint32_t first = addr & 3, v = 0;

	/* an access that crosses a word is split into bytes and halves; each returns its own address */
	if (first + size <= 4)
		return addr;
	for (unsigned done = 0, n; done < size; done += n) {
		uint32_t a = addr + done, left = done < 4 - first ? 4 - first - done : size - done;

		n = left >= 2 && !(a & 1) ? 2 : 1;
		v |= (n == 1 ? a & 0xff : a & 0xffff) << 8 * done;
	}
	return v;
}

/* *second: wait cycles of the second word. */
static uint64_t device_time(uint32_t addr, unsigned size, uint64_t *second)
{
	uint32_t first = addr & 3;
	uint64_t wait = 0;

	if (first + size <= 4)
		return device_wait(addr);
	for (unsigned done = 0, n; done < size; done += n) {
		uint32_t a = addr + done, left = done < 4 - first ? 4 - first - done : size - done;

		n = left >= 2 && !(a & 1) ? 2 : 1;
		wait += device_wait(a);
		if (done >= 4 - first)
			*second += device_wait(a);
	}
	return wait;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool reads(const struct insn *in, unsigned r)
{
	switch (in->kind) {
	case ADD:
	case MUL:
	case MULH:
	case DIV:
	case REMU:
	case SW:
	case AMOADD:
	case BNE:
	case BLT:
		return in->rs1 == r || in->rs2 == r;
	case ADDI:
	case LW:
	case LH:
	case JALR:
		return in->rs1 == r;
	default:
		return false;
	}
}

static uint64_t division(const struct insn *in)
{
	uint32_t by = model.x[in->rs2];

	return 3 + (in->kind == DIV && (int32_t)by < 0 ? leading_zeros(~by) - 1 : leading_zeros(by));
}

/* Returns true if x0 is written through the ALU's port. The core treats it like any register. */
static bool writes_x0(const struct insn *in)
{
	return !in->rd && in->kind != LW && in->kind != LH && in->kind != AMOADD && in->kind != SW && in->kind != BNE && in->kind != BLT &&
	       in->kind != FENCE;
}

/* A fence that is in decode in time starts while the previous instruction executes; `late`: it is not. */
static uint64_t fence_hidden(bool late)
{
	if (model.behind_long)
		return model.divided || !late;
	if (late || !model.behind_wait)
		return 0;
	return 1 + (model.second < 2 ? model.second : 2);
}

static void step(void)
{
	const struct insn *in = &random_program.insn[model.at];
	uint32_t a = model.x[in->rs1], b = model.x[in->rs2], addr = a + (uint32_t)in->imm, value = 0;
	bool writes = in->rd && in->kind != SW && in->kind != BNE && in->kind != BLT && in->kind != FENCE;
	bool jump = in->kind == JAL || in->kind == JALR, taken = false;
	bool loads = in->kind == LW || in->kind == LH || in->kind == AMOADD, over_division, hides, late;
	uint64_t issue = model.slot, busy = 1, second = 0, target_at;
	unsigned next = model.at + 1, size = in->kind == LH ? 2 : 4;
	const struct insn *behind = next < random_program.insns ? &random_program.insn[next] : NULL;

	late = in->len == 4 && in->pc % 16 == 14 && model.fetched > issue;
	hides = jump && model.behind_long && !late && !(in->kind == JALR && in->rs1 && model.base[in->rs1] > issue);
	if (in->len == 4 && in->pc % 16 == 14) {
		issue = max_u64(issue, model.fetched);
		model.decode = max_u64(model.decode, model.fetched);
	}
	for (unsigned r = 1; r < 32; r++) {
		if (reads(in, r) && in->kind != JALR)
			issue = max_u64(issue, model.use[r]);
		if (in->kind == JALR && in->rs1 == r)
			issue = max_u64(issue, model.base[r]);
	}
	if (writes && !loads) /* the ALU's port must not overtake a load to the same register */
		issue = max_u64(issue, model.use[in->rd]);
	if (writes_x0(in)) /* like any register */
		issue = max_u64(issue, model.use[0]);

	switch (in->kind) {
	case ADD:
		value = a + b;
		break;
	case ADDI:
		value = addr;
		break;
	case MUL:
		value = a * b;
		break;
	case MULH:
		value = (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32);
		busy = 5;
		break;
	case DIV:
		value = !b ? UINT32_MAX : b == UINT32_MAX ? 0 - a : (uint32_t)((int32_t)a / (int32_t)b);
		busy = division(in);
		break;
	case REMU:
		value = b ? a % b : a;
		busy = division(in);
		break;
	case LW:
	case LH:
	case SW:
	case AMOADD:
		if (in->kind == AMOADD)
			addr = a;
		if ((addr & 3) + size > 4)
			busy = 2;
		if (addr >= DEVICE_AT) {
			busy += device_time(addr, size, &second);
			value = device_read(addr, size);
		} else {
			uint8_t *mem = model_l1 + (addr - L1_AT);
			uint32_t sum;

			busy += max_u64(model.bank[addr / 4 % 64], issue) - issue;
			memcpy(&value, mem, size);
			sum = value + b;
			if (in->kind == SW)
				memcpy(mem, &b, 4);
			if (in->kind == AMOADD)
				memcpy(mem, &sum, 4);
		}
		if (in->kind == LH)
			value = (uint32_t)(int32_t)(int16_t)value;
		if (in->kind == AMOADD && addr < DEVICE_AT)
			model.bank[addr / 4 % 64] = issue + busy + 1;
		break;
	case BNE:
		taken = a != b;
		break;
	case BLT:
		taken = (int32_t)a < (int32_t)b;
		break;
	case JAL:
	case JALR:
		value = in->pc + in->len;
		next = in->kind == JAL ? in->target : random_program__index(a);
		break;
	case CSR_HART:
		value = 5;
		break;
	default: /* a fence refetches the following code */
		busy = 4 - fence_hidden(late);
		break;
	}
	if (taken)
		next = in->target;
	/* a jump is taken in decode, a branch in execute */
	target_at = issue + busy;
	if (jump)
		target_at = max_u64(issue + 1, (in->kind == JALR ? max_u64(model.decode, model.base[in->rs1]) : model.decode) + 2) +
			    (in->kind == JALR && in->rd && in->rd == in->rs1);
	/* a division after a taken branch executes, if it has been fetched, and its result is discarded */
	over_division = taken && behind && (behind->kind == DIV || behind->kind == REMU) &&
			!(model.is_second && behind->len == 4 && behind->pc % 16 == 14);
	if (taken)
		target_at = issue + 3 + (over_division ? division(behind) - 1 : 0);
	if (writes) {
		model.x[in->rd] = value;
		model.use[in->rd] = issue + busy + (loads ? 1 : 0);
		model.base[in->rd] = issue + busy + (loads ? 2 : 1);
		if (jump) /* no instruction follows a jump closely enough */
			model.use[in->rd] = model.base[in->rd] = 0;
	}
	if (loads && !in->rd)
		model.use[0] = issue + busy + 1;
	model.fetched = 0;
	if (jump || taken || in->kind == FENCE) {
		const struct insn *to = &random_program.insn[next];

		bool late = next < random_program.insns && to->len == 4 && !over_division &&
			    !hides; /* otherwise fetched while the jump waited */

		if (late && to->pc % 16 == 14)
			model.fetched = target_at + 1;
		if (late && to->pc % 16 == 10)
			model.fetched = UINT64_MAX; /* known when it issues */
	}
	model.divided = in->kind == DIV || in->kind == REMU ? busy : 0;
	model.behind_long = in->kind == MULH || model.divided || over_division;
	model.behind_wait = busy > 1 && (loads || in->kind == SW);
	model.second = second;
	model.slot = target_at;
	model.decode = over_division ? target_at - 1 : jump || taken || in->kind == FENCE ? target_at : issue + 1;
	model.at = next;
}

/* The word after a 32-bit target at 10 is one cycle late. After a division it is available when the division ends. */
static void resolve_fetch(const struct insn *in)
{
	const struct insn *next = &random_program.insn[model.at];

	if (model.fetched != UINT64_MAX)
		return;
	if (model.divided && !(next->kind == JALR && next->rs1 && next->rs1 == in->rd))
		model.fetched = model.slot + model.divided;
	else
		model.fetched = model.slot + 1;
}

static int run_one(unsigned number)
{
	struct rv32_config config = {
		.hart_id = 5,
		.bus.access = device,
		.window_count = 2,
		.windows = { { 0, CODE_BYTES, random_program.code, RV32_WINDOW_CODE },
			     { L1_AT, L1_BYTES, random_program.l1, RV32_WINDOW_DATA | RV32_WINDOW_TIMED } },
	};
	const struct icache_config small = { .bytes = 256, .ways = 2, .line_bytes = 16, .ports = 1 };
	struct icache *icache = NULL;
	struct rv32_stats stats = { 0 };
	struct rv32_core *core;
	uint64_t until = 0, steps = 0;
	int result = 0;

	random_program__make(number * 77 + 1);
	memcpy(model_l1, random_program.l1, sizeof(model_l1));
	core = rv32_core__new(&config);
	memset(bus.bank, 0, sizeof(bus.bank));
	if (core && bus.is_shared)
		rv32_core__share(core, number % 3 ? 0 : number % 2000);
	if (core && bus.has_icache) {
		icache = icache__new(&small);
		rv32_core__set_icache(core, icache, 0);
	}
	memset(&model, 0, sizeof(model));
	for (unsigned r = 1; core && r < 32; r++) {
		model.x[r] = r == BASE                      ? L1_AT
			     : r == DEVICE                  ? DEVICE_AT
			     : r == LINKS || r == LINKS + 1 ? random_program.insn[random_program__rand(random_program.insns)].pc
							    : random_program__rand(1000);
		rv32_core__set_reg(core, r, model.x[r]);
	}
	if (!core)
		return 1;
	rv32_core__set_pc(core, random_program.insn[0].pc);
	if (random_program.insn[0].len == 4 && random_program.insn[0].pc % 16 == 14)
		model.fetched = 1;
	if (random_program.insn[0].len == 4 && random_program.insn[0].pc % 16 == 10)
		model.fetched = UINT64_MAX;
	while (steps < STEPS && !result) {
		enum rv32_stop stop;

		until = stats.cycle + 1 + random_program__rand(60);
		while ((stop = rv32_core__run(core, until)) == RV32_STOP_BUS)
			until = max_u64(until, rv32_core__cycle(core) + 1); /* up to the next jump, where the model can be compared */
		rv32_core__stats(core, &stats);
		while (steps < stats.instructions && model.at < random_program.insns) {
			bool second = model.fetched == UINT64_MAX;
			const struct insn *in = &random_program.insn[model.at];

			model.is_second = second;

			if (second)
				model.fetched = 0;
			step();
			if (second && !model.fetched && random_program.insn[model.at].pc % 16 == 14) {
				model.fetched = UINT64_MAX;
				resolve_fetch(in);
			}
			steps++;
		}
		if (model.at == random_program.insns) /* ran off the end */
			break;
		if (stop != RV32_STOP_CYCLES || rv32_core__pc(core) != random_program.insn[model.at].pc ||
		    stats.cycle != max_u64(model.slot, 0)) {
			printf("program %u, %" PRIu64 " instructions: stop %d at pc 0x%" PRIx32 " cycle %" PRIu64
			       "; the model is at 0x%" PRIx32 " cycle %" PRIu64 "\n",
			       number, steps, stop, rv32_core__pc(core), stats.cycle, random_program.insn[model.at].pc, model.slot);
			result = 1;
		}
		for (unsigned r = 1; r < 32 && !result; r++) {
			if (rv32_core__reg(core, r) == model.x[r])
				continue;
			printf("program %u, %" PRIu64 " instructions: x%u is 0x%" PRIx32 ", the model has 0x%" PRIx32 "\n", number, steps,
			       r, rv32_core__reg(core, r), model.x[r]);
			result = 1;
		}
	}
	rv32_core__free(core);
	icache__free(icache);
	return result;
}

int main(int argc, char **argv)
{
	unsigned failed = 0, first = 0, last = PROGRAMS;

	if (argc > 1) {
		first = (unsigned)atoi(argv[1]);
		last = first + 1;
	}
	for (unsigned mode = 0; mode < 4 && !failed; mode++) {
		bus.is_shared = mode & 1;
		bus.has_icache = mode & 2;
		bus.stops = mode ? 3 : 0;
		for (unsigned i = first; i < last && failed < 5; i++)
			failed += (unsigned)run_one(i);
		if (failed || (mode && !bus.stopped))
			printf("with%s a shared L1, with%s instruction cache, %u stops\n", mode & 1 ? "" : "out", mode & 2 ? "" : "out",
			       bus.stopped);
		failed += mode && !bus.stopped && last - first > 1;
	}
	if (!failed)
		printf("%u random programs take the cycles of the model without blocks\n", last - first);
	return failed ? 1 : 0;
}
