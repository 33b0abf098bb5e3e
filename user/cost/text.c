/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints the report of spinctl cost as text: the most important results first, then the reasons. Called by print.c and contexts.c. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "user/cost/tables.h"
#include "user/cost/text.h"
#include "user/tool/counters.h"

#define COLUMNS 100

/* Prints which packets were used: generated ones or a trace. */
static void print_heading(const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;
	char packets[160];

	printf("%s on %s, rule: %s\n", r->handler, r->target, r->rule);
	cost_packets__describe(r, packets, sizeof(packets));
	printf("%s%s: %" PRIu64 " frames, %" PRIu64 " handled", r->trace ? "trace " : "", r->trace ? r->trace : packets, r->frames,
	       v->handled);
	if (r->cut_short)
		printf(", %" PRIu64 " left out because the capture cut them short", r->cut_short);
	printf("\n");
	if (v->traffic.amo_words)
		printf("%" PRIu64 " AMOs on L2 or another cluster's L1 returned the word that was there; PsPIN's published RTL returns 1\n",
		       v->traffic.amo_words);
	if (v->traffic.host_outside)
		printf("%" PRIu64 " commands named host addresses that are not memory of the message's, the first one 0x%" PRIx64
		       ": what they "
		       "write is lost\n",
		       v->traffic.host_outside, v->traffic.host_outside_at);
}

/* Prints text in lines of readable length. The second and later lines are indented. */
static void wrap(const char *text, const char *indent)
{
	size_t at = strlen(indent);

	fputs(indent, stdout);
	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > strlen(indent) && at + 1 + word > COLUMNS)
			at = (size_t)printf("\n%s  ", indent) - 1;
		else if (at > strlen(indent))
			at += (size_t)printf(" ");
		at += (size_t)printf("%.*s", (int)word, text);
		text += word;
		text += *text == ' ';
	}
	printf("\n");
}

static void print_provenance(const struct cost_report *r)
{
	char text[1024];

	printf("\n");
	snprintf(text, sizeof(text), "compiled by %s; modelled: %s", r->compiler, r->isa);
	wrap(text, "");
	if (r->assumptions && r->assumptions[0])
		printf("not charged (assumed NIC hardware):\n");
	for (const char *const *a = r->assumptions; a && *a; a++)
		wrap(*a, "  ");
}

static const char *verdict(double reached, int is_met, char text[32])
{
	snprintf(text, 32, is_met ? "yes, x %.2f" : "no, %.0f %%", is_met ? reached : 100 * reached);
	return text;
}

/* Prints the HPUs needed for a line rate, with the cycles per packet alone and under load, and whether the rate was reached. */
static void print_rate_row(const struct cost_rate *rate)
{
	char a[32], b[32];

	printf("%4.0f Gbit/s %9.2f %9.2f %12s   %9.2f %9.2f %12s\n", rate->gbps, rate->hpus, rate->hpus_loaded,
	       verdict(rate->reached, rate->is_met, a), rate->hpus_with_ethernet, rate->hpus_loaded_with_ethernet,
	       verdict(rate->reached_with_ethernet, rate->is_met_with_ethernet, b));
}

/* Prints why a rate is missed although there are enough HPUs. */
static void print_limit(const struct cost_report *r, const struct cost_rate *rate)
{
	char bound[COST_BOUND_TEXT];

	if (rate->is_met || rate->hpus > r->hpus || (r->offered_gbps > 0 && r->offered_gbps < rate->gbps))
		return;
	printf("%.0f Gbit/s is missed with %u HPUs, though %.2f would do for packets alone: the limit is %s\n", rate->gbps, r->hpus,
	       rate->hpus, cost_bound_name(&r->main.throughput, bound));
}

static void print_rates(const struct cost_report *r)
{
	const struct cost_throughput *t = &r->main.throughput;
	char bound[COST_BOUND_TEXT];

	printf("\n%.1f Gbit/s (%.1f with Ethernet's 38 bytes), %.1f million packets/s of %.1f bytes (mean)\nbound by %s\n", t->gbps,
	       t->gbps_with_ethernet, t->packets_per_us, r->main.alone.packet_bytes_mean, cost_bound_text(t, bound));
	if (!t->is_steady)
		printf("(of %" PRIu64 " packets at once: too few for a rate in their midst)\n", t->packets);
	printf("%-11s %32s   %32s\n", "line rate", "packet bytes only", "with Ethernet's 38 bytes");
	printf("%-11s %9s %9s %12s   %9s %9s %12s\n", "HPUs needed", "alone", "loaded", "reached", "alone", "loaded", "reached");
	for (unsigned i = 0; i < COST_RATES; i++)
		print_rate_row(&r->main.rates[i]);
	for (unsigned i = 0; i < COST_RATES; i++)
		print_limit(r, &r->main.rates[i]);
	if (r->offered_gbps > 0)
		printf("offered were %g Gbit/s: whether more is reached was not tried\n", r->offered_gbps);
	printf("HPUs needed = packet rate x a packet's mean cycles (warm bodies + %u per task) at %g GHz: %.1f alone, %.1f loaded,\n"
	       "  waiting for one another as in this run; there are %u HPUs\n",
	       r->runtime_cycles, r->clock_ghz, r->main.alone.warm_with_runtime_mean, r->main.loaded.cycles_with_runtime_mean, r->hpus);
	if (r->main.loaded.traffic.hpu_threads > 1)
		printf("  of %u threads each: what a handler waits while others can run is not a cycle of its HPU\n",
		       r->main.loaded.traffic.hpu_threads);
}

