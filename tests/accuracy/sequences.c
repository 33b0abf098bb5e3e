/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rows of sequences.def. */
#include "accuracy.h"

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

#define ROW_OF(group, name, measured, times, of, less)                                             \
	{group, #name, measured, "cycles", 0, measure, {"sequence_" #name}, {times, of, less}, 1.0 / (times)},
#define SEQUENCE(group, name, measured, times, less, text) ROW_OF(group, name, measured, times, 1, less)
#define SUM(group, name, measured, words, less, text) ROW_OF(group, name, measured, 1, words, less)

const struct row sequence_rows[] = {
#include "sequences.def"
	{0}};
