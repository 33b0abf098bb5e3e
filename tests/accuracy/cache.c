/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Instruction cache: pspin_soc.md, and pspin_load.md 6. Nothing is warmed up here unless a row says so. */
#include <stdio.h>

#include "accuracy.h"

#define INSTRUCTIONS 1550

/* Pass `arg 0` over straight code of `arg 1` instructions, on one HPU; its return is 2 more. */
static void pass(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context = machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	const struct ended *ended;

	for (long i = 0; i < row->arg[0]; i++)
		machine__group(machine, &(struct packet){0, context, 64, 1}, 1);
	ended = machine__task(machine, 0, SOC_PAYLOAD);
	values__add(out, (double)(ended->task.returned - ended->task.first) - 2);
}

/* A jump to a cold line, beyond a warm one; the line that it is on was there when the body began. */
static void jump(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context = machine__context(machine, NULL, "jump_to_cold", NULL, WHOLE);
	uint64_t cycles[2];

	(void)row;
	for (unsigned i = 0; i < 2; i++) {
		machine__group(machine, &(struct packet){0, context, 64, 1}, 1);
		cycles[i] = machine__task(machine, 0, SOC_PAYLOAD)->task.returned -
			    machine__task(machine, 0, SOC_PAYLOAD)->task.first;
		machine__warm(machine, "jump_to_cold");
	}
	values__add(out, (double)(cycles[0] - cycles[1]));
}

/*
 * `hpus` HPUs run different_BYTES_i, the same one or i for the HPU, so many passes: mean cycles of a task from its start on
 * to the return.
 */
static double passes(struct machine *machine, unsigned bytes, unsigned hpus, int different, unsigned count)
{
	struct packet packets[8] = {{0}};
	double sum = 0;

	for (unsigned i = 0; i < hpus; i++) {
		struct soc_context *context;
		char function[40];

		snprintf(function, sizeof(function), "different_%u_%u", bytes, different ? i : 0);
		context = (struct soc_context *)machine__context(machine, NULL, function, NULL, WHOLE);
		context->handler_mem_bytes = count;
		packets[i] = (struct packet){0, context, 64, i + 1 == hpus};
	}
	machine__group(machine, packets, hpus);
	for (unsigned i = 0; i < hpus; i++) {
		const struct ended *ended = machine__task(machine, i, SOC_PAYLOAD);

		sum += (double)(ended->task.returned - ended->task.first) - 6;
	}
	return sum / hpus;
}

enum { WHOLE_RUN, STEADY, SECOND_RUN };

static void shared(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned bytes = (unsigned)row->arg[0], hpus = (unsigned)row->arg[1], all = (INSTRUCTIONS * 4 + bytes - 1) / bytes;
	int different = (int)row->arg[2];
	double half, cycles;

	if (row->arg[3] == STEADY) {
		/* the same first half on a machine of its own */
		struct machine *other = machine__another(machine);

		half = passes(other, bytes, hpus, different, all / 2);
		cycles = passes(machine, bytes, hpus, different, all) - half;
		values__add(out, cycles / (all - all / 2) / (bytes / 4));
		return;
	}
	cycles = passes(machine, bytes, hpus, different, all);
	if (row->arg[3] == SECOND_RUN)
		cycles = passes(machine, bytes, hpus, different, all);
	values__add(out, cycles / all / (bytes / 4));
}

#define PASS(name, measured, function, number)                                                     \
	{"soc icache", name, measured, "cycles", 0, pass, {function}, {number}}
#define SHARED(name, measured, flags, bytes, hpus, different, what)                                \
	{"load icache", name, measured, "cycles", flags, shared, {NULL}, {bytes, hpus, different, what}}

const struct row cache_rows[] = {
	{"soc icache", "jump_to_cold_line", "8", "cycles", 0, jump},
	PASS("3600_bytes_first", "2700", "straight_900", 1),
	PASS("3600_bytes_second", "1708", "straight_900", 2),
	PASS("3600_bytes_third", "1316", "straight_900", 3),
	PASS("7200_bytes_first", "5400", "straight_1800", 1),
	PASS("7200_bytes_second", "4528", "straight_1800", 2),
	PASS("7200_bytes_third", "4664", "straight_1800", 3),
	PASS("2048_bytes_first", "1536", "straight_512", 1),
	PASS("2048_bytes_second", "776", "straight_512", 2),
	PASS("2048_bytes_third", "536", "straight_512", 3),
	SHARED("same_512_run", "1.18", ROW_LOAD, 512, 8, 0, WHOLE_RUN),
	SHARED("same_512_steady", "1.01", ROW_LOAD, 512, 8, 0, STEADY),
	SHARED("same_1024_run", "1.18", ROW_LOAD, 1024, 8, 0, WHOLE_RUN),
	SHARED("same_1024_steady", "1.01", ROW_LOAD, 1024, 8, 0, STEADY),
	SHARED("different_256_run", "1.19-1.44", ROW_LOAD, 256, 8, 1, WHOLE_RUN),
	SHARED("different_256_steady", "1.02-1.05", ROW_LOAD, 256, 8, 1, STEADY),
	SHARED("different_256_second_run", "1.03-1.09", ROW_LOAD, 256, 8, 1, SECOND_RUN),
	SHARED("different_512_run", "3.2-3.5", ROW_LOAD, 512, 8, 1, WHOLE_RUN),
	SHARED("different_512_steady", "2.7-3.5", ROW_LOAD, 512, 8, 1, STEADY),
	SHARED("different_1024_run", "2.7-3.0", ROW_LOAD, 1024, 8, 1, WHOLE_RUN),
	SHARED("different_1024_steady", "2.6-3.5", ROW_LOAD, 1024, 8, 1, STEADY),
	SHARED("alone_512_run", "1.20", 0, 512, 1, 0, WHOLE_RUN),
	SHARED("alone_512_steady", "1.02", 0, 512, 1, 0, STEADY),
	{0}};
