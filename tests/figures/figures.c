/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * figures FILE.json DIRECTORY: computes all figures of the papers from the model, and writes them as tables, rows and plots. Run by
 * `make figures`. Fails only if something could not be measured.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/figures/figures.h"

static const char not_measured[] = "could not be measured";

void figure__end(struct figures *f)
{
	for (unsigned i = 0; i < f->note_count; i++)
		printf("  [%u] %s\n", i + 1, f->notes[i]);
	f->note_count = 0;
}

void figure__begin(struct figures *f, const char *title)
{
	figure__end(f);
	printf("\n%s\n%-46s %12s %-10s %10s %8s  %s\n", title, "", "ours", "", "paper", "error", "stated in");
}

/* Returns the number of the note, and adds it if it is new. figure__end() prints each note once. */
static unsigned add_note(struct figures *f, const char *reason)
{
	for (unsigned i = 0; i < f->note_count; i++)
		if (!strcmp(f->notes[i], reason))
			return i + 1;
	if (f->note_count == FIGURES_NOTES_MAX)
		return 0;
	f->notes[f->note_count++] = reason;
	return f->note_count;
}

void figure__row(struct figures *f, const char *name, double value, const char *unit, double paper, const char *cite, const char *reason)
{
	struct measure_row *row = measure_add(&f->measure, name, value, unit);

	if (!isfinite(value)) {
		printf("%-46s %12s %-10s%21s [%u]\n", name, "-", unit, "", add_note(f, not_measured));
		return;
	}
	printf("%-46s %12.5g %-10s", name, value, unit);
	if (isfinite(paper)) {
		measure_baseline(row, paper);
		row->error = value / paper - 1;
		printf(" %10.5g %+7.1f%%  %s", paper, row->error * 100, cite ? cite : "");
	}
	if (reason)
		printf("%*s [%u]", isfinite(paper) ? 0 : 21, "", add_note(f, reason));
	putchar('\n');
}

void figure__goal(struct figures *f)
{
	struct measure_row *row = &f->measure.row[f->measure.rows - 1];

	measure_goal(row, MEASURE_AT_MOST, row->baseline, row->value);
}

void figure__goal_at_least(struct figures *f, double goal)
{
	struct measure_row *row = &f->measure.row[f->measure.rows - 1];

	measure_goal(row, MEASURE_AT_LEAST, goal, row->value);
	printf("%46s %12.5g %-10s %s\n", "at least", goal, row->unit, row->ok == 1 ? "ok" : "missed");
}

static FILE *open_plot(struct figures *f, const char *name)
{
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s.svg", f->directory, name);
	to = fopen(path, "w");
	if (!to) {
		fprintf(stderr, "cannot write %s: %s\n", path, strerror(errno));
		f->failed = 1;
	}
	return to;
}

void figure__plot(struct figures *f, const char *name, const struct svg_plot *plot)
{
	FILE *to = open_plot(f, name);

	if (!to)
		return;
	svg__plot(to, plot);
	if (fclose(to))
		f->failed = 1;
}

void figure__bars(struct figures *f, const char *name, const struct svg_bars *bars)
{
	FILE *to = open_plot(f, name);

	if (!to)
		return;
	svg__bars(to, bars);
	if (fclose(to))
		f->failed = 1;
}

struct bench_result figure__run(struct figures *f, const struct pspin_target *target, const struct bench_run *run)
{
	struct bench_result result = { 0 };
	char err[512] = "";

	if (bench__run(&f->image, target, run, &result, err, sizeof(err))) {
		fprintf(stderr, "figures: on %s, %s of %u bytes: %s\n", pspin_target__name(target), run->handler, run->packet_bytes, err);
		f->failed = 1;
		result = (struct bench_result){ .latency_ns = NAN, .body_cycles = NAN, .gbps = NAN, .packets_per_ns = NAN };
	}
	return result;
}

void figure__set(struct pspin_target *target, const char *parameter, uint64_t value)
{
	char err[256] = "no memory";

	if (target && !pspin_target__set(target, parameter, value, err, sizeof(err)) && !pspin_target__check(target, err, sizeof(err)))
		return;
	fprintf(stderr, "figures: %s with another %s: %s\n", target ? pspin_target__name(target) : "a target", parameter, err);
	exit(1);
}

struct pspin_target *figure__target(const char *name, const char *parameter, uint64_t value)
{
	struct pspin_target *target = pspin_target__copy(pspin_target__find(name));

	figure__set(target, parameter, value);
	return target;
}

int main(int argc, char **argv)
{
	struct figures f = { .directory = argc == 3 ? argv[2] : NULL };
	int err;

	if (argc != 3) {
		fprintf(stderr, "usage: figures FILE.json DIRECTORY\n");
		return 2;
	}
	if ((mkdir(f.directory, 0777) && errno != EEXIST) || bench_image__read(&f.image, "tests/figures/handlers.elf"))
		return 1;
	measure_begin(&f.measure, "figures");
	figure_latency(&f);
	figure_4(&f);
	figure_6_and_8(&f);
	figure_9(&f);
	figure_10(&f);
	figure_11_and_12(&f);
	figure_spin_3d(&f);
	figure_spin_4(&f);
	figure_spin_7a(&f);
	figure__end(&f);
	free(f.image.elf);
	err = measure_write(&f.measure, argv[1]);
	if (err)
		fprintf(stderr, "cannot write %s: %s\n", argv[1], strerror(-err));
	else
		printf("\nrows in %s, plots in %s/\n", argv[1], f.directory);
	return err || f.failed;
}
