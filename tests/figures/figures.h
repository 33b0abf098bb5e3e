/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_FIGURES_FIGURES_H
#define TESTS_FIGURES_FIGURES_H

/*
 * `make figures`: the papers' figures from the model. Tables on stdout, rows for
 * build/figures.json, plots in a directory. A row has the paper's value where its text states one,
 * with the place, and the reason where ours is another.
 */
#include <math.h>

#include "tests/common/measure.h"
#include "user/lib/svg.h"

#include "tests/common/bench.h"

#define FIGURES_NOTES_MAX 16

struct figures {
	struct measure measure;
	const char *directory;                /* of the plots */
	struct bench_image image;             /* of tests/figures/handlers.S */
	const char *notes[FIGURES_NOTES_MAX]; /* of the figure being printed */
	unsigned note_count;
	int failed; /* something could not be measured */
};

/* A table begins; the next one, or the end, prints its notes. */
void figure__begin(struct figures *f, const char *title);
void figure__end(struct figures *f);
/* Paper: NAN if its text says nothing; cite: the place; why: what a difference comes from, NULL if
 * there is none. */
void figure__row(struct figures *f, const char *name, double value, const char *unit, double paper, const char *cite, const char *why);
/* The last row is held to the paper's value: at most that. */
void figure__goal(struct figures *f);
/* The last row is held to a figure of ours: at least that. Printed with `ok` or how much is missing. */
void figure__goal_at_least(struct figures *f, double goal);
/* FOLDER/NAME.svg */
void figure__plot(struct figures *f, const char *name, const struct svg_plot *plot);
void figure__bars(struct figures *f, const char *name, const struct svg_bars *bars);

/* Runs and takes note of a failure; the result is then NANs. */
struct bench_result figure__run(struct figures *f, const struct pspin_target *target, const struct bench_run *run);
/* A built-in target with a value changed; ends the program if there is no memory. To be freed. */
struct pspin_target *figure__target(const char *name, const char *parameter, uint64_t value);
/* One more value of such a target. */
void figure__set(struct pspin_target *target, const char *parameter, uint64_t value);

void figure_latency(struct figures *f);   /* PsPIN 4.2.1 */
void figure_4(struct figures *f);         /* data copies */
void figure_6_and_8(struct figures *f);   /* handler duration, throughput, HPUs */
void figure_9(struct figures *f);         /* data out of the NIC */
void figure_10(struct figures *f);        /* instructions of whole handlers, and by area */
void figure_11_and_12(struct figures *f); /* whole handlers */
void figure_spin_4(struct figures *f);    /* HPUs needed */
void figure_spin_3d(struct figures *f);   /* accumulate */
void figure_spin_7a(struct figures *f);   /* a strided receive */

#endif
