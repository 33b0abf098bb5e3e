/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes the page of spinctl cost --html for several handlers on one NIC: each one's share of the HPUs (the NIC's processors) and its
 * completion time, then the sections of a single handler's page (html.c) for each. Called by contexts.c.
 */
#include <inttypes.h>
#include <math.h>

#include "user/cost/html.h"
#include "user/cost/run.h"

/* HPUs of each context, in slots of the same length. */
struct shares {
	uint64_t slot_ps;
	unsigned slots;
	double hpus[COST_CONTEXTS_MAX][COST_SLOTS]; /* mean over the slot */
};

/* Converts all contexts to the longest slot. Slot lengths double, so it is a multiple of every context's slot. */
static void fill_shares(const struct cost_sharing *s, struct shares *out)
{
	*out = (struct shares){ 0 };
	for (unsigned i = 0; i < s->count; i++)
		if (s->flows[i].report->occupancy.slot_ps > out->slot_ps)
			out->slot_ps = s->flows[i].report->occupancy.slot_ps;
	for (unsigned i = 0; i < s->count && out->slot_ps; i++) {
		const struct cost_occupancy *o = &s->flows[i].report->occupancy;

		for (unsigned k = 0; k < o->slots; k++) {
			unsigned slot = (unsigned)(o->slot_ps * k / out->slot_ps);

			out->hpus[i][slot] += (double)o->busy_ps[k] / (double)out->slot_ps;
			if (slot + 1 > out->slots)
				out->slots = slot + 1;
		}
	}
}

/* Formats "1 filtering". The number distinguishes contexts with the same handler. */
static void context_name(const struct cost_sharing *s, unsigned i, char *out, size_t bytes)
{
	snprintf(out, bytes, "%u %s", i + 1, s->flows[i].report->handler);
}

/* Plots each context's HPUs over time. as_percentage: as a percentage of the HPUs that are busy at that time. */
static void plot_shares(FILE *to, const struct cost_sharing *s, const struct shares *shares, int as_percentage)
{
	double x[COST_SLOTS + 1], y[COST_CONTEXTS_MAX][COST_SLOTS + 1];
	char names[COST_CONTEXTS_MAX][64];
	struct svg_series series[COST_CONTEXTS_MAX];
	const struct cost_report *first = s->flows[0].report;
	const unsigned threads = first->main.loaded.traffic.hpu_threads;
	struct svg_plot plot = { .x_label = "ns", .series = series, .count = s->count };
	double unit_ps = 1e3;

	if (as_percentage)
		plot.title = "Share of the HPUs at work over time", plot.y_label = "%", plot.y_high = 100;
	else if (threads > 1)
		plot.title = "Threads with a task over time", plot.y_label = "threads", plot.y_high = first->hpus * threads;
	else
		plot.title = "HPUs at work over time", plot.y_label = "HPUs", plot.y_high = first->hpus;
	if (shares->slot_ps * shares->slots >= 100000000)
		unit_ps = 1e6, plot.x_label = "µs";
	for (unsigned k = 0; k <= shares->slots; k++)
		x[k] = (double)(shares->slot_ps * k) / unit_ps;
	for (unsigned k = 0; k < shares->slots; k++) {
		double all = 0;

		for (unsigned i = 0; i < s->count; i++)
			all += shares->hpus[i][k];
		for (unsigned i = 0; i < s->count; i++)
			y[i][k] = !as_percentage ? shares->hpus[i][k] : all > 0 ? 100 * shares->hpus[i][k] / all : NAN;
	}
	for (unsigned i = 0; i < s->count; i++) {
		/* extend the last value to the end of its slot */
		y[i][shares->slots] = shares->slots ? y[i][shares->slots - 1] : 0;
		context_name(s, i, names[i], sizeof(names[i]));
		series[i] = (struct svg_series){ .name = names[i], .x = x, .y = y[i], .count = shares->slots + 1, .is_steps = 1 };
	}
	fputs("<div>", to);
	svg__plot(to, &plot);
	fputs("</div>\n", to);
}

static void plot_flows(FILE *to, const struct cost_sharing *s)
{
	static const char *const parts[] = { "alone", "together" };
	double values[COST_CONTEXTS_MAX * 2];
	char names[COST_CONTEXTS_MAX][64];
	const char *groups[COST_CONTEXTS_MAX];
	struct svg_bars bars = { "Flow completion time", "µs", groups, parts, s->count, 2, values, .is_side_by_side = 1 };

	for (unsigned i = 0; i < s->count; i++) {
		if (s->count > 4) /* there is no room for more names in a row */
			snprintf(names[i], sizeof(names[i]), "%u", i + 1);
		else
			context_name(s, i, names[i], sizeof(names[i]));
		groups[i] = names[i];
		values[2 * i] = (double)s->flows[i].alone_ps / 1e6;
		values[2 * i + 1] = (double)s->flows[i].done_ps / 1e6;
	}
	fputs("<div>", to);
	svg__bars(to, &bars);
	fputs("</div>\n", to);
}

