/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_SVG_FRAME_H
#define USER_LIB_SVG_FRAME_H

/* Internals of svg.c and its parts: the frame of a plot and its scales. */
#include <stdio.h>

/* In the plot's own units. */
enum {
	SVG_WIDTH = 640,
	SVG_HEIGHT = 360,
	SVG_LEFT = 80, /* the axis's label, and a tick's of seven digits */
	SVG_RIGHT = 26,
	SVG_TOP = 34,
	SVG_BOTTOM = 50,
	SVG_LEGEND_LINE = 18,
	SVG_LEGEND_COLUMN = 185
};

struct svg_scale {
	double low, high, step; /* step: between ticks of a linear one */
	int is_log;
	double from, to; /* where low and high are in the picture */
};

/* A scale of round numbers around low and high. */
struct svg_scale svg_scale__make(double low, double high, int is_log, double from, double to);
double svg_scale__at(const struct svg_scale *s, double value);
/* The same, of values beyond the scale, too: svg_scale__at() keeps them at its edge. */
double svg_scale__beyond(const struct svg_scale *s, double value);

void svg_frame__open(FILE *to, const char *title, unsigned legend_entries);
void svg_frame__ticks(FILE *to, const struct svg_scale *s, int is_vertical);
void svg_frame__labels(FILE *to, const char *x_label, const char *y_label);
/* mark: 0 a line, 1 dashed, 2 a square */
void svg_frame__legend(FILE *to, unsigned i, const char *name, int mark);
void svg_frame__close(FILE *to);

/* Colour number i. */
const char *svg_colour(unsigned i);

#endif
