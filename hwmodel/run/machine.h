/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_RUN_MACHINE_H
#define HWMODEL_RUN_MACHINE_H

/* The machine of hpu-run: one core, ideal memory and a few system calls around one bare program. Called by hpu_run.c. */
#include <stdbool.h>

#include <hwmodel/elf.h>
#include <hwmodel/rv32.h>

/* What hpu-run's command line says about the run. */
struct machine_options {
	uint64_t max_cycles;
	unsigned memory_mib; /* of stack, and as much heap */
	uint32_t from, to;
	bool profile, quiet, output_to_stderr;
};

/* Used only by machine.c and syscall.c. */
struct machine {
	struct machine_options options;
	char *file;
	struct hw_elf *elf;
	uint8_t *memory; /* 4 GiB, by guest address */
	struct rv32_core *core;
	struct rv32_profile profile;
	uint32_t heap_start, heap_now;
	uint32_t tohost;
	bool has_tohost, tohost_pending;
	uint32_t tohost_value; /* just stored */
};

/* How the program ended, and what the measured region cost. */
struct machine_result {
	bool ok;         /* the program ended in one of the ways that `end` names */
	const char *end; /* "exit", "ebreak", ... */
	char error[200]; /* the reason, if not ok */
	bool has_exit_code;
	int32_t exit_code;
	struct rv32_stats stats; /* of the measured region */
	uint64_t total_instructions;
	double wall_s;
};

/* The cost of one instruction, for --profile. */
struct machine_hot {
	uint32_t pc;
	uint64_t cycles, instructions;
	uint64_t by_cause[RV32_CAUSE_COUNT];
};

/* Loads the program. Returns NULL with a reason in err. */
struct machine *machine__open(const char *path, const struct machine_options *options, char *err, size_t err_bytes);
void machine__close(struct machine *machine);

/* Parses a symbol, symbol+offset or number. Returns false if there is no such place. */
bool machine__place(const struct machine *machine, const char *text, uint32_t *addr);
const char *machine__symbol_at(const struct machine *machine, uint32_t pc, uint32_t *start);

/* Runs the program from its entry to its end. from and to limit the measured region; either may be NULL. */
void machine__run(struct machine *machine, const uint32_t *from, const uint32_t *to, struct machine_result *result);

/* Stores the instructions that cost most cycles, at most `max`, and returns their number. Only with options.profile. */
unsigned machine__hot(const struct machine *machine, struct machine_hot *hot, unsigned max);

/* --- syscall.c --- */

/* Handles the ecall at which the core stopped, or the store to tohost. Returns true if the program has ended. */
bool syscall__do(struct machine *machine, struct machine_result *result);
bool tohost__do(struct machine *machine, struct machine_result *result);

#endif
