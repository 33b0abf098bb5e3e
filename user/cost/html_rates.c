/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Writes sections of the page of spinctl cost --html: plots and tables of throughput and latency. Called by html.c. */
#include <math.h>

#include "user/cost/html.h"
#include "user/cost/tables.h"

#define CURVE_POINTS 40 /* points of a curve over handler length */

/* Plots throughput against packet size: measured, and the limit of the HPUs alone. */
static void plot_sizes(FILE *to, const struct cost_report *r)
{
	double x[COST_SIZES_MAX + 1], reached[COST_SIZES_MAX + 1], hpus[COST_SIZES_MAX + 1], line[COST_RATES][2], ends[2];
	static const char *const names[COST_RATES] = { "100 Gbit/s", "200 Gbit/s", "400 Gbit/s" };
	struct svg_series series[2 + COST_RATES] = { { .name = "reached", .x = x, .y = reached },
						     { .name = "HPUs alone", .x = x, .y = hpus, .is_dashed = 1 } };
	struct svg_plot plot = {
		"Throughput against packet size", "bytes of a packet, mean, from the IP header on", "Gbit/s", series, 2, .log_x = 1
	};
	double max = 0;
	char alone[64];
	unsigned n = 0;

	for (unsigned i = 0; i < r->point_count || (!i && !r->point_count); i++) {
		const struct cost_point *p = r->point_count ? &r->points[i] : &r->main;
		double cycles_ns = p->alone.warm_with_runtime_mean / r->clock_ghz;

		x[n] = p->alone.packet_bytes_mean;
		reached[n] = p->throughput.gbps;
		hpus[n] = r->hpus * 8 * p->alone.packet_bytes_mean / cycles_ns;
		max = fmax(max, hpus[n]);
		plot.y_high = fmax(plot.y_high, 1.1 * reached[n++]);
	}
	/* scale the y axis by the measured rate: the HPUs' limit may be far higher and would flatten the measured curve */
	plot.y_high = fmax(plot.y_high, 1.1 * r->main.rates[COST_RATES - 1].gbps);
	snprintf(alone, sizeof(alone), "HPUs alone, up to %.0f", max);
	series[1].name = alone;
	series[0].count = series[1].count = n;
	ends[0] = x[0];
	ends[1] = x[n - 1];
	for (unsigned i = 0; i < COST_RATES && n > 1; i++) {
		line[i][0] = line[i][1] = r->main.rates[i].gbps;
		series[plot.count++] = (struct svg_series){ .name = names[i], .x = ends, .y = line[i], .count = 2, .is_dashed = 1 };
	}
	fputs("<div>", to);
	svg__plot(to, &plot);
	fputs("</div>\n", to);
}

/* Plots the throughput limit of all HPUs against handler cycles, one curve per size, and marks the measured handlers. */
static void plot_lengths(FILE *to, const struct cost_report *r)
{
	static const unsigned sizes[] = { 64, 256, 1024 };
	static const char *const names[] = { "64 bytes", "256 bytes", "1024 bytes" };
	double x[CURVE_POINTS], y[3][CURVE_POINTS], own_x[COST_SIZES_MAX + 1], own_y[COST_SIZES_MAX + 1];
	struct svg_series series[4];
	struct svg_plot plot = {
		"Throughput against handler length", "cycles of a packet’s handlers, mean", "Gbit/s", series, 4, .log_x = 1
	};
	unsigned n = 0;

	plot.y_high = 500; /* no link is faster; curves may leave the plot at the top */
	for (unsigned i = 0; i < CURVE_POINTS; i++) {
		x[i] = 8 * pow(2, i * 10.0 / (CURVE_POINTS - 1));
		for (unsigned s = 0; s < 3; s++)
			y[s][i] = r->hpus * 8.0 * sizes[s] * r->clock_ghz / (x[i] + r->runtime_cycles);
	}
	for (unsigned s = 0; s < 3; s++)
		series[s] = (struct svg_series){ .name = names[s], .x = x, .y = y[s], .count = CURVE_POINTS, .is_dashed = 1 };
	for (unsigned i = 0; i < r->point_count || (!i && !r->point_count); i++) {
		const struct cost_point *p = r->point_count ? &r->points[i] : &r->main;

		own_x[n] = fmax(8, p->alone.packet_cycles.mean);
		plot.y_high = fmax(plot.y_high, 1.1 * p->throughput.gbps);
		own_y[n++] = p->throughput.gbps;
	}
	series[3] = (struct svg_series){ .name = "reached, by size", .x = own_x, .y = own_y, .count = n, .is_points = 1 };
	fputs("<div>", to);
	svg__plot(to, &plot);
	fputs("</div>\n", to);
}

