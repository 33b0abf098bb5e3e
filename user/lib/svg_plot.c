/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <math.h>

#include "user/lib/svg.h"
#include "user/lib/svg_frame.h"

struct range {
	double low, high;
};

static void widen(struct range *r, double value)
{
	if (!isfinite(value))
		return;
	if (!(r->low <= value))
		r->low = value;
	if (!(r->high >= value))
		r->high = value;
}

static void ranges(const struct svg_plot *plot, struct range *x, struct range *y)
{
	*x = *y = (struct range){ NAN, NAN };
	for (unsigned i = 0; i < plot->count; i++) {
		for (unsigned j = 0; j < plot->series[i].count; j++) {
			widen(x, plot->series[i].x[j]);
			widen(y, plot->series[i].y[j]);
		}
	}
	if (plot->y_high > plot->y_low)
		*y = (struct range){ plot->y_low, plot->y_high };
	else if (!plot->log_y)
		widen(y, 0);
	if (!isfinite(x->low))
		*x = (struct range){ 1, 2 };
	if (!isfinite(y->low))
		*y = (struct range){ 1, 2 };
}

struct point {
	double x, y;
};

/* Where the line from `in`, inside the picture, to `out` leaves it at its upper or lower edge. */
static struct point edge(struct point in, struct point out, const struct svg_scale *y)
{
	double top = y->to, bottom = y->from, at = out.y < top ? top : bottom;

	return (struct point){ in.x + (out.x - in.x) * (at - in.y) / (out.y - in.y), at };
}

static int is_inside(struct point p, const struct svg_scale *y)
{
	return p.y >= y->to - 0.05 && p.y <= y->from + 0.05;
}

static void line(FILE *to, const struct svg_series *s, unsigned colour, const struct svg_scale *x, const struct svg_scale *y)
{
	struct point last = { 0, 0 };
	int is_down = 0, was_inside = 0;

	fprintf(to,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s "
		"d=\"",
		svg_colour(colour), s->is_dashed ? " stroke-dasharray=\"5 3\"" : "");
	for (unsigned i = 0; i < s->count; i++) {
		struct point p = { svg_scale__at(x, s->x[i]), svg_scale__beyond(y, s->y[i]) };
		int inside = is_inside(p, y);

		if (!isfinite(s->y[i])) {
			is_down = 0;
			continue;
		}
		if (is_down && s->is_steps)
			fprintf(to, "H%.1f", p.x);
		if (is_down && was_inside && !inside)
			fprintf(to, "L%.1f %.1f", edge(last, p, y).x, edge(last, p, y).y);
		if (is_down && !was_inside && inside)
			fprintf(to, "M%.1f %.1f", edge(p, last, y).x, edge(p, last, y).y);
		if (inside)
			fprintf(to, "%c%.1f %.1f", is_down ? 'L' : 'M', p.x, p.y);
		is_down = 1;
		was_inside = inside;
		last = p;
	}
	fputs("\"/>\n", to);
}

static void marks(FILE *to, const struct svg_series *s, unsigned colour, const struct svg_scale *x, const struct svg_scale *y)
{
	for (unsigned i = 0; i < s->count; i++)
		if (isfinite(s->y[i]))
			fprintf(to,
				"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%.6g: "
				"%.6g</title></circle>\n",
				svg_scale__at(x, s->x[i]), svg_scale__at(y, s->y[i]), svg_colour(colour), s->x[i], s->y[i]);
}

void svg__plot(FILE *to, const struct svg_plot *plot)
{
	struct svg_scale x, y;
	struct range xs, ys;

	ranges(plot, &xs, &ys);
	x = svg_scale__make(xs.low, xs.high, plot->log_x, SVG_LEFT, SVG_WIDTH - SVG_RIGHT);
	y = svg_scale__make(ys.low, ys.high, plot->log_y, SVG_HEIGHT - SVG_BOTTOM, SVG_TOP);
	svg_frame__open(to, plot->title, plot->count > 1 ? plot->count : 0);
	svg_frame__ticks(to, &x, 0);
	svg_frame__ticks(to, &y, 1);
	svg_frame__labels(to, plot->x_label, plot->y_label);
	for (unsigned i = 0; i < plot->count; i++) {
		const struct svg_series *s = &plot->series[i];

		if (!s->is_points)
			line(to, s, i, &x, &y);
		if (!s->is_steps && !s->is_dashed && s->count <= 64)
			marks(to, s, i, &x, &y);
		if (plot->count > 1)
			svg_frame__legend(to, i, s->name, s->is_points ? 2 : s->is_dashed);
	}
	svg_frame__close(to);
}
