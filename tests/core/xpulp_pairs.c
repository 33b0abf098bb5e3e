/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the savings which spinctl cost reports for Xpulp (the instruction set extensions of PsPIN's cores: hardware loops,
 * post-increment) are what hand-written Xpulp code saves on the modelled core. Each pair of xpulp_pairs.def is a loop and the same loop
 * with Xpulp. Run by tests/run.
 */
#include <inttypes.h>

#include <hwmodel/elf.h>
#include <hwmodel/rv32.h>
#include <hwmodel/xpulp.h>
#include "tests/core/toolchain.h"

static const struct pair {
	const char *name;
	enum xpulp_reason reason;
	const char *plain, *xpulp;
} pairs[] = {
#define PAIR(name, reason, plain, xpulp) { #name, XPULP_##reason, plain, xpulp },
#include "tests/core/xpulp_pairs.def"
#undef PAIR
};
enum { PAIRS = sizeof(pairs) / sizeof(pairs[0]), CODE = 0x10000, CODE_BYTES = 0x10000, L1 = 0x20000, L1_BYTES = 0x1000, WORDS = 64 };

static uint8_t code[CODE_BYTES], l1[L1_BYTES];
static uint64_t instructions[CODE_BYTES / 2], cycles[CODE_BYTES / 2 * RV32_CAUSE_COUNT];

static int assemble(const char *elf)
{
	const char *source = build_path("tests/core/xpulp_pairs.S");
	FILE *f = fopen(source, "w");
	char command[2000];

	if (!f)
		return FAIL;
	fprintf(f, ".option norvc\n.option norelax\n.globl _start\n_start:\n");
	for (unsigned i = 0; i < PAIRS; i++) {
		fprintf(f, ".balign 16\n.globl plain_%u\nplain_%u:\n%s\nebreak\n", i, i, pairs[i].plain);
		fprintf(f, ".balign 16\n.globl xpulp_%u\nxpulp_%u:\n%s\nebreak\n", i, i, pairs[i].xpulp);
	}
	fclose(f);
	snprintf(command, sizeof(command), "%s -march=rv32imac -mabi=ilp32 -nostdlib -static -Wl,--no-relax -Wl,-Ttext=0x%x -o %s %s",
		 cross_gcc(), CODE, elf, source);
	return system(command) == 0 ? PASS : FAIL;
}

/* Returns the cycles from the symbol to its ebreak, minus the ebreak's 4. Stores the computed value in *result. */
static uint64_t run(struct rv32_core *core, const struct hw_elf *elf, const char *kind, unsigned i, uint32_t *result)
{
	uint64_t before = rv32_core__cycle(core);
	char name[32];
	uint32_t at;

	snprintf(name, sizeof(name), "%s_%u", kind, i);
	if (hw_elf__symbol(elf, name, &at, NULL))
		return 0;
	for (uint32_t w = 0; w < 2 * WORDS; w++) {
		uint32_t value = w == WORDS - 1 ? 0 : w * 2654435761u % 5; /* some are 0 */

		value += strstr(pairs[i].name, "until") && w < WORDS - 1 ? 1 : 0;
		memcpy(l1 + 4 * w, &value, 4);
	}
	rv32_core__set_reg(core, 10, L1);
	rv32_core__set_reg(core, 11, L1 + 4 * WORDS);
	rv32_core__set_reg(core, 12, L1 + 4 * WORDS);
	rv32_core__set_reg(core, 13, 0);
	rv32_core__set_reg(core, 14, WORDS);
	rv32_core__set_reg(core, 31, 3);
	rv32_core__set_pc(core, at);
	if (rv32_core__run(core, before + 100000) != RV32_STOP_EBREAK)
		return 0;
	*result = rv32_core__reg(core, 13);
	return rv32_core__cycle(core) - before - 4;
}

static int check(struct rv32_core *core, const struct hw_elf *elf, unsigned i)
{
	struct rv32_profile profile = { CODE, CODE_BYTES, instructions, cycles };
	struct xpulp_loop loop = { 0 };
	uint32_t plain_result, xpulp_result;
	uint64_t plain, xpulp;
	size_t loops;

	memset(instructions, 0, sizeof(instructions));
	memset(cycles, 0, sizeof(cycles));
	rv32_core__set_profile(core, &profile);
	plain = run(core, elf, "plain", i, &plain_result);
	rv32_core__set_profile(core, NULL);
	loops = xpulp__loops(&profile, code, &loop, 1);
	xpulp = run(core, elf, "xpulp", i, &xpulp_result);
	if (loops != 1 || loop.reason != pairs[i].reason) {
		printf("%s: %zu loops, %s\n", pairs[i].name, loops, xpulp_reason_text(loop.reason));
		return FAIL;
	}
	if (!plain || (loop.reason == XPULP_NONE && (loop.entries != 1 || loop.cycles != plain || loop.cycles_xpulp != xpulp)) ||
	    (loop.reason != XPULP_NONE && loop.cycles_xpulp != loop.cycles)) {
		printf("%s: the report says %" PRIu64 " cycles, %" PRIu64 " with Xpulp; the core takes %" PRIu64 " and %" PRIu64 "\n",
		       pairs[i].name, loop.cycles, loop.cycles_xpulp, plain, xpulp);
		return FAIL;
	}
	if (plain_result != xpulp_result) {
		printf("%s: 0x%" PRIx32 ", its pair 0x%" PRIx32 "\n", pairs[i].name, plain_result, xpulp_result);
		return FAIL;
	}
	printf("%-28s %5.2f cycles per turn, %5.2f with Xpulp\n", pairs[i].name, (double)plain / (double)loop.turns,
	       (double)xpulp / (double)loop.turns);
	return PASS;
}

int main(void)
{
	struct rv32_config config = {
		.window_count = 2,
		.windows = { { CODE, CODE_BYTES, code, RV32_WINDOW_CODE | RV32_WINDOW_READONLY }, { L1, L1_BYTES, l1, RV32_WINDOW_DATA } },
	};
	const char *path = build_path("tests/core/xpulp_pairs.elf");
	struct rv32_core *core;
	struct hw_elf *elf;
	unsigned failed = 0;
	char *file;

	if (!have(cross_gcc())) {
		printf("skip: no %s (package gcc-riscv64-unknown-elf)\n", cross_gcc());
		return SKIP;
	}
	if (assemble(path) != PASS)
		return FAIL;
	elf = load_code(path, CODE, code, CODE_BYTES, &file);
	if (!elf)
		return FAIL;
	core = rv32_core__new(&config);
	if (!core)
		return FAIL;
	for (unsigned i = 0; i < PAIRS; i++)
		failed += check(core, elf, i) != PASS;
	rv32_core__free(core);
	hw_elf__close(elf);
	free(file);
	return failed ? FAIL : PASS;
}
