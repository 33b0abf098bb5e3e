/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Writes line and bar plots as SVG, for the cost report and the figures of tests/. The same plot gives the same bytes. */
#include <math.h>

#include "user/lib/svg.h"
#include "user/lib/svg_frame.h"
#include "user/lib/utf8.h"

/* After Okabe and Ito: colour-blind readers can distinguish them, on light and dark backgrounds. */
const char *svg_colour(unsigned i)
{
	static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c", "#b8a800" };

	return colours[i % (sizeof(colours) / sizeof(colours[0]))];
}

void svg__text(FILE *to, const char *text)
{
	for (unsigned length; text && *text; text += length ? length : 1) {
		length = utf8__length(text);
		switch (*text) {
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '&':
			fputs("&amp;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			if (length)
				fwrite(text, 1, length, to);
			else
				fputs(UTF8_REPLACEMENT, to);
		}
	}
}

/* Returns a step of 1, 2 or 5 times a power of ten that gives about six ticks. */
static double round_step(double span)
{
	double power = pow(10, floor(log10(span / 6))), part = span / 6 / power;

	return power * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1);
}

/* A logarithmic scale of at most this many decades has ticks at 1, 2 and 5 of each; a longer one at powers of ten only. */
#define DECADES_WITH_1_2_5 3

/* Rounds down (is_up: up) to 1, 2 or 5 times a power of ten. */
static double round_number(double value, int is_up)
{
	static const double parts[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(value) + 1e-9)), part = value / power;

	for (unsigned i = 0; i < 3; i++) {
		if (part <= parts[i] * (1 + 1e-9) && is_up)
			return parts[i] * power;
		if (part < parts[i + 1] * (1 - 1e-9))
			return parts[i + is_up] * power;
	}
	return 10 * power;
}

struct svg_scale svg_scale__make(double low, double high, int is_log, double from, double to)
{
	struct svg_scale s = { low, high, 0, is_log, from, to };

	if (is_log) {
		s.low = round_number(low > 0 ? low : 1, 0);
		s.high = round_number(high > s.low ? high : s.low * 2, 1);
		if (log10(s.high / s.low) > DECADES_WITH_1_2_5) {
			s.low = pow(10, floor(log10(s.low) + 1e-9));
			s.high = pow(10, ceil(log10(s.high) - 1e-9));
		}
		return s;
	}
	if (!(high > low))
		s.high = low + 1;
	s.step = round_step(s.high - s.low);
	s.low = floor(s.low / s.step + 1e-9) * s.step;
	s.high = ceil(s.high / s.step - 1e-9) * s.step;
	return s;
}

static double fraction(const struct svg_scale *s, double value)
{
	return s->is_log ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
}

double svg_scale__beyond(const struct svg_scale *s, double value)
{
	return s->from + fraction(s, value) * (s->to - s->from);
}

double svg_scale__at(const struct svg_scale *s, double value)
{
	double part = fraction(s, value);

	part = part < -0.02 ? -0.02 : part > 1.02 ? 1.02 : part;
	return s->from + part * (s->to - s->from);
}

void svg_frame__open(FILE *to, const char *title, unsigned legend_entries)
{
	const unsigned columns = (SVG_WIDTH - SVG_LEFT) / SVG_LEGEND_COLUMN;
	const unsigned height = SVG_HEIGHT + (legend_entries + columns - 1) / columns * SVG_LEGEND_LINE + 6;

	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"100%%\" "
		"role=\"img\" "
		"font-family=\"system-ui, sans-serif\" font-size=\"12\" "
		"fill=\"currentColor\">\n<title>",
		SVG_WIDTH, height);
	svg__text(to, title);
	fprintf(to, "</title>\n<text x=\"%d\" y=\"18\" font-size=\"14\" font-weight=\"600\">", SVG_LEFT);
	svg__text(to, title);
	fputs("</text>\n", to);
}

static void draw_tick(FILE *to, const struct svg_scale *s, double value, int is_vertical)
{
	double at = svg_scale__at(s, value);

	if (is_vertical)
		fprintf(to,
			"<path d=\"M%d %.1fH%d\" stroke=\"currentColor\" stroke-opacity=\".15\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
			SVG_LEFT, at, SVG_WIDTH - SVG_RIGHT, SVG_LEFT - 6, at + 4, value);
	else
		fprintf(to,
			"<path d=\"M%.1f %dV%d\" stroke=\"currentColor\" stroke-opacity=\".15\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
			at, SVG_TOP, SVG_HEIGHT - SVG_BOTTOM, at, SVG_HEIGHT - SVG_BOTTOM + 16, value);
}

