/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes the page of spinctl cost --sweep --html: throughput and latency over the first parameter (axis) that varies, one line per
 * combination of the others. Called by measure.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/lib/svg.h"
#include "user/lib/atomic_file.h"
#include "user/cost/sweep.h"
#include "user/tool/error.h"

#define LINES_MAX  8
#define NAME_BYTES 128

/* The start of the page, with its style sheet. */
static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>spinctl "
			   "cost --sweep</title>\n<style>\n"
			   ":root { color-scheme: light dark; }\n"
			   "body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; "
			   "padding: 0 1rem; }\n"
			   "h1 { font-size: 1.4rem; } .table { overflow-x: auto; }\n"
			   "table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
			   "th, td { text-align: right; padding: .15rem .7rem; border-bottom: 1px solid #8884; "
			   "white-space: nowrap; }\n"
			   "</style></head><body>\n";

/* A line in the plots consists of the points that differ only in the plotted axis. */
struct plots {
	const struct cost_sweep *sweep;
	unsigned along;  /* the plotted axis */
	unsigned stride; /* distance between the indices of neighbours on that axis */
	unsigned lines;
	double *x, *y; /* of all lines, one after the other */
	char (*names)[NAME_BYTES];
};

static unsigned stride_of(const struct cost_sweep *sweep, unsigned axis)
{
	unsigned stride = 1;

	for (unsigned a = axis + 1; a < sweep->axes; a++)
		stride *= sweep->axis[a].count;
	return stride;
}

static void name_line(struct plots *p, unsigned line, unsigned first)
{
	size_t at = 0;

	for (unsigned a = 0; a < p->sweep->axes && at < NAME_BYTES; a++)
		if (a != p->along && p->sweep->axis[a].count > 1)
			at += (size_t)snprintf(p->names[line] + at, NAME_BYTES - at, "%s%s=%" PRIu64, at ? " " : "", p->sweep->axis[a].name,
					       cost_sweep__value(p->sweep, first, a));
}

static double gbps(const struct cost_sweep_result *r)
{
	return r->throughput.gbps;
}

static double latency(const struct cost_sweep_result *r)
{
	return (double)r->latency_ps.median / 1000;
}

static void plot_lines(FILE *to, struct plots *p, const char *title, const char *unit, double (*value)(const struct cost_sweep_result *))
{
	const struct cost_axis *axis = &p->sweep->axis[p->along];
	struct svg_series series[LINES_MAX] = { 0 };
	struct svg_plot plot = { .title = title, .x_label = axis->name, .y_label = unit, .series = series };

	for (unsigned i = 0; axis->count && i < p->sweep->points && plot.count < p->lines; i++) {
		double *x = p->x + plot.count * axis->count, *y = p->y + plot.count * axis->count;

		if (i / p->stride % axis->count)
			continue; /* not the first point of a line */
		name_line(p, plot.count, i);
		for (unsigned j = 0; j < axis->count; j++) {
			x[j] = (double)axis->values[j];
			y[j] = value(&p->sweep->results[i + j * p->stride]);
		}
		series[plot.count] = (struct svg_series){ .name = p->names[plot.count], .x = x, .y = y, .count = axis->count };
		plot.count++;
	}
	svg__plot(to, &plot);
}

static void write_table(FILE *to, const struct cost_sweep *sweep)
{
	fputs("<div class=\"table\"><table><tr>", to);
	for (unsigned a = 0; a < sweep->axes; a++)
		fprintf(to, "<th>%s</th>", sweep->axis[a].name);
	fputs("<th>median cycles</th><th>median latency ns</th><th>Gbit/s</th><th>Mpkt/s</th><th>HPUs "
	      "busy</th><th>bound</th></tr>\n",
	      to);
	for (unsigned i = 0; i < sweep->points; i++) {
		const struct cost_sweep_result *r = &sweep->results[i];
		char bound[COST_BOUND_TEXT];

		fputs("<tr>", to);
		for (unsigned a = 0; a < sweep->axes; a++)
			fprintf(to, "<td>%" PRIu64 "</td>", cost_sweep__value(sweep, i, a));
		fprintf(to,
			"<td>%" PRIu64 "</td><td>%.1f</td><td>%.1f</td><td>%.2f</td><td>%.1f</"
			"td><td>%s</td></tr>\n",
			r->cycles.median, latency(r), gbps(r), r->throughput.packets_per_us, r->hpus_busy,
			cost_bound_name(&r->throughput, bound));
	}
	fputs("</table></div>\n", to);
}

/* Describes what was run and what the figures measure. */
static void write_description(FILE *to, const struct cost_report *r)
{
	char packets[160];

	fputs("<p>Rule <code>", to);
	svg__text(to, r->rule);
	fputs("</code>; target <code>", to);
	svg__text(to, r->target);
	fprintf(to, "</code>, unless an axis changes it: %u HPUs at %g GHz; ", r->hpus, r->clock_ghz);
	if (r->trace) {
		fputs("trace <code>", to);
		svg__text(to, r->trace);
		fputs("</code>", to);
	} else {
		cost_packets__describe(r, packets, sizeof(packets));
		fputs(packets, to);
	}
	fputs(". Cycles and latency are medians of packets that come one after the other; the rest is under load.</p>\n", to);
}

static int write_page(FILE *to, const struct cost_sweep *sweep)
{
	struct plots p = { .sweep = sweep };

	while (p.along + 1 < sweep->axes && sweep->axis[p.along].count == 1)
		p.along++;
	p.stride = stride_of(sweep, p.along);
	p.lines = sweep->points / sweep->axis[p.along].count;
	p.lines = p.lines > LINES_MAX ? LINES_MAX : p.lines;
	p.x = calloc((size_t)p.lines * sweep->axis[p.along].count, sizeof(*p.x));
	p.y = calloc((size_t)p.lines * sweep->axis[p.along].count, sizeof(*p.y));
	p.names = calloc(p.lines, sizeof(*p.names));
	if (p.x && p.y && p.names) {
		fputs(head, to);
		fputs("<h1>", to);
		svg__text(to, sweep->base->handler);
		fputs(" on ", to);
		svg__text(to, sweep->base->target);
		fputs("</h1>\n", to);
		write_description(to, sweep->base);
		plot_lines(to, &p, "Throughput", "Gbit/s", gbps);
		plot_lines(to, &p, "Latency on an idle NIC (median)", "ns", latency);
		if (sweep->points / sweep->axis[p.along].count > LINES_MAX)
			fprintf(to,
				"<p>The plots have the first %d of %u lines; the table has all "
				"points.</p>\n",
				LINES_MAX, sweep->points / sweep->axis[p.along].count);
		write_table(to, sweep);
		fputs("</body></html>\n", to);
	}
	free(p.names);
	free(p.y);
	free(p.x);
	return p.names ? 0 : -ENOMEM;
}

int cost_sweep__html(const struct cost_sweep *sweep, const char *path)
{
	struct atomic_file file;
	char temporary[64];
	int err;

	snprintf(temporary, sizeof(temporary), ".spinctl-sweep-%d", (int)getpid());
	err = atomic_file__open(&file, path, temporary);
	if (!err) {
		err = write_page(file.file, sweep);
		if (!err && fflush(file.file))
			err = -errno;
		if (!err)
			err = atomic_file__publish(&file);
		atomic_file__close(&file);
	}
	return err ? report_error("cannot write %s: %s", path, atomic_file__reason(err)) : DONE;
}
