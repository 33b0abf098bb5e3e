/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_SVG_H
#define USER_LIB_SVG_H

/*
 * Writes plots as self-contained SVG, for the page of spinctl cost --html and the figures of tests/: a separate file or part of a page. A
 * plot is as wide as its container. Its text has the page's colour and is readable on light and dark pages. The same plot gives the same
 * bytes.
 */
#include <stdio.h>

/* Points in order of x; a y that is not finite leaves a gap. */
struct svg_series {
	const char *name;
	const double *x, *y;
	unsigned count;
	int is_dashed; /* 1: for a published value or a bound */
	int is_points; /* 1: marks without a line */
	int is_steps;  /* 1: a value holds until the next x */
};

/* A plot. */
struct svg_plot {
	const char *title, *x_label, *y_label;
	const struct svg_series *series;
	unsigned count;       /* colours repeat after 8 */
	int log_x, log_y;     /* 1: logarithmic; values must be above 0 */
	double y_low, y_high; /* range of y; lines are clipped to it. 0, 0: from 0 (logarithmic: the smallest value) to the largest */
};
void svg__plot(FILE *to, const struct svg_plot *plot);

/* One bar per group, of stacked parts. */
struct svg_bars {
	const char *title, *y_label;
	const char *const *groups, *const *parts;
	unsigned group_count, part_count;
	const double *values; /* [group * part_count + part], not below 0 */
	int is_side_by_side;  /* 1: parts are side by side, not stacked */
	double line;          /* a level to compare with; 0: none */
	const char *line_name;
};
void svg__bars(FILE *to, const struct svg_bars *bars);

/* Writes text escaped for XML. */
void svg__text(FILE *to, const char *text);

#endif
