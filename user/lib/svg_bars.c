/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "user/lib/svg.h"
#include "user/lib/svg_frame.h"

static double highest(const struct svg_bars *bars)
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

static void bar(FILE *to, const struct svg_bars *bars, unsigned part, double x, double width, double from, double value,
		const struct svg_scale *y)
{
	const double top = svg_scale__at(y, from + value);

	fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>", x, top, width,
		svg_scale__at(y, from) - top, svg_colour(part));
	svg__text(to, bars->parts[part]);
	fprintf(to, ": %.6g</title></rect>\n", value);
}

static void group(FILE *to, const struct svg_bars *bars, unsigned g, double x, double width, const struct svg_scale *y)
{
	const double part_width = bars->is_side_by_side ? width / bars->part_count : width;
	double from = 0;

	for (unsigned p = 0; p < bars->part_count; p++) {
		double value = bars->values[g * bars->part_count + p];

		if (value > 0)
			bar(to, bars, p, bars->is_side_by_side ? x + p * part_width : x, part_width, from, value, y);
		if (!bars->is_side_by_side)
			from += value;
	}
	fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x + width / 2, SVG_HEIGHT - SVG_BOTTOM + 16);
	svg__text(to, bars->groups[g]);
	fputs("</text>\n", to);
}

void svg__bars(FILE *to, const struct svg_bars *bars)
{
	struct svg_scale y = svg_scale__make(0, highest(bars), 0, SVG_HEIGHT - SVG_BOTTOM, SVG_TOP);
	const double room = (double)(SVG_WIDTH - SVG_LEFT - SVG_RIGHT) / (bars->group_count ? bars->group_count : 1);

	svg_frame__open(to, bars->title, bars->part_count > 1 || bars->line > 0 ? bars->part_count + 1 : 0);
	svg_frame__ticks(to, &y, 1);
	svg_frame__labels(to, "", bars->y_label);
	for (unsigned g = 0; g < bars->group_count; g++)
		group(to, bars, g, SVG_LEFT + (g + 0.15) * room, 0.7 * room, &y);
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
