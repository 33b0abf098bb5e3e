/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of the modelled RISC-V core's timing: each instruction sequence of rows.def must take exactly the cycles that were measured on
 * PsPIN's RTL, with an L1 of its own and with a shared one. Run by tests/run, and by every_constant_counts.sh with changed constants.
 */
#include <inttypes.h>

#include <hwmodel/elf.h>
#include <hwmodel/rv32.h>
#include "tests/core/toolchain.h"

static const struct row {
	const char *name;
	unsigned cycles;
	const char *text;
} rows[] = {
#define ROW(name, cycles, text) { #name, cycles, text },
#include "tests/core/rows.def"
#undef ROW
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

enum {
	CODE = 0x10000,
	CODE_BYTES = 0x10000,
	L1 = 0x20000,
	L1_BYTES = 0x1000,
	DEVICE = 0x40000,
	LOAD_WAIT = 19,
	STORE_WAIT = 20,
	AMO_WAIT = 26, /* L2: 20, 21 and 27 cycles including the issue */
};

static uint8_t code[CODE_BYTES], l1[L1_BYTES];

/* L1 as shared with other HPUs: a word's bank serves one access per cycle, an AMO takes two. Every third request is delayed first. */
static struct {
	uint64_t free[64];
	unsigned requests;
	uint64_t last_cycle;
	int out_of_order;
} banks;

static enum rv32_bus_status grant(struct rv32_bus_request *req)
{
	uint64_t *free = &banks.free[req->addr / 4 % 64], at = req->cycle > *free ? req->cycle : *free;

	if (++banks.requests % 3 == 0)
		return RV32_BUS_STOP;
	banks.out_of_order += req->cycle < banks.last_cycle || (req->addr & 3) + req->size_bytes > 4;
	banks.last_cycle = req->cycle;
	*free = at + (req->kind == RV32_AMO ? 2 : 1);
	req->wait_cycles = (uint32_t)(at - req->cycle);
	return RV32_BUS_OK;
}

static enum rv32_bus_status device(void *arg, struct rv32_bus_request *req)
{
	(void)arg;
	if (req->in_window)
		return grant(req);
	if (req->addr < DEVICE || req->addr >= DEVICE + 0x100)
		return RV32_BUS_FAULT;
	req->wait_cycles = req->kind == RV32_LOAD ? LOAD_WAIT : req->kind == RV32_STORE ? STORE_WAIT : AMO_WAIT;
	req->value = 0;
	return RV32_BUS_OK;
}

static int assemble(const char *elf)
{
	const char *source = build_path("tests/core/timing_rows.S");
	char command[2000];
	FILE *f = fopen(source, "w");

	if (!f) {
		printf("cannot write %s\n", source);
		return FAIL;
	}
	fprintf(f, ".option norvc\n.option norelax\n.globl _start\n_start:\n");
	for (unsigned i = 0; i < ROWS; i++)
		fprintf(f, ".balign 16\n.globl row_%u\nrow_%u:\n%s\n.globl end_%u\nend_%u:\nnop\nebreak\n", i, i, rows[i].text, i, i);
	fclose(f);
	snprintf(command, sizeof(command),
		 "%s -march=rv32imac_zicsr_zifencei -mabi=ilp32 -nostdlib -static -Wl,--no-relax -Wl,-Ttext=0x%x -o %s %s", cross_gcc(),
		 CODE, elf, source);
	return system(command) == 0 ? PASS : FAIL;
}

static int address(const struct hw_elf *elf, const char *what, unsigned row, uint32_t *addr)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%u", what, row);
	return hw_elf__symbol(elf, name, addr, NULL);
}

static void put(uint32_t addr, uint32_t value)
{
	memcpy(l1 + (addr - L1), &value, 4);
}

static enum rv32_stop run(struct rv32_core *core, uint64_t until)
{
	enum rv32_stop stop;

