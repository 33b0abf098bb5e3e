/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_FIGURES_FIGURES_H
#define TESTS_FIGURES_FIGURES_H

/*
 * `make figures`: computes the papers' figures from the model. Prints tables on stdout, and writes rows for build/figures.json and plots
 * in a directory. A row has the paper's value and its section if the text states one, and the reason if ours differs.
 */
#include <math.h>

#include "tests/common/measure/measure.h"
#include "user/lib/svg.h"

#include "tests/common/bench.h"

#define FIGURES_NOTES_MAX 16

struct figures {
	struct measure measure;
	const char *directory;                /* for the plots */
	struct bench_image image;             /* built from tests/figures/handlers.S */
	const char *notes[FIGURES_NOTES_MAX]; /* notes of the current figure */
	unsigned note_count;
	int failed; /* 1: something could not be measured */
};

/* Begins a table. Its notes are printed when the next table begins, or by figure__end(). */
void figure__begin(struct figures *f, const char *title);
void figure__end(struct figures *f);
/* paper: NAN if the text states no value. cite: the section. reason: why the values differ, or NULL. */
void figure__row(struct figures *f, const char *name, double value, const char *unit, double paper, const char *cite, const char *reason);
/* Sets the goal of the last row: at most the paper's value. */
void figure__goal(struct figures *f);
/* Sets the goal of the last row: at least `goal`, which is ours. Prints `ok` or `missed`. */
void figure__goal_at_least(struct figures *f, double goal);
/* Write DIRECTORY/NAME.svg. */
void figure__plot(struct figures *f, const char *name, const struct svg_plot *plot);
void figure__bars(struct figures *f, const char *name, const struct svg_bars *bars);

/* Runs a benchmark. If it fails, sets `failed`, and all values of the result are NAN. */
struct bench_result figure__run(struct figures *f, const struct pspin_target *target, const struct bench_run *run);
/* Returns a copy of a built-in target with one value changed. The caller frees it. Ends the program if memory is exhausted. */
struct pspin_target *figure__target(const char *name, const char *parameter, uint64_t value);
/* Changes one more value of such a target. */
void figure__set(struct pspin_target *target, const char *parameter, uint64_t value);

void figure_latency(struct figures *f);   /* PsPIN 4.2.1 */
void figure_4(struct figures *f);         /* data copies */
void figure_6_and_8(struct figures *f);   /* handler duration, throughput, HPUs */
void figure_9(struct figures *f);         /* data sent out of the NIC */
void figure_10(struct figures *f);        /* instructions of whole handlers, throughput by area */
void figure_11_and_12(struct figures *f); /* whole handlers */
void figure_spin_4(struct figures *f);    /* HPUs needed */
void figure_spin_3d(struct figures *f);   /* accumulate */
void figure_spin_7a(struct figures *f);   /* a strided receive */

#endif
