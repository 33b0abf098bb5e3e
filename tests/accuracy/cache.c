/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calibration rows of the instruction cache, used by one HPU (a RISC-V core of the NIC) and shared by eight: values measured on PsPIN's
 * RTL, each with the function that measures it in the model. Run by accuracy.c, which compares the two.
 *
 * Straight code on one HPU: in these measurements the cache was full of other code, and the state of the LFSR that chooses the line to
 * replace is unknown. Each row is measured after many different histories, each on its own machine. The value is the median, reported with
 * the range.
 *
 * Eight HPUs: the state is that after boot. The cache is empty except for the runtime, and all LFSRs have their reset values. Ports that
 * miss at the same time choose the same free way, and evict each other's line. We conclude this from the rows: code of 256 bytes, which
 * fits, needs more than one pass to become warm, with 1.19 to 1.44 cycles per HPU. A full cache with LFSRs in step would give 1.26 to 1.62.
 * The value is the mean over the HPUs, reported with their range.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/common/measure/measure.h"

#include "tests/accuracy/accuracy.h"

#define CACHE_LINES   256u
#define LINE_BYTES    16u
#define HISTORIES_MAX 51u
#define HPUS          8u
/*
 * The number of passes over a loop of arg[0] bytes. The measured 1550 instructions are 24 passes over 256 bytes, 12 over 512, or 6 over
 * 1 KiB. For one loop of 1 KiB shared by all HPUs we assume 12 passes: 64 lines at 8 cycles then give the measured 1.18, whereas 6 passes
 * give 1.34.
 */
#define PASSES(row) ((row)->arg[0] == 1024 && !(row)->arg[2] ? 12u : 6144u / (unsigned)(row)->arg[0])

static const struct ended *run_one(struct machine *machine, const struct soc_context *context)
{
	machine__group(machine, &(struct packet){ 0, context, 64, 1 }, 1);
	return machine__task(machine, 0, SOC_PAYLOAD);
}

static double body(const struct ended *ended)
{
	return (double)(ended->task.returned - ended->task.first);
}

/* Warms the runtime's loop, fills the rest of the cache, and then replaces `replaced` more lines. */
static void fill(struct machine *machine, unsigned replaced)
{
	struct soc_context *context;

	machine__warm(machine, "empty");
	context = (struct soc_context *)machine__context(machine, NULL, "filler", NULL, WHOLE);
	context->payload = machine__symbol(machine, "filler_end") - (CACHE_LINES + replaced) * LINE_BYTES;
	run_one(machine, context);
}

/* The additional cycles of a jump to a cold line. The line of the jump itself is loaded before the body begins. */
static void jump(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context = machine__context(machine, NULL, "jump_to_cold", NULL, WHOLE);
	double cold;

	(void)row;
	machine__warm(machine, "empty");
	cold = body(run_one(machine, context));
	machine__warm(machine, "jump_to_cold");
	values__add(out, cold - body(run_one(machine, context)));
}

/*
 * Returns the cycles of pass number arg[0] over straight code on one HPU. The return at the end takes one cycle more than an
 * instruction, and 8 more if the caller's line was evicted.
 */
static double pass(struct machine *machine, const struct row *row, unsigned replaced)
{
	const struct soc_context *context;
	double cycles = 0;

	fill(machine, replaced);
	context = machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	for (long i = 0; i < row->arg[0]; i++)
		cycles = body(run_one(machine, context)) - 1;
	return cycles;
}

/*
 * Runs `count` passes on `hpus` HPUs: all of different_0, or HPU i of different_i. Stores the cycles of each task, without the
 * instructions around the loop.
 */
static void passes(struct machine *machine, unsigned hpus, int different, unsigned count, double cycles[HPUS])
{
	struct packet packets[HPUS] = { { 0 } };

	for (unsigned i = 0; i < hpus; i++) {
		struct soc_context *context;
		char function[40];

		snprintf(function, sizeof(function), "different_%u", different ? i : 0);
		context = (struct soc_context *)machine__context(machine, NULL, function, NULL, WHOLE);
		context->handler_mem_bytes = count;
		packets[i] = (struct packet){ 4 * i, context, 64, 1 }; /* each is a message with its own context */
	}
	machine__group(machine, packets, hpus);
	for (unsigned i = 0; i < hpus; i++)
		cycles[i] = body(machine__task(machine, i, SOC_PAYLOAD)) - 6;
}

enum { WHOLE_RUN, STEADY, SECOND_RUN };

