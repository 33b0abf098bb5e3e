/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of the modelled RISC-V core (hwmodel/core): runs 4,000 programs of random words, entered anywhere, while the bus answers at random
 * with data, a fault or a stop. The core must stop or trap without an error in the simulator, must access no more than one aligned word at
 * a time, and must charge every cycle to a cause. Then hwmodel/elf.c opens 80,000 random ELF files, which must do no harm. Run by
 * tests/run, also with sanitizers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/elf.h>
#include <hwmodel/rv32.h>

enum { ROUNDS = 4000, CODE_AT = 0x1000, CODE_BYTES = 0x404, DATA_AT = 0x8000, DATA_BYTES = 0x1ffc };

static uint32_t seed = 7;

static uint32_t random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Returns a word that decodes more often than a random one. */
static uint32_t likely_code(void)
{
	static const uint8_t opcodes[] = { 0x03, 0x13, 0x17, 0x23, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73, 0x0f, 0x2f, 0x0b, 0x2b, 0x7b };
	uint32_t w = random_word();

	switch (random_word() % 4) {
	case 0:
		return w;
	case 1: /* branches and loops nearby */
		return (w & 0x01fff000) | (random_word() % 2 ? 0x63u : 0x7bu) | (random_word() & 0xf00);
	case 2:
		return (w & 0x01ffff80) | opcodes[random_word() % sizeof(opcodes)];
	default:
		return (w & ~127u) | opcodes[random_word() % sizeof(opcodes)];
	}
}

static enum rv32_bus_status bus(void *arg, struct rv32_bus_request *req)
{
	(void)arg;
	if (req->size_bytes != 1 && req->size_bytes != 2 && req->size_bytes != 4)
		abort();
	if ((req->addr & 3) + req->size_bytes > 4)
		abort();
	req->value = random_word();
	req->wait_cycles = random_word() % 5;
	req->use_cycles = random_word() % 3;
	return random_word() % 4 ? RV32_BUS_OK : random_word() % 2 ? RV32_BUS_FAULT : RV32_BUS_STOP;
}

static int adds_up(const struct rv32_core *core, unsigned round)
{
	struct rv32_stats s;
	uint64_t sum = 0;

	rv32_core__stats(core, &s);
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		sum += s.cycles[c];
	if (sum == s.cycle && s.cycle == rv32_core__cycle(core) && s.instructions <= s.cycle)
		return 0;
	printf("round %u: causes add up to %" PRIu64 " of %" PRIu64 " cycles\n", round, sum, s.cycle);
	return 1;
}

static int run_one(unsigned round)
{
	uint8_t *code = malloc(CODE_BYTES), *data = malloc(DATA_BYTES);
	struct rv32_config config = {
		.bus.access = bus,
		.window_count = 2,
		.stop_at_self_jump = random_word() & 1,
		.windows = { { CODE_AT, CODE_BYTES, code, RV32_WINDOW_CODE | RV32_WINDOW_DATA },
			     { DATA_AT, DATA_BYTES, data, RV32_WINDOW_DATA | (random_word() & RV32_WINDOW_NO_LRSC) } },
	};
	static uint64_t counts[CODE_BYTES / 2], cycles[CODE_BYTES / 2 * RV32_CAUSE_COUNT];
	struct rv32_profile profile = { CODE_AT, CODE_BYTES, counts, cycles };
	struct rv32_core *core = rv32_core__new(&config);
	int failed = 0;

	if (!code || !data || !core)
		return 1;
	for (unsigned i = 0; i < CODE_BYTES; i += 4) {
		uint32_t w = likely_code();

		memcpy(code + i, &w, 4);
	}
	memset(data, (int)random_word(), DATA_BYTES);
	for (unsigned x = 0; x < 32; x++)
		rv32_core__set_reg(core, x,
				   random_word() % 3   ? CODE_AT + random_word() % CODE_BYTES
				   : random_word() % 2 ? DATA_AT + random_word() % (DATA_BYTES + 8)
						       : random_word());
	if (random_word() & 1)
		rv32_core__set_profile(core, &profile);
	for (unsigned i = 0; i < 12; i++) {
		uint32_t pc = CODE_AT - 4 + random_word() % (CODE_BYTES + 8);

		if (random_word() % 4)
			rv32_core__set_pc(core, random_word() % 16 ? pc & ~1u : pc);
		if (random_word() % 3 == 0)
			rv32_core__set_breakpoint(core, CODE_AT + random_word() % CODE_BYTES);
		if (random_word() % 5 == 0)
			rv32_core__flush_code(core);
		if (random_word() % 5 == 0)
			rv32_core__advance(core, rv32_core__cycle(core) + random_word() % 50);
		rv32_core__run(core, rv32_core__cycle(core) + random_word() % 3000);
		failed |= adds_up(core, round);
	}
	rv32_core__free(core);
	free(code);
	free(data);
	return failed;
}

/* Opens a program file of random bytes after a plausible header. */
static int run_random_file(void)
{
	static const uint8_t header[20] = { 0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 243, 0 };
	size_t len = random_word() % 400;
	uint8_t *file = malloc(len + 1);
	struct hw_elf_segment segment;
	struct hw_elf *elf;
	char err[64];

	if (!file)
		return 1;
	for (size_t i = 0; i < len; i++)
		file[i] = (uint8_t)(random_word() % 3 ? 0 : random_word() % 2 ? random_word() % 64 : random_word());
	memcpy(file, header, len < sizeof(header) ? len : sizeof(header));
	if (len > 52) {
		file[28] = 52; /* e_phoff */
		file[29] = file[30] = file[31] = 0;
		file[42] = 32; /* e_phentsize */
		file[43] = 0;
		file[44] = random_word() % 3; /* e_phnum */
		file[45] = 0;
		file[46] = 40; /* e_shentsize */
		file[47] = 0;
		if (len > 60)
			file[52] = 1; /* PT_LOAD */
	}
	if (hw_elf__open(&elf, file, len, err, sizeof(err)) == 0) {
		uint32_t sum = 0, start;

		for (unsigned i = 0; hw_elf__segment(elf, i, &segment) == 0; i++) {
			for (uint32_t b = 0; b < segment.file_bytes; b++)
				sum += segment.data[b];
		}
		hw_elf__symbol(elf, "main", &start, NULL);
		hw_elf__symbol_at(elf, hw_elf__entry(elf), &start);
		hw_elf__close(elf);
		seed += sum & 1;
	}
	free(file);
	return 0;
}

int main(void)
{
	int failed = 0;

	for (unsigned i = 0; i < ROUNDS && !failed; i++)
		failed = run_one(i);
	for (unsigned i = 0; i < 20 * ROUNDS && !failed; i++)
		failed = run_random_file();
	if (!failed)
		printf("%u random programs, %u random files: no harm\n", (unsigned)ROUNDS, 20 * (unsigned)ROUNDS);
	return failed;
}
