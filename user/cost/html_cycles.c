/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes sections of the page of spinctl cost --html: cycles, stalls, source lines, and how many HPUs (the NIC's processors) are busy over
 * time. Called by html.c.
 */
#include <inttypes.h>
#include <math.h>

#include "user/cost/html.h"
#include "user/cost/tables.h"

void cost_html__threads(FILE *to, const struct pspin_traffic *seen)
{
	const double all = (double)seen->span_ps * seen->hpus / 100;

	if (seen->hpu_threads < 2 || all <= 0)
		return;
	fprintf(to,
		"<p class=\"soft\">Each HPU has %u threads: %.1f&#160;%% of its time one runs, %.1f&#160;%% passes between two, and it is "
		"idle %.1f&#160;%% while all with a task wait.</p>\n",
		seen->hpu_threads, (double)seen->hpu_running_ps / all, (double)seen->hpu_switching_ps / all,
		(double)seen->hpu_blocked_ps / all);
}

void cost_html__occupancy(FILE *to, const struct cost_report *r)
{
	static const char *const columns[] = { "what", "of the time busy", NULL };
	double x[COST_SLOTS + 1], y[COST_SLOTS + 1], unit_ps = 1e3;
	struct svg_series series = { .name = "busy", .x = x, .y = y, .is_steps = 1 };
	struct svg_plot plot = { "HPUs at work over time, under load", "ns", "HPUs", &series, 1, .y_high = r->hpus };
	const struct cost_occupancy *o = &r->occupancy;
	const struct cost_throughput *t = &r->main.throughput;
	const unsigned of_each = r->main.loaded.traffic.hpu_threads;

	if (of_each > 1) {
		plot.title = "Threads with a task over time, under load";
		plot.y_label = "threads";
		plot.y_high = r->hpus * of_each;
	}
	if (o->slot_ps * o->slots >= 100000000)
		unit_ps = 1e6, plot.x_label = "µs";
	for (unsigned i = 0; i < o->slots; i++) {
		x[i] = (double)(o->slot_ps * i) / unit_ps;
		y[i] = (double)o->busy_ps[i] / (double)o->slot_ps;
	}
	x[o->slots] = (double)(o->slot_ps * o->slots) / unit_ps;
	y[o->slots] = 0;
	series.count = o->slots + 1;
	html__heading(to, r, "occupancy", "Occupancy");
	fputs("<div class=\"plots\">\n<div>", to);
	svg__plot(to, &plot);
	fputs("</div>\n<div>", to);
	html__table(to, "Busy at the rate that was reached", columns);
	for (unsigned i = 0; i < COST_RESOURCES; i++) {
		html__row(to, cost_resource_name(i));
		fprintf(to, "<td>%.1f %%<span class=\"share\" style=\"width:%.1f%%\"></span></td></tr>\n", 100 * t->busy[i],
			100 * t->busy[i]);
	}
	html__table_end(to);
	fprintf(to,
		"<p class=\"soft\">HPUs wait for commands and feedback %.0f&#160;%% of their time, which does not count as busy; "
		"packet memory held at most %.1f KiB, of %u messages.</p>\n",
		100 * t->hpus_blocked, r->main.loaded.traffic.packet_memory_peak_bytes / 1024.0, r->main.loaded.traffic.messages_peak);
	cost_html__threads(to, &r->main.loaded.traffic);
	fputs("</div>\n</div>\n</section>\n", to);
}

static void write_tasks(FILE *to, const struct cost_report *r)
{
	struct cost_task_row rows[COST_TASK_ROWS];
	char name[64];

	cost_table__page(to, cost_task_columns, "Cycles of each handler: from its entry’s first instruction to its return", "handler");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		cost_task_rows(&r->main, (enum pspin_task_kind)k, rows);
		if (!rows[COST_ROW_ALL].runs)
			continue;
		for (unsigned i = COST_ROW_WARM; i < COST_TASK_ROWS; i++) {
			snprintf(name, sizeof(name), "%s, %s", rows[COST_ROW_ALL].name, rows[i].name);
			if (rows[i].runs || i == COST_ROW_WARM)
				cost_table__page_row(to, cost_task_columns, name, &rows[i]);
		}
	}
	html__table_end(to);
}