/* Returns the cause of the most stall cycles, or RV32_CAUSE_COUNT if there are none. */
static unsigned most_stalls(const struct cost_view *v)
{
	unsigned most = RV32_CAUSE_COUNT;

	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		if (c != RV32_CYC_ISSUE && v->cause_cycles_mean[c] > 0 &&
		    (most == RV32_CAUSE_COUNT || v->cause_cycles_mean[c] > v->cause_cycles_mean[most]))
			most = c;
	return most;
}

static void print_stalls(const char *when, const struct cost_view *v)
{
	unsigned most = most_stalls(v);

	if (most < RV32_CAUSE_COUNT)
		printf("most stalls, %s: %s (%s), %.1f of %.1f cycles (means)\n", when, rv32_cause_name(most), rv32_cause_text(most),
		       v->cause_cycles_mean[most], v->packet_cycles.mean);
}

/* Prints the largest costs: where to optimise first. */
static void print_hottest(const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;

	print_stalls("alone", v);
	print_stalls("loaded", &r->main.loaded);
	if (r->lines.count)
		printf("most cycles: %s:%u  %s (mean of %.1f a packet)\n", r->lines.lines[0].file, r->lines.lines[0].line,
		       r->lines.lines[0].text ? r->lines.lines[0].text : "", (double)r->lines.lines[0].cycles / (double)v->handled);
}

#define NAMES 12 /* width of the column of names */

static void print_row(const struct cost_column *columns, const char *name, const void *values)
{
	cost_table__text_row(columns, NAMES, name, values);
	printf("\n");
}

static void print_tasks(const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;
	const struct cost_task_row packet = cost_packet_row(v);
	struct cost_task_row rows[COST_TASK_ROWS];
	char name[32];

	printf("\n");
	cost_table__text_headings(cost_task_columns, NAMES, "cycles");
	printf("\n");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		cost_task_rows(&r->main, (enum pspin_task_kind)k, rows);
		if (!rows[COST_ROW_ALL].runs)
			continue;
		print_row(cost_task_columns, rows[COST_ROW_ALL].name, &rows[COST_ROW_ALL]);
		for (unsigned i = COST_ROW_WARM; i < COST_TASK_ROWS; i++) {
			snprintf(name, sizeof(name), "  %s", rows[i].name);
			if (rows[i].runs || i == COST_ROW_WARM)
				print_row(cost_cycle_columns, name, &rows[i]);
		}
	}
	print_row(cost_task_columns, packet.name, &packet);
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		const struct cost_task *t = &v->tasks[k];

		if (t->nic_sends || t->host_dmas || t->host_writes || t->errors)
			printf("%s commands: %" PRIu64 " sends, %" PRIu64 " DMAs to host, %" PRIu64 " from host, %" PRIu64
			       " host writes; errors: %" PRIu64 "\n",
			       t->name, t->nic_sends, t->host_dmas - t->host_reads, t->host_reads, t->host_writes, t->errors);
	}
}

static void print_share_row(const char *name, double cycles, double all, const char *text)
{
	printf("%-12s %10.2f %6.1f %%  %s\n", name, cycles, all > 0 ? 100 * cycles / all : 0, text);
}

static void print_causes(const struct cost_report *r)
{
	const struct cost_point *p = &r->main;
	double parts = 0, n = p->alone.handled ? (double)p->alone.handled : 1;

	cost_breakdown__text(&cost_causes, p);
	for (unsigned i = 0; i < COST_PARTS; i++)
		parts += r->lines.part_cycles[i] / n;
	printf("\n%-12s %10s\n", "part", "mean cycles/packet");
	for (unsigned i = 0; i < COST_PARTS; i++)
		if (r->lines.part_instructions[i] > 0)
			print_share_row(cost_part_name(i), r->lines.part_cycles[i] / n, parts, cost_part_text(i));
}

