/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calibration rows of short instruction sequences on one idle HPU (sequences.def), and of sums over words as gcc compiles them: cycles
 * measured on PsPIN's RTL, compared with the model's. Run by accuracy.c. See hwmodel/README.md, "Core".
 */
#include "tests/accuracy/accuracy.h"

static double body(struct machine *machine, const char *function)
{
	const struct ended *ended;

	run_at_once(machine, function, 1, 1, 64);
	ended = machine__task(machine, 0, SOC_PAYLOAD);
	return (double)(ended->task.returned - ended->task.first);
}

static void measure(struct machine *machine, const struct row *row, struct values *out)
{
	double repetitions = (double)row->arg[0], of = (double)row->arg[1], less = (double)row->arg[2];
	double with = body(machine, row->text[0]);

	values__add(out, (with - body(machine, "sequence_base")) / repetitions / of - less / of);
}

/* Cycles per word of the compiler's code for a sum: the difference between a length and twice that length. */
static void sum(struct machine *machine, const struct row *row, struct values *out)
{
	struct soc_context *context = (struct soc_context *)machine__context(machine, NULL, row->text[0], NULL, WHOLE);
	double cycles[3]; /* the first run has cold lines in its loop */

	machine__warm(machine, row->text[0]);
	for (unsigned i = 0; i < 3; i++) {
		const struct ended *ended;

		context->handler_mem_bytes = i == 1 ? 64 : 128;
		machine__group(machine, &(struct packet){ 0, context, 64, 1 }, 1);
		ended = machine__task(machine, 0, SOC_PAYLOAD);
		cycles[i] = (double)(ended->task.returned - ended->task.first);
	}
	values__add(out, (cycles[2] - cycles[1]) / 64);
}

#define COMPILED(name, measured)                           \
	{                                                  \
		"core", #name, measured, "cycles", 0, sum, \
		{                                          \
#name                              \
		}                                          \
	}
#define ROW_OF(group, name, measured, times, of, less) \
	{ group, #name, measured, "cycles", 0, measure, { "sequence_" #name }, { times, of, less }, 1.0 / (times) },
#define SEQUENCE(group, name, measured, times, less, text) ROW_OF(group, name, measured, times, 1, less)
#define SUM(group, name, measured, words, less, text)      ROW_OF(group, name, measured, 1, words, less)

/* clang-format off */
const struct row sequence_rows[] = {
#include "tests/accuracy/sequences.def"
	COMPILED(sum_o2, "6"),
	COMPILED(sum_o3, "6"),
	COMPILED(sum_by_4, "3"),
	COMPILED(sum_unrolled, "2.5"),
	{0}};

/* clang-format on */