static void write_flow_row(FILE *to, const struct cost_sharing *s, unsigned i)
{
	const struct cost_flow *f = &s->flows[i];
	const struct cost_view *loaded = &f->report->main.loaded;
	const double part = 100 * cost_sharing__share(s, i);
	char name[64];

	context_name(s, i, name, sizeof(name));
	html__row(to, name);
	html__cell(to, "%" PRIu64, loaded->handled);
	html__cell(to, "%.1f", (double)f->done_ps / 1e6);
	html__cell(to, "%.1f", (double)f->alone_ps / 1e6);
	html__cell(to, "%.2f", cost_sharing__slowdown(f));
	html__cell(to, "%u", f->weight);
	fprintf(to, "<td>%.1f %%<span class=\"share\" style=\"width:%.1f%%\"></span></td>", part, part);
	html__cell(to, "%.1f", (double)loaded->latency_ps.median / 1e3);
	html__cell(to, "%.1f", (double)loaded->latency_ps.p99 / 1e3);
	fputs("<td class=\"text\"><code>", to);
	svg__text(to, f->report->rule);
	fputs("</code></td></tr>\n", to);
}

static void write_summary(FILE *to, const struct cost_sharing *s)
{
	const struct cost_report *first = s->flows[0].report;

	fputs("<p class=\"lead\">The first flow was done after ", to);
	fprintf(to, "%.1f µs: that of context %u, ", (double)s->until_ps / 1e6, s->first + 1);
	svg__text(to, s->flows[s->first].report->handler);
	fputs(".</p>\n<ul class=\"rates\">\n", to);
	fprintf(to,
		"<li>Jain’s index of HPU time <b>%.3f</b><span class=\"soft\">divided by weight, up to when the first flow was "
		"done</span></li>\n",
		s->jain_hpu_time);
	fprintf(to, "<li>Jain’s index of speed <b>%.3f</b><span class=\"soft\">flow completion time alone over that together</span></li>\n",
		s->jain_speed);
	fprintf(to,
		"<li>HPUs busy <b>%.0f&#160;%%</b><span class=\"soft\">of their time, up to when the first flow was done</span></li>\n</ul>\n",
		100 * s->hpus_busy);
	fputs("<p class=\"soft\">Target <code>", to);
	svg__text(to, s->target);
	fprintf(to, "</code>, %u HPUs at %g GHz; scheduler <code>", first->hpus, first->clock_ghz);
	svg__text(to, s->scheduler);
	fputs("</code>. Jain’s index is 1 if all contexts have the same, and 1/n if one of n has all.</p>\n", to);
}

static void write_flows(FILE *to, const struct cost_sharing *s)
{
	static const char *const columns[] = { "context",  "packets",   "flow µs", "alone µs", "slowdown", "weight",
					       "HPU time", "median ns", "p99 ns",  "<rule",    NULL };
	struct shares shares;

	fill_shares(s, &shares);
	html__heading(to, NULL, "sharing", "Who had how much, and when each was done");
	html__table(to,
		    "Flow: completion time, from a context’s first packet being offered to its last one being done with; HPU time: its "
		    "part up to when the first flow was done; latency of a packet under load",
		    columns);
	for (unsigned i = 0; i < s->count; i++)
		write_flow_row(to, s, i);
	html__table_end(to);
	fputs("<div class=\"plots\">\n", to);
	plot_shares(to, s, &shares, 0);
	plot_shares(to, s, &shares, 1);
	plot_flows(to, s);
	fputs("</div>\n", to);
	cost_html__threads(to, &s->flows[0].report->main.loaded.traffic);
	fputs("</section>\n", to);
}

static void write_assumptions(FILE *to, const struct cost_sharing *s)
{
	html__heading(to, NULL, "shared", "Assumed of a NIC that contexts share");
	fputs("<ul class=\"soft\">\n", to);
	for (const char *const *a = s->assumptions; a && *a; a++) {
		fputs("<li>", to);
		svg__text(to, *a);
		fputs("</li>\n", to);
	}
	fputs("</ul>\n</section>\n", to);
}

static void write_context(FILE *to, const struct cost_sharing *s, unsigned i)
{
	char id[32], title[128];

	snprintf(id, sizeof(id), "context%u", i + 1);
	snprintf(title, sizeof(title), "Context %u of %u: %s", i + 1, s->count, s->flows[i].report->handler);
	html__heading(to, NULL, id, title);
	cost_html__report(to, s->flows[i].report);
	fputs("</section>\n", to);
}

static void write_page(FILE *to, const void *sharing)
{
	const struct cost_sharing *s = sharing;
	char title[32];

	snprintf(title, sizeof(title), "%u contexts", s->count);
	html__begin(to, title, s->target);
	write_summary(to, s);
	write_flows(to, s);
	write_assumptions(to, s);
	for (unsigned i = 0; i < s->count; i++)
		write_context(to, s, i);
	html__end(to);
}

int cost_sharing__html(const struct cost_sharing *s, const char *path)
{
	return html__write(path, write_page, s);
}