/* Stores the cycles per instruction of each HPU. `before` prepares the cache, on this machine and on another. */
static void shared(struct machine *machine, const struct row *row, void (*before)(struct machine *, unsigned), unsigned replaced,
		   double cycles[HPUS])
{
	unsigned hpus = (unsigned)row->arg[1], all = PASSES(row), counted = all;
	int different = (int)row->arg[2];

	before(machine, replaced);
	passes(machine, hpus, different, all, cycles);
	if (row->arg[3] == SECOND_RUN)
		passes(machine, hpus, different, all, cycles);
	if (row->arg[3] == STEADY) {
		/* run the first half of the passes on another machine, and subtract it */
		struct machine *other = machine__another(machine);
		double half[HPUS];

		before(other, replaced);
		passes(other, hpus, different, all / 2, half);
		machine__close(other);
		counted = all - all / 2;
		for (unsigned i = 0; i < hpus; i++)
			cycles[i] -= half[i];
	}
	for (unsigned i = 0; i < hpus; i++)
		cycles[i] /= counted * (double)row->arg[0] / 4;
}

/* One HPU, with the cache full of other code: "after eviction". */
static double alone(struct machine *machine, const struct row *row, unsigned replaced)
{
	double cycles[HPUS];

	shared(machine, row, fill, replaced, cycles);
	return cycles[0];
}

/* Warms the runtime's loop. Nothing else has run since boot. */
static void boot_only(struct machine *machine, unsigned replaced)
{
	(void)replaced;
	machine__warm(machine, "empty");
}

static void over_histories(struct machine *machine, double (*measure)(struct machine *, const struct row *, unsigned),
			   const struct row *row, unsigned step, unsigned histories, struct values *out)
{
	double values[HISTORIES_MAX];
	unsigned n = 0;

	for (unsigned replaced = 0; n < histories; replaced += step) {
		struct machine *one = machine__another(machine);

		values[n++] = measure(one, row, replaced);
		machine__close(one);
	}
	values__add(out, measure_median(values, n));
	out->least = values[0];
	out->most = values[n - 1];
}

static void measure_pass(struct machine *machine, const struct row *row, struct values *out)
{
	over_histories(machine, pass, row, 5, HISTORIES_MAX, out); /* the LFSR has 255 states */
}

static void measure_alone(struct machine *machine, const struct row *row, struct values *out)
{
	over_histories(machine, alone, row, 1, 15, out);
}

static void measure_shared(struct machine *machine, const struct row *row, struct values *out)
{
	double cycles[HPUS], sum = 0;
	unsigned hpus = (unsigned)row->arg[1];

	shared(machine, row, boot_only, 0, cycles);
	out->least = out->most = cycles[0];
	for (unsigned i = 0; i < hpus; i++) {
		sum += cycles[i];
		out->least = cycles[i] < out->least ? cycles[i] : out->least;
		out->most = cycles[i] > out->most ? cycles[i] : out->most;
	}
	values__add(out, sum / hpus);
}

#define PASS(name, measured, function, number)                                         \
	{                                                                              \
		"soc icache", name, measured, "cycles", 0, measure_pass, { function }, \
		{                                                                      \
			number                                                         \
		}                                                                      \
	}
/* clang-format off */
#define SHARED(name, measured, flags, bytes, hpus, different, what)                                \
	{"load icache", name, measured, "cycles", flags, (hpus) == 1 ? measure_alone : measure_shared, {NULL},                      \
	 {bytes, hpus, different, what}}

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
	{0}};

const struct row cache_256_rows[] = {
	SHARED("different_256_run", "1.19-1.44", ROW_LOAD, 256, 8, 1, WHOLE_RUN),
	SHARED("different_256_steady", "1.02-1.05", ROW_LOAD, 256, 8, 1, STEADY),
	SHARED("different_256_second_run", "1.03-1.09", ROW_LOAD, 256, 8, 1, SECOND_RUN),
	{0}};

const struct row cache_512_rows[] = {
	SHARED("same_512_run", "1.18", ROW_LOAD, 512, 8, 0, WHOLE_RUN),
	SHARED("same_512_steady", "1.01", ROW_LOAD, 512, 8, 0, STEADY),
	SHARED("different_512_run", "3.2-3.5", ROW_LOAD, 512, 8, 1, WHOLE_RUN),
	SHARED("different_512_steady", "2.7-3.5", ROW_LOAD, 512, 8, 1, STEADY),
	SHARED("alone_512_run", "1.20", 0, 512, 1, 0, WHOLE_RUN),
	SHARED("alone_512_steady", "1.02", 0, 512, 1, 0, STEADY),
	{0}};

const struct row cache_1024_rows[] = {
	SHARED("same_1024_run", "1.18", ROW_LOAD, 1024, 8, 0, WHOLE_RUN),
	SHARED("same_1024_steady", "1.01", ROW_LOAD, 1024, 8, 0, STEADY),
	SHARED("different_1024_run", "2.7-3.0", ROW_LOAD, 1024, 8, 1, WHOLE_RUN),
	SHARED("different_1024_steady", "2.6-3.5", ROW_LOAD, 1024, 8, 1, STEADY),
	{0}};

/* clang-format on */