void svg_frame__ticks(FILE *to, const struct svg_scale *s, int is_vertical)
{
	if (!s->is_log) {
		for (unsigned i = 0; s->low + i * s->step <= s->high + s->step / 2; i++)
			draw_tick(to, s, s->low + i * s->step, is_vertical);
		return;
	}
	for (double value = s->low; value <= s->high * 1.0001; value = round_number(value * 1.1, 1)) {
		double digit = value / pow(10, floor(log10(value) + 1e-9));

		if (log10(s->high / s->low) <= DECADES_WITH_1_2_5 || digit < 1.5)
			draw_tick(to, s, value, is_vertical);
	}
}

void svg_frame__labels(FILE *to, const char *x_label, const char *y_label)
{
	const int middle = (SVG_TOP + SVG_HEIGHT - SVG_BOTTOM) / 2;

	fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (SVG_LEFT + SVG_WIDTH - SVG_RIGHT) / 2,
		SVG_HEIGHT - SVG_BOTTOM + 36);
	svg__text(to, x_label);
	fprintf(to,
		"</text>\n<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 "
		"%d)\">",
		middle, middle);
	svg__text(to, y_label);
	fputs("</text>\n", to);
}

void svg_frame__legend(FILE *to, unsigned i, const char *name, int mark)
{
	const unsigned columns = (SVG_WIDTH - SVG_LEFT) / SVG_LEGEND_COLUMN;
	const unsigned x = SVG_LEFT + i % columns * SVG_LEGEND_COLUMN, y = SVG_HEIGHT + 4 + i / columns * SVG_LEGEND_LINE;

	if (mark == 2)
		fprintf(to, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/>", x + 4, y - 9, svg_colour(i));
	else
		fprintf(to, "<path d=\"M%u %uh18\" stroke=\"%s\" stroke-width=\"2.5\"%s/>", x, y - 4, svg_colour(i),
			mark ? " stroke-dasharray=\"5 3\"" : "");
	fprintf(to, "<text x=\"%u\" y=\"%u\">", x + 24, y);
	svg__text(to, name);
	fputs("</text>\n", to);
}

void svg_frame__close(FILE *to)
{
	fputs("</svg>\n", to);
}

static double max_height(const struct svg_bars *bars)
{
	double high = bars->line;

	for (unsigned g = 0; g < bars->group_count; g++) {
		double sum = 0;

		for (unsigned p = 0; p < bars->part_count; p++) {
			double value = bars->values[g * bars->part_count + p];

			sum = bars->is_side_by_side ? (value > sum ? value : sum) : sum + value;
		}
		high = sum > high ? sum : high;
	}
	return high;
}

static void draw_bar(FILE *to, const struct svg_bars *bars, unsigned part, double x, double width, double from, double value,
		     const struct svg_scale *y)
{
	const double top = svg_scale__at(y, from + value);

	fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>", x, top, width,
		svg_scale__at(y, from) - top, svg_colour(part));
	svg__text(to, bars->parts[part]);
	fprintf(to, ": %.6g</title></rect>\n", value);
}

static void draw_group(FILE *to, const struct svg_bars *bars, unsigned g, double x, double width, const struct svg_scale *y)
{
	const double part_width = bars->is_side_by_side ? width / bars->part_count : width;
	double from = 0;

	for (unsigned p = 0; p < bars->part_count; p++) {
		double value = bars->values[g * bars->part_count + p];

		if (value > 0)
			draw_bar(to, bars, p, bars->is_side_by_side ? x + p * part_width : x, part_width, from, value, y);
		if (!bars->is_side_by_side)
			from += value;
	}
	fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x + width / 2, SVG_HEIGHT - SVG_BOTTOM + 16);
	svg__text(to, bars->groups[g]);
	fputs("</text>\n", to);
}

void svg__bars(FILE *to, const struct svg_bars *bars)
{
	struct svg_scale y = svg_scale__make(0, max_height(bars), 0, SVG_HEIGHT - SVG_BOTTOM, SVG_TOP);
	const double room = (double)(SVG_WIDTH - SVG_LEFT - SVG_RIGHT) / (bars->group_count ? bars->group_count : 1);

	svg_frame__open(to, bars->title, bars->part_count > 1 || bars->line > 0 ? bars->part_count + 1 : 0);
	svg_frame__ticks(to, &y, 1);
	svg_frame__labels(to, "", bars->y_label);
	for (unsigned g = 0; g < bars->group_count; g++)
		draw_group(to, bars, g, SVG_LEFT + (g + 0.15) * room, 0.7 * room, &y);
	for (unsigned p = 0; p < bars->part_count && bars->part_count > 1; p++)
		svg_frame__legend(to, p, bars->parts[p], 2);
	if (bars->line > 0) {
		fprintf(to,
			"<path d=\"M%d %.1fH%d\" stroke=\"%s\" stroke-width=\"2\" "
			"stroke-dasharray=\"5 3\"/>\n",
			SVG_LEFT, svg_scale__at(&y, bars->line), SVG_WIDTH - SVG_RIGHT, svg_colour(bars->part_count));
		svg_frame__legend(to, bars->part_count, bars->line_name, 1);
	}
	svg_frame__close(to);
}

