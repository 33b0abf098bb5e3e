/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what `make rtl-check` (PsPIN's RTL beside the model) computes from the files of both, which are generated here, so PsPIN is not
 * needed. A handler's body begins at an entry that is reached by a call, and ends at the instruction after that call. Each of four rows
 * must have means, the largest error, and ok only within its aim: not for a body of 11 cycles instead of 10, nor for a burst that is late.
 * A packet without feedback must be an error. Run by tests/run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/rtl/rtl.h"

#define ENTRY  0x1d000300u
#define CALLER 0x1d00014cu
#define IDLE   3
#define BURST  4

static char directory[] = "/tmp/rtl-check-XXXXXX";
static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static FILE *create(const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file)
		exit(1);
	return file;
}

/* Writes three single packets, then four at once. Bodies take 10 cycles, the first, cold one 40. HER to feedback takes 30, cold 60. */
static void write_model(void)
{
	FILE *hers = create("hers.csv"), *packets = create("packets.csv"), *tasks = create("tasks.csv");

	fprintf(hers, "packet,her,...\n");
	fprintf(packets, "packet,fate,...\n");
	fprintf(tasks, "packet,kind,...\n");
	for (unsigned i = 0; i < IDLE + BURST; i++) {
		unsigned her = i < IDLE ? 20000 * (i + 1) : 20000 * (IDLE + 1) + i, latency = i ? 30 : 60;

		fprintf(hers, "%u,%u,%u,1,0x1c400000,64,64,0x0,0x%x,0x0,0x1c300000,1048576,0x5000000000,65536,0x0,64,0,0\n", i, her, i,
			ENTRY);
		fprintf(packets, "%u,handled,64,%u,%u,%u,%u,%u,\n", i, i, her - 5, her, her, her + latency);
		fprintf(tasks, "%u,payload,%u,0,0,%d,%u,%u,%u,%u,%u,%u,%u,%u,%u,3,0\n", i, i, !i, her, her, her, her, her + 5, her + 15,
			her + 20, her + latency, i ? 10 : 40);
	}
	fclose(hers);
	fclose(packets);
	fclose(tasks);
}

static void trace(FILE *to, unsigned cycle, unsigned pc, unsigned instruction)
{
	fprintf(to, "%21u %15u %08x %08x nop   x5=1d000300\n", cycle * 1000, cycle, pc, instruction);
}

/* Writes a task: the call, a body that jumps to its own entry once, the return, and the caller's next instructions. */
static void trace_task(FILE *to, unsigned start, unsigned cycles)
{
	trace(to, start - 3, CALLER, 0x000280e7); /* jalr ra, t0 */
	trace(to, start, ENTRY, 0x00000013);
	trace(to, start + 2, ENTRY + 4, 0xffdff06f); /* j ENTRY */
	trace(to, start + 4, ENTRY, 0x00000013);
	trace(to, start + 5, ENTRY + 8, 0x00008067); /* ret */
	trace(to, start + cycles, CALLER + 4, 0x00000013);
	trace(to, start + cycles + 1, CALLER + 8, 0x05042283);
}

/* Writes traces of two cores. The second single body takes one cycle more than predicted, and the burst takes `late` cycles more. */
static void write_rtl(unsigned late, int feedback)
{
	FILE *core[2] = { create("trace_core_00_0.log"), create("trace_core_00_1.log") }, *observed = create("observed.csv");

	fprintf(observed, "packet,her,feedback\n");
	for (unsigned c = 0; c < 2; c++) {
		fprintf(core[c], "                Time           Cycles PC       Instr    Mnemonic\n");
		trace(core[c], 70, 0x1d000080, 0xf14027f3);
		trace(core[c], 90, ENTRY, 0x00000013); /* not reached by a call, so it is not a body */
		trace(core[c], 91, CALLER + 4, 0x00000013);
	}
	for (unsigned i = 0; i < IDLE + BURST; i++) {
		unsigned her = i < IDLE ? 1000 + 400 * i : 5000 + i, latency = i ? 30 : 61;

		trace_task(core[i % 2], her + 10 + (i >= IDLE ? 20 * i : 0), i == 0 ? 24 : i == 2 ? 11 : 10);
		fprintf(observed, "%u,%u,%u\n", i, her,
			i == IDLE + BURST - 1 && !feedback ? 0 : her + latency + (i == IDLE + BURST - 1 ? late : 0));
	}
	fclose(core[0]);
	fclose(core[1]);
	fclose(observed);
}

static const struct rtl_row *find_row(const struct rtl_row *rows, size_t count, const char *stage)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].stage, stage))
			return &rows[i];
	printf("FAIL no row '%s'\n", stage);
	exit(1);
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void compare(unsigned late)
{
	struct rtl_row rows[RTL_ROWS_MAX];
	const struct rtl_row *row;
	struct rtl_series s;
	size_t count;

	write_rtl(late, 1);
	if (rtl_series__read_model(&s, directory) || rtl_series__read_rtl(&s, directory)) {
		check(0, "the series is read");
		return;
	}
	check(s.apart == IDLE && s.packets == IDLE + BURST, "which packets come alone");
	check(s.rtl_bodies.count == IDLE + BURST, "a body for each task, and none else");
	count = rtl_series__compare(&s, rows);
	check(count == 4, "four rows");
	row = find_row(rows, count, "payload body, idle, warm");
	check(is_near(row->rtl, 10.5) && is_near(row->model, 10), "bodies' means, without the cold one");
	check(is_near(row->error, 1 / 11.0) && !row->is_ok, "the largest error of a body, and not ok");
	row = find_row(rows, count, "HER to feedback, warm");
	check(is_near(row->rtl, 30) && is_near(row->model, 30) && row->is_ok, "HER to feedback, warm");
	row = find_row(rows, count, "HER to feedback, cold");
	check(is_near(row->rtl, 61) && is_near(row->model, 60) && row->is_ok, "HER to feedback, cold: 1.6 % is ok");
	row = find_row(rows, count, "burst, first HER to last feedback");
	check(is_near(row->rtl, 33 + late) && is_near(row->model, 33) && row->is_ok == !late, "the burst");
	rtl_series__free(&s);
}

static void no_feedback(void)
{
	struct rtl_series s;

	write_rtl(0, 0);
	check(!rtl_series__read_model(&s, directory) && rtl_series__read_rtl(&s, directory), "no feedback is not a result");
	rtl_series__free(&s);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(directory))
		return 1;
	write_model();
	compare(0);
	compare(3);
	no_feedback();
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) || failures;
}