	while ((stop = rv32_core__run(core, until)) == RV32_STOP_BUS)
		;
	return stop;
}

static int check(struct rv32_core *core, const struct hw_elf *elf, unsigned i, const char *how)
{
	struct rv32_stats before, after;
	uint64_t cycles, sum = 0;
	enum rv32_stop stop;
	uint32_t from, to;

	if (address(elf, "row", i, &from) || address(elf, "end", i, &to))
		return FAIL;
	put(L1 + 4, 1);
	put(L1 + 8, 3);
	put(L1 + 12, L1 + 0x104);
	rv32_core__set_reg(core, 8, L1);           /* s0 */
	rv32_core__set_reg(core, 9, L1 + 0x104);   /* s1: another bank */
	rv32_core__set_reg(core, 18, DEVICE);      /* s2 */
	rv32_core__set_reg(core, 19, DEVICE + 16); /* s3 */
	rv32_core__set_reg(core, 20, L1 + 0x203);  /* s4 */
	rv32_core__set_reg(core, 21, L1 + 0x300);  /* s5 */
	rv32_core__set_pc(core, from);
	/* a row is not the target of a jump; it starts at 0 modulo 16, which takes the same cycles */
	rv32_core__set_breakpoint(core, to);
	rv32_core__stats(core, &before);
	stop = run(core, before.cycle + 100000);
	rv32_core__stats(core, &after);
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		sum += after.cycles[c];
	cycles = after.cycle - before.cycle;
	if (stop != RV32_STOP_PC || rv32_core__pc(core) != to) {
		printf("%s: stopped by %d at 0x%" PRIx32 "\n", rows[i].name, stop, rv32_core__pc(core));
		return FAIL;
	}
	if (sum != after.cycle) {
		printf("%s: causes add up to %" PRIu64 " of %" PRIu64 " cycles\n", rows[i].name, sum, after.cycle);
		return FAIL;
	}
	if (cycles != rows[i].cycles) {
		printf("%s, %s: %" PRIu64 " cycles, expected %u: %s\n", rows[i].name, how, cycles, rows[i].cycles, rows[i].text);
		return FAIL;
	}
	return PASS;
}

int main(void)
{
	struct rv32_config config = {
		.bus.access = device,
		.window_count = 2,
		.windows = { { CODE, CODE_BYTES, code, RV32_WINDOW_CODE | RV32_WINDOW_READONLY | RV32_WINDOW_DATA },
			     { L1, L1_BYTES, l1, RV32_WINDOW_DATA | RV32_WINDOW_TIMED } },
	};
	const char *path = getenv("ROWS_ELF");
	struct rv32_core *core;
	struct hw_elf *elf;
	char *file;
	unsigned failed = 0;

	if (!path) {
		if (!have(cross_gcc())) {
			printf("skip: no %s (package gcc-riscv64-unknown-elf)\n", cross_gcc());
			return SKIP;
		}
		path = build_path("tests/core/timing_rows.elf");
		if (assemble(path) != PASS)
			return FAIL;
	}
	elf = load_code(path, CODE, code, CODE_BYTES, &file);
	if (!elf)
		return FAIL;
	core = rv32_core__new(&config);
	if (!core)
		return FAIL;
	for (unsigned i = 0; i < ROWS; i++)
		failed += check(core, elf, i, "L1 of its own") != PASS;
	printf("%u of %u timing rows hold\n", ROWS - failed, (unsigned)ROWS);
	rv32_core__share(core, 0);
	for (unsigned i = 0; i < ROWS; i++)
		failed += check(core, elf, i, "L1 shared") != PASS;
	if (banks.requests < ROWS / 2 || banks.out_of_order) {
		printf("%u requests of a shared L1, %d out of order or over a word\n", banks.requests, banks.out_of_order);
		failed++;
	}
	rv32_core__free(core);
	hw_elf__close(elf);
	free(file);
	return failed ? FAIL : PASS;
}