struct range {
	double low, high;
};

static void extend_range(struct range *r, double value)
{
	if (!isfinite(value))
		return;
	if (!(r->low <= value))
		r->low = value;
	if (!(r->high >= value))
		r->high = value;
}

static void find_ranges(const struct svg_plot *plot, struct range *x, struct range *y)
{
	*x = *y = (struct range){ NAN, NAN };
	for (unsigned i = 0; i < plot->count; i++) {
		for (unsigned j = 0; j < plot->series[i].count; j++) {
			extend_range(x, plot->series[i].x[j]);
			extend_range(y, plot->series[i].y[j]);
		}
	}
	if (plot->y_high > plot->y_low)
		*y = (struct range){ plot->y_low, plot->y_high };
	else if (!plot->log_y)
		extend_range(y, 0);
	if (!isfinite(x->low))
		*x = (struct range){ 1, 2 };
	if (!isfinite(y->low))
		*y = (struct range){ 1, 2 };
}

struct point {
	double x, y;
};

/* Returns the point where the line from `in`, inside the plot, to `out` crosses its upper or lower edge. */
static struct point clip_to_edge(struct point in, struct point out, const struct svg_scale *y)
{
	double top = y->to, bottom = y->from, at = out.y < top ? top : bottom;

	return (struct point){ in.x + (out.x - in.x) * (at - in.y) / (out.y - in.y), at };
}

static int is_inside(struct point p, const struct svg_scale *y)
{
	return p.y >= y->to - 0.05 && p.y <= y->from + 0.05;
}

static void draw_line(FILE *to, const struct svg_series *s, unsigned colour, const struct svg_scale *x, const struct svg_scale *y)
{
	struct point last = { 0, 0 };
	int is_pen_down = 0, was_inside = 0;

	fprintf(to,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s "
		"d=\"",
		svg_colour(colour), s->is_dashed ? " stroke-dasharray=\"5 3\"" : "");
	for (unsigned i = 0; i < s->count; i++) {
		struct point p = { svg_scale__at(x, s->x[i]), svg_scale__beyond(y, s->y[i]) };
		int inside = is_inside(p, y);

		if (!isfinite(s->y[i])) {
			is_pen_down = 0;
			continue;
		}
		if (is_pen_down && s->is_steps)
			fprintf(to, "H%.1f", p.x);
		if (is_pen_down && was_inside && !inside)
			fprintf(to, "L%.1f %.1f", clip_to_edge(last, p, y).x, clip_to_edge(last, p, y).y);
		if (is_pen_down && !was_inside && inside)
			fprintf(to, "M%.1f %.1f", clip_to_edge(p, last, y).x, clip_to_edge(p, last, y).y);
		if (inside)
			fprintf(to, "%c%.1f %.1f", is_pen_down ? 'L' : 'M', p.x, p.y);
		is_pen_down = 1;
		was_inside = inside;
		last = p;
	}
	fputs("\"/>\n", to);
}

static void draw_marks(FILE *to, const struct svg_series *s, unsigned colour, const struct svg_scale *x, const struct svg_scale *y)
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

	find_ranges(plot, &xs, &ys);
	x = svg_scale__make(xs.low, xs.high, plot->log_x, SVG_LEFT, SVG_WIDTH - SVG_RIGHT);
	y = svg_scale__make(ys.low, ys.high, plot->log_y, SVG_HEIGHT - SVG_BOTTOM, SVG_TOP);
	svg_frame__open(to, plot->title, plot->count > 1 ? plot->count : 0);
	svg_frame__ticks(to, &x, 0);
	svg_frame__ticks(to, &y, 1);
	svg_frame__labels(to, plot->x_label, plot->y_label);
	for (unsigned i = 0; i < plot->count; i++) {
		const struct svg_series *s = &plot->series[i];

		if (!s->is_points)
			draw_line(to, s, i, &x, &y);
		if (!s->is_steps && !s->is_dashed && s->count <= 64)
			draw_marks(to, s, i, &x, &y);
		if (plot->count > 1)
			svg_frame__legend(to, i, s->name, s->is_points ? 2 : s->is_dashed);
	}
	svg_frame__close(to);
}