static void write_fits(FILE *to, const struct cost_report *r)
{
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->fits[k].is_known)
			fprintf(to, "<p>%s handler: <b>%.1f + %.4f per byte</b> median cycles, at most %.1f off at these sizes.</p>\n",
				cost_task_name(k), r->fits[k].a, r->fits[k].b, r->fits[k].worst_residual);
}

void cost_html__throughput(FILE *to, const struct cost_report *r)
{
	char name[32];

	html__heading(to, r, "throughput", "Throughput");
	if (!r->contexts) { /* with several contexts the measured rate is not the rate of all HPUs */
		fputs("<div class=\"plots\">\n", to);
		plot_sizes(to, r);
		plot_lengths(to, r);
		fputs("</div>\n", to);
	}
	cost_table__page(
		to, cost_size_columns,
		"By packet size: a packet’s cycles (medians) warm, cold and loaded; latency on an idle NIC (median); millions of packets "
		"per second as fast as the NIC takes them; energy at most; whether 100, 200 and 400 Gbit/s are reached",
		"mean bytes");
	snprintf(name, sizeof(name), "%.0f (as given)", r->main.alone.packet_bytes_mean);
	cost_table__page_row(to, cost_size_columns, name, &r->main);
	for (unsigned i = 0; i < r->point_count; i++) {
		snprintf(name, sizeof(name), "%.0f", r->points[i].alone.packet_bytes_mean);
		cost_table__page_row(to, cost_size_columns, name, &r->points[i]);
	}
	html__table_end(to);
	write_fits(to, r);
	fprintf(to,
		"<p class=\"soft\">Energy is an upper bound: %.1f W all the time, for as long as a packet takes at full rate."
		"</p>\n</section>\n",
		(double)r->power_mw / 1e3);
}

/* Plots the latency stages as stacked bars: the given packets alone and cold, then each size alone. Omits empty stages. */
static void plot_stages(FILE *to, const struct cost_report *r)
{
	double values[(COST_SIZES_MAX + 3) * COST_STAGES], all[COST_SIZES_MAX + 3][COST_STAGES];
	const char *groups[COST_SIZES_MAX + 3], *parts[COST_STAGES];
	char names[COST_SIZES_MAX][16];
	struct svg_bars bars = { "Latency by stage", "ns, mean", groups, parts, .values = values };
	unsigned n = 0, used[COST_STAGES] = { 0 };
	const double *views[COST_SIZES_MAX + 3];

	groups[n] = "alone";
	views[n++] = r->main.alone.stage_ps_mean;
	groups[n] = "cold";
	views[n++] = r->main.cold.stage_ps_mean;
	for (unsigned i = 0; i < r->point_count; i++) {
		snprintf(names[i], sizeof(names[i]), "%.0f B", r->points[i].alone.packet_bytes_mean);
		groups[n] = names[i];
		views[n++] = r->points[i].alone.stage_ps_mean;
	}
	for (unsigned s = 0; s < COST_STAGES; s++) {
		double max = 0;

		for (unsigned g = 0; g < n; g++)
			max = fmax(max, all[g][s] = views[g][s] / 1e3);
		if (max > 0) {
			used[bars.part_count] = s;
			parts[bars.part_count++] = cost_stage_name(s);
		}
	}
	for (unsigned g = 0; g < n; g++)
		for (unsigned p = 0; p < bars.part_count; p++)
			values[g * bars.part_count + p] = all[g][used[p]];
	bars.group_count = n;
	fputs("<div>", to);
	svg__bars(to, &bars);
	fputs("</div>\n", to);
}

void cost_html__latency(FILE *to, const struct cost_report *r)
{
	static const char *const columns[] = { "stage", "ns alone", "ns cold", "ns loaded", "<what it is", NULL };
	const struct cost_point *p = &r->main;

	html__heading(to, r, "latency", "Latency of a packet, first bit in to last byte out");
	fputs("<div class=\"plots\">\n", to);
	plot_stages(to, r);
	fputs("<div>", to);
	html__table(to, "Mean time in each stage, of the packets given", columns);
	for (unsigned s = 0; s < COST_STAGES; s++)
		cost_breakdown__page_row(to, &cost_stages, p, s);
	html__row(to, "all");
	html__cell(to, "%.2f", p->alone.latency_ps.mean / 1e3);
	html__cell(to, "%.2f", p->cold.latency_ps.mean / 1e3);
	html__cell(to, "%.2f", p->loaded.latency_ps.mean / 1e3);
	fputs("<td class=\"text\"></td></tr>\n", to);
	html__table_end(to);
	fprintf(to, "</div>\n</div>\n<p>Median %.1f ns alone, %.1f ns under load; 99th percentile %.1f and %.1f ns.</p>\n</section>\n",
		(double)p->alone.latency_ps.median / 1e3, (double)p->loaded.latency_ps.median / 1e3, (double)p->alone.latency_ps.p99 / 1e3,
		(double)p->loaded.latency_ps.p99 / 1e3);
}
