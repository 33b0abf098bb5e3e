/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_SVG_FRAME_H
#define USER_LIB_SVG_FRAME_H

/*
 * Internal to svg.c, and checked by tests/unit/plots_have_round_axes.c: the frame of a plot, and the scales that convert values to
 * coordinates.
 */
#include <stdio.h>

/* In units of the SVG's viewBox. */
enum {
	SVG_WIDTH = 640,
	SVG_HEIGHT = 360,
	SVG_LEFT = 80, /* room for the axis label and a tick label of seven digits */
	SVG_RIGHT = 26,
	SVG_TOP = 34,
	SVG_BOTTOM = 50,
	SVG_LEGEND_LINE = 18,
	SVG_LEGEND_COLUMN = 185
};

/* The scale of one axis. */
struct svg_scale {
	double low, high, step; /* step: between the ticks of a linear scale */
	int is_log;
	double from, to; /* coordinates of low and high */
};

/* Returns a scale that covers low to high and ends at round numbers. */
struct svg_scale svg_scale__make(double low, double high, int is_log, double from, double to);
double svg_scale__at(const struct svg_scale *s, double value);
/* Same without clamping: svg_scale__at() keeps values beyond the scale at its edge. */
double svg_scale__beyond(const struct svg_scale *s, double value);

void svg_frame__open(FILE *to, const char *title, unsigned legend_entries);
void svg_frame__ticks(FILE *to, const struct svg_scale *s, int is_vertical);
void svg_frame__labels(FILE *to, const char *x_label, const char *y_label);
/* mark: 0: line, 1: dashed line, 2: square */
void svg_frame__legend(FILE *to, unsigned i, const char *name, int mark);
void svg_frame__close(FILE *to);

/* Returns colour number i; colours repeat after 8. */
const char *svg_colour(unsigned i);

#endif