static void plot_causes(FILE *to, const struct cost_report *r)
{
	static const char *const groups[] = { "alone", "cold", "loaded" };
	const struct cost_view *views[] = { &r->main.alone, &r->main.cold, &r->main.loaded };
	const char *parts[RV32_CAUSE_COUNT];
	double values[3 * RV32_CAUSE_COUNT];
	unsigned used[RV32_CAUSE_COUNT];
	struct svg_bars bars = { "Cycles of a packet by cause", "cycles, mean", groups, parts, 3, .values = values };

	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++) {
		if (!cost_breakdown__is_used(&cost_causes, &r->main, c))
			continue;
		used[bars.part_count] = c;
		parts[bars.part_count++] = rv32_cause_name(c);
	}
	for (unsigned g = 0; g < 3; g++)
		for (unsigned p = 0; p < bars.part_count; p++)
			values[g * bars.part_count + p] = views[g]->cause_cycles_mean[used[p]];
	fputs("<div>", to);
	svg__bars(to, &bars);
	fputs("</div>\n", to);
}

void cost_html__cycles(FILE *to, const struct cost_report *r)
{
	static const char *const columns[] = { "cause", "alone", "cold", "loaded", "<what it is", NULL };
	const struct cost_point *p = &r->main;

	html__heading(to, r, "cycles", "Cycles and stalls");
	write_tasks(to, r);
	fputs("<div class=\"plots\">\n", to);
	plot_causes(to, r);
	fputs("<div>", to);
	html__table(to, "Cycles of a packet by cause, mean; causes of none are left out", columns);
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		if (cost_breakdown__is_used(&cost_causes, p, c))
			cost_breakdown__page_row(to, &cost_causes, p, c);
	html__table_end(to);
	fputs("</div>\n</div>\n</section>\n", to);
}

static void write_lines(FILE *to, const struct cost_lines *lines, double n, const char *caption)
{
	static const char *const columns[] = { "line", "cycles", "instructions", "part", "<source", NULL };
	double most = lines->count && lines->lines[0].cycles ? (double)lines->lines[0].cycles : 1;
	char name[512];

	if (!lines->count)
		return;
	html__table(to, caption, columns);
	for (unsigned i = 0; i < lines->count; i++) {
		const struct cost_line *l = &lines->lines[i];

		snprintf(name, sizeof(name), "%s:%u", l->file, l->line);
		html__row(to, name);
		fprintf(to, "<td>%.2f<span class=\"share\" style=\"width:%.1f%%\"></span></td>", (double)l->cycles / n,
			100 * (double)l->cycles / most);
		html__cell(to, "%.2f", (double)l->instructions / n);
		html__cell(to, "%s", cost_part_name(l->part));
		fputs("<td class=\"text\"><code>", to);
		svg__text(to, l->text ? l->text : "");
		fputs("</code></td></tr>\n", to);
	}
	html__table_end(to);
}

void cost_html__lines(FILE *to, const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;
	double sum = 0;

	html__heading(to, r, "lines", "Source lines");
	for (unsigned p = 0; p < COST_PARTS; p++)
		sum += r->lines.part_cycles[p];
	fputs("<p>Of a packet’s cycles: ", to);
	for (unsigned p = 0; p < COST_PARTS; p++)
		fprintf(to, "%s%s %.0f&#160;%%", p ? ", " : "", cost_part_name(p), sum > 0 ? 100 * r->lines.part_cycles[p] / sum : 0);
	fputs(".</p>\n", to);
	write_lines(to, &r->lines, (double)v->handled, "Lines that cost most, per packet");
	fprintf(to, "<p>Most cycles seen: packet %" PRIu64 ", %u bytes, took %" PRIu64 " cycles.</p>\n", v->slowest_packet + 1,
		v->slowest_bytes, v->slowest_cycles);
	write_lines(to, &r->worst, 1, "Lines of the packet with the most cycles");
	cost_html__xpulp(to, r);
	fputs("</section>\n", to);
}
