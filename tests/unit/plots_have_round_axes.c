/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests axes of plots: ticks must be multiples of 1, 2 or 5 times a power of ten, cover the values, and not overlap title and label. A line
 * that exceeds a limit must leave the picture there and not run along its edge. Run by tests/run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/lib/svg.h"
#include "user/lib/svg_frame.h"

#define TICKS_MAX   64
#define DIGIT_WIDTH 7.2 /* upper bound for the font of 12 units */

static int failures;

static void check(int ok, const char *plot, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s: %s\n", plot, what);
	failures++;
}

struct ticks {
	double value[TICKS_MAX], x[TICKS_MAX], y[TICKS_MAX];
	size_t digits[TICKS_MAX];
	unsigned count;
};

/* Reads the numbers at the grid: "end" for the vertical axis, "middle" for the horizontal one. */
static struct ticks read_ticks(const char *svg, const char *anchor)
{
	struct ticks t = { .count = 0 };
	char form[64];

	snprintf(form, sizeof(form), "text-anchor=\"%s\">", anchor);
	for (const char *at = strstr(svg, "stroke-opacity"); at && t.count < TICKS_MAX; at = strstr(at + 1, "stroke-opacity")) {
		const char *text = strstr(at, "<text x="), *end = strstr(at, "</text>"), *number;

		if (!text || !end || sscanf(text, "<text x=\"%lf\" y=\"%lf\"", &t.x[t.count], &t.y[t.count]) != 2)
			continue;
		number = strstr(text, form);
		if (!number || number > end)
			continue;
		number += strlen(form);
		t.value[t.count] = atof(number);
		t.digits[t.count++] = (size_t)(end - number);
	}
	return t;
}

/* Returns 1 if the value is 1, 2 or 5 times a power of ten. */
static int is_round(double value)
{
	double part = value / pow(10, floor(log10(value) + 1e-9));

	return fabs(part - 1) < 1e-5 || fabs(part - 2) < 1e-5 || fabs(part - 5) < 1e-5;
}

static void check_axis(const char *plot, const struct ticks *t, int is_log, double low, double high)
{
	check(t->count >= 2, plot, "fewer than two ticks");
	check(t->count <= 14, plot, "more ticks than fit");
	if (t->count < 2)
		return;
	check(t->value[0] <= low * (1 + 1e-9) + 1e-12, plot, "the first tick is above the values");
	check(t->value[t->count - 1] >= high * (1 - 1e-9), plot, "the last tick is below the values");
	for (unsigned i = 0; i < t->count; i++) {
		double step = t->value[1] - t->value[0], steps = t->value[i] / step;

		if (is_log)
			check(is_round(t->value[i]), plot, "a tick of a logarithmic axis is not a round number");
		else
			check(is_round(step) && fabs(steps - round(steps)) < 1e-3, plot, "a tick is not a multiple of a round step");
	}
}

/* Returns the plot as text. The next call overwrites it. */
static const char *draw(const struct svg_plot *plot)
{
	static char svg[65536];
	FILE *to = fmemopen(svg, sizeof(svg), "w");

	if (!to)
		exit(1);
	svg__plot(to, plot);
	fclose(to);
	return svg;
}

static void check_places(const char *plot, const char *svg)
{
	struct ticks y = read_ticks(svg, "end"), x = read_ticks(svg, "middle");
	double title_y = 0;
	const char *title = strstr(svg, "</title>\n<text");

	check(title && sscanf(title, "</title>\n<text x=\"%*d\" y=\"%lf\"", &title_y) == 1, plot, "no title");
	for (unsigned i = 0; i < y.count; i++) {
		check(y.y[i] - 12 > title_y, plot, "the title is over a tick");
		check(y.x[i] - DIGIT_WIDTH * (double)y.digits[i] > 14 + 6, plot, "the axis's label is over a tick");
	}
	for (unsigned i = 1; i < x.count; i++)
		check(x.x[i] - x.x[i - 1] > DIGIT_WIDTH * (double)(x.digits[i] + x.digits[i - 1]) / 2, plot, "ticks run into each other");
}

static void ranges(void)
{
	static const struct {
		const char *name;
		double x[2], y[2];
		int log_x, log_y;
	} plots[] = {
		{ "sizes", { 62, 1030 }, { 12.3, 397.2 }, 1, 0 }, { "large", { 1, 8 }, { 0, 8123456 }, 0, 0 },
		{ "small", { 0, 1 }, { 0, 0.000231 }, 0, 0 },     { "decades", { 3, 7.1e6 }, { 0.02, 91000 }, 1, 1 },
		{ "one point", { 64, 64 }, { 5, 5 }, 1, 0 },      { "narrow", { 1000, 1010 }, { 99, 101 }, 0, 0 },
		{ "wide log", { 1e-3, 1e9 }, { 1, 2 }, 1, 1 },    { "exact", { 10, 1000 }, { 0, 100 }, 1, 0 },
	};

	for (unsigned i = 0; i < sizeof(plots) / sizeof(plots[0]); i++) {
		struct svg_series series = { .name = "s", .x = plots[i].x, .y = plots[i].y, .count = 2 };
		struct svg_plot plot = { .title = "T",
					 .x_label = "x",
					 .y_label = "y",
					 .series = &series,
					 .count = 1,
					 .log_x = plots[i].log_x,
					 .log_y = plots[i].log_y };
		const char *svg = draw(&plot);
		struct ticks x = read_ticks(svg, "middle"), y = read_ticks(svg, "end");

		check_axis(plots[i].name, &x, plot.log_x, plots[i].x[0], plots[i].x[1]);
		check_axis(plots[i].name, &y, plot.log_y, plots[i].y[0], plots[i].y[1]);
		check_places(plots[i].name, svg);
	}
}

/* A line from (0, 0) to (10, 100) in a picture up to 50 must end at (5, 50), and return from there. */
static void beyond(void)
{
	static const double x[] = { 0, 10, 20 }, y[] = { 0, 100, 0 };
	struct svg_series series = { .name = "s", .x = x, .y = y, .count = 3, .is_dashed = 1 };
	struct svg_plot plot = { .title = "T", .x_label = "x", .y_label = "y", .series = &series, .count = 1, .y_high = 50 };
	const double middle = SVG_LEFT + (SVG_WIDTH - SVG_RIGHT - SVG_LEFT) / 4.0;
	const char *svg = draw(&plot), *dashed = strstr(svg, "stroke-dasharray"), *path = dashed ? strstr(dashed, "d=\"M") : NULL;
	double at[4][2] = { { 0 } };

	check(path && sscanf(path, "d=\"M%lf %lfL%lf %lfM%lf %lfL%lf %lf\"", &at[0][0], &at[0][1], &at[1][0], &at[1][1], &at[2][0],
			     &at[2][1], &at[3][0], &at[3][1]) == 8,
	      "beyond", "not a line out of the picture and one into it");
	check(fabs(at[1][0] - middle) < 0.2 && fabs(at[1][1] - SVG_TOP) < 0.2, "beyond", "the line is bent, or ends elsewhere");
	check(fabs(at[2][1] - SVG_TOP) < 0.2 && at[2][0] > at[1][0], "beyond", "the line does not come back from the edge");
}

int main(void)
{
	ranges();
	beyond();
	return failures != 0;
}