/* Prints the means over n packets, or the counts of one packet. */
static void print_line_rows(const struct cost_lines *lines, double n, int is_mean)
{
	printf("%13s %13s  %-8s line\n", is_mean ? "mean cycles" : "cycles", is_mean ? "mean instr." : "instructions", "part");
	for (unsigned i = 0; i < lines->count; i++) {
		const struct cost_line *l = &lines->lines[i];

		printf("%13.2f %13.2f  %-8s %s:%u  %s\n", (double)l->cycles / n, (double)l->instructions / n, cost_part_name(l->part),
		       l->file, l->line, l->text ? l->text : "");
	}
}

static void print_lines(const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;

	if (r->lines.count && r->shows_lines) {
		printf("\n");
		print_line_rows(&r->lines, (double)v->handled, 1);
	}
	printf("\nmost cycles seen: packet %" PRIu64 ", %u bytes: %" PRIu64 " cycles\n", v->slowest_packet + 1, v->slowest_bytes,
	       v->slowest_cycles);
	if (r->worst.count && r->shows_lines)
		print_line_rows(&r->worst, 1, 0);
}

void cost_text__print(const struct cost_report *r)
{
	print_heading(r);
	if (r->main.alone.handled) {
		print_rates(r);
		print_hottest(r);
		print_tasks(r);
		print_causes(r);
		print_lines(r);
		cost_text__xpulp(r);
		cost_text__stages(r);
		cost_text__sizes(r);
	}
	printf("\n");
	counters__text(r->main.alone.reasons, r->takes_messages);
	print_provenance(r);
}

static void print_fits(const struct cost_report *r)
{
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->fits[k].is_known)
			printf("%-12s %.1f + %.4f per byte: median cycles, at most %.1f off at these sizes\n", cost_task_name(k),
			       r->fits[k].a, r->fits[k].b, r->fits[k].worst_residual);
}

#define SIZES 6 /* width of the column of sizes */

void cost_text__sizes(const struct cost_report *r)
{
	char name[32];

	if (!r->point_count)
		return;
	printf("\n");
	cost_table__text_headings(cost_size_columns, SIZES, "packet");
	printf("\n");
	for (unsigned i = 0; i < r->point_count; i++) {
		snprintf(name, sizeof(name), "%.0f", r->points[i].alone.packet_bytes_mean);
		cost_table__text_row(cost_size_columns, SIZES, name, &r->points[i]);
		printf("\n");
	}
	printf("packet: mean bytes; warm, cold, loaded: median cycles of all of a packet's handlers; ns alone: median;\n"
	       "100, 200, 400: whether so many Gbit/s of packet bytes are reached\n");
	print_fits(r);
}

/* Prints how the HPUs spent their time, if they switch threads while a handler waits. */
static void print_threads(const struct pspin_traffic *seen)
{
	const double all = (double)seen->span_ps * seen->hpus / 100;

	if (seen->hpu_threads < 2 || all <= 0)
		return;
	printf("\n%u threads of each HPU: %.1f %% of its time one runs, %.1f %% between two; idle %.1f %% while all with a task wait, %.1f %%\n"
	       "without a task",
	       seen->hpu_threads, (double)seen->hpu_running_ps / all, (double)seen->hpu_switching_ps / all,
	       (double)seen->hpu_blocked_ps / all, fmax(0, 100 - (double)seen->hpu_busy_ps / all));
}

void cost_text__stages(const struct cost_report *r)
{
	const struct cost_view *loaded = &r->main.loaded;
	const struct cost_throughput *t = &r->main.throughput;

	printf("\n");
	cost_table__text_headings(cost_latency_columns, NAMES, "latency ns");
	printf("   packet, first bit in to last byte out\n");
	print_row(cost_latency_columns, "alone", &r->main.alone.latency_ps);
	print_row(cost_latency_columns, "cold", &r->main.cold.latency_ps);
	print_row(cost_latency_columns, "loaded", &loaded->latency_ps);
	cost_breakdown__text(&cost_stages, &r->main);
	printf("\nunder load");
	if (r->offered_gbps > 0)
		printf(" at %g Gbit/s", r->offered_gbps);
	printf(", %" PRIu64 " packets: busy", t->packets);
	for (unsigned i = 0; i < COST_RESOURCES; i++)
		if (t->busy[i] >= 0.005)
			printf("  %s %.0f %%", cost_resource_name(i), 100 * t->busy[i]);
	print_threads(&loaded->traffic);
	printf("\nHPUs wait for commands and feedback %.0f %% of their time; packet memory at most %.1f KiB, %u messages and %u "
	       "HERs\nat once; ",
	       100 * t->hpus_blocked, loaded->traffic.packet_memory_peak_bytes / 1024.0, loaded->traffic.messages_peak,
	       loaded->traffic.hers_peak);
	if (loaded->lost)
		printf("%" PRIu64 " packets lost for want of room; ", loaded->lost);
	printf("energy at most %.1f nJ per packet (upper bound: %.1f W all the time)\n", t->energy_nj, (double)r->power_mw / 1e3);
}
