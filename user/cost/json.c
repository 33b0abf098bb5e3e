/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints a cost report as one JSON document (spinctl cost --json). Called by print.c and contexts.c. Keys are part of the interface and
 * must never be renamed.
 */
#include <math.h>

#include "user/cost/json.h"
#include "user/cost/tables.h"
#include "user/tool/counters.h"

static void write_cycles(struct json *j, const char *key, const struct cost_task_row *row)
{
	json_object(j, key);
	cost_table__json(j, cost_cycle_columns, row);
	json_object_end(j);
}

static void write_task(struct json *j, const struct cost_point *p, unsigned kind)
{
	const struct cost_task *t = &p->alone.tasks[kind];
	struct cost_task_row rows[COST_TASK_ROWS];

	cost_task_rows(p, (enum pspin_task_kind)kind, rows);
	json_object(j, NULL);
	json_string(j, "handler", t->name);
	cost_table__json(j, cost_task_columns, &rows[COST_ROW_ALL]);
	json_uint(j, "nic_sends", t->nic_sends);
	json_uint(j, "host_dmas", t->host_dmas);
	json_uint(j, "host_dmas_from_host", t->host_reads);
	json_uint(j, "host_writes", t->host_writes);
	json_uint(j, "errors", t->errors);
	json_uint(j, "cold_runs", t->cold_runs);
	write_cycles(j, "cycles_warm", &rows[COST_ROW_WARM]);
	write_cycles(j, "cycles_cold", &rows[COST_ROW_COLD]);
	write_cycles(j, "cycles_loaded", &rows[COST_ROW_LOADED]);
	json_object_end(j);
}

static void write_parts(struct json *j, const struct cost_report *r)
{
	double n = r->main.alone.handled ? (double)r->main.alone.handled : 1;

	json_object(j, "mean_cycles_per_packet_by_part");
	for (unsigned p = 0; p < COST_PARTS; p++)
		json_double(j, cost_part_name(p), r->lines.part_cycles[p] / n);
	json_object_end(j);
	json_object(j, "mean_instructions_per_packet_by_part");
	for (unsigned p = 0; p < COST_PARTS; p++)
		json_double(j, cost_part_name(p), r->lines.part_instructions[p] / n);
	json_object_end(j);
}

static void write_lines(struct json *j, const char *key, const struct cost_lines *lines, double n)
{
	json_array(j, key);
	for (unsigned i = 0; i < lines->count; i++) {
		const struct cost_line *l = &lines->lines[i];

		json_object(j, NULL);
		json_string(j, "file", l->file);
		json_uint(j, "line", l->line);
		json_string(j, "part", cost_part_name(l->part));
		json_double(j, "mean_cycles_per_packet", (double)l->cycles / n);
		json_double(j, "mean_instructions_per_packet", (double)l->instructions / n);
		json_string(j, "text", l->text);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_packet(struct json *j, const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;
	const struct cost_task_row row = cost_packet_row(v);

	json_object(j, "packet");
	cost_table__json(j, cost_task_columns + 1, &row); /* their number is "handled_packets" */
	json_double(j, "mean_cycles_with_runtime", v->cycles_with_runtime_mean);
	json_double(j, "mean_cycles_with_runtime_warm", v->warm_with_runtime_mean);
	json_uint(j, "runtime_cycles_per_task", r->runtime_cycles);
	json_object_end(j);
	cost_breakdown__json(j, "mean_cycles_per_packet_by_cause", &cost_causes, v);
	cost_breakdown__json(j, "mean_cycles_per_packet_by_cause_cold", &cost_causes, &r->main.cold);
	cost_breakdown__json(j, "mean_cycles_per_packet_by_cause_loaded", &cost_causes, &r->main.loaded);
	write_parts(j, r);
}

static void write_slowest(struct json *j, const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;

	json_object(j, "most_cycles_seen");
	json_uint(j, "packet_number", v->handled ? v->slowest_packet + 1 : 0);
	json_uint(j, "packet_bytes", v->slowest_bytes);
	json_uint(j, "cycles", v->slowest_cycles);
	write_lines(j, "lines", &r->worst, 1);
	json_object_end(j);
}

static void write_fits(struct json *j, const struct cost_report *r)
{
	json_array(j, "closed_form");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		if (!r->fits[k].is_known)
			continue;
		json_object(j, NULL);
		json_string(j, "handler", cost_task_name(k));
		json_double(j, "constant_cycles", r->fits[k].a);
		json_double(j, "cycles_per_byte", r->fits[k].b);
		json_double(j, "worst_residual_cycles", r->fits[k].worst_residual);
		json_uint(j, "sizes", r->fits[k].points);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_heading(struct json *j, const struct cost_report *r)
{
	char made[32];

	json_string(j, "handler", r->handler);
	json_string(j, "target", r->target);
	json_double(j, "clock_ghz", r->clock_ghz);
	json_uint(j, "hpus", r->hpus);
	json_string(j, "rule", r->rule);
	json_string(j, "trace", r->trace);
	if (!r->trace) {
		snprintf(made, sizeof(made), "%s_made", cost_packets__name(r));
		json_uint(j, made, r->made.messages);
		json_uint(j, "packets_per_message", r->made.packets);
		json_uint(j, "payload_bytes_per_packet", r->made.payload_bytes);
	}
	json_string(j, "compiler", r->compiler);
	json_string(j, "isa", r->isa);
	json_uint(j, "frames", r->frames);
	json_uint(j, "frames_cut_short", r->cut_short);
	json_uint(j, "handled_packets", r->main.alone.handled);
	json_double(j, "mean_packet_bytes", r->main.alone.packet_bytes_mean);
	counters__json(j, r->main.alone.reasons, r->takes_messages);
}

void cost_json__report(struct json *j, const struct cost_report *r)
{
	write_heading(j, r);
	json_array(j, "handlers");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->main.alone.tasks[k].runs)
			write_task(j, &r->main, k);
	json_array_end(j);
	write_packet(j, r);
	cost_json__rates(j, r, &r->main);
	cost_json__stages(j, r);
	write_lines(j, "lines", &r->lines, r->main.alone.handled ? (double)r->main.alone.handled : 1);
	write_slowest(j, r);
	cost_json__xpulp(j, r);
	cost_json__sizes(j, r);
	write_fits(j, r);
	json_array(j, "assumptions");
	for (const char *const *a = r->assumptions; a && *a; a++)
		json_string(j, NULL, *a);
	json_array_end(j);
}

void cost_json__print(const struct cost_report *r)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	cost_json__report(&j, r);
	json_object_end(&j);
	json_end(&j);
}

static void write_threads(struct json *j, const struct pspin_traffic *seen)
{
	const double all = seen->span_ps ? (double)seen->span_ps * seen->hpus : 1;

	json_object(j, "hpu_time");
	json_double(j, "running", (double)seen->hpu_running_ps / all);
	json_double(j, "switching", (double)seen->hpu_switching_ps / all);
	json_double(j, "all_threads_wait", (double)seen->hpu_blocked_ps / all);
	json_double(j, "no_task", fmax(0, 1 - (double)seen->hpu_busy_ps / all));
	json_object_end(j);
}

static void write_throughput(struct json *j, const struct cost_report *r, const struct cost_point *p)
{
	const struct cost_throughput *t = &p->throughput;
	char bound[COST_BOUND_TEXT];

	json_object(j, "throughput");
	json_uint(j, "packets", t->packets);
	json_bool(j, "is_steady", t->is_steady);
	json_double(j, "offered_gbit_per_s", r->offered_gbps > 0 ? r->offered_gbps : 0.0 / 0.0);
	json_double(j, "million_packets_per_s", t->packets_per_us);
	json_double(j, "gbit_per_s", t->gbps);
	json_double(j, "gbit_per_s_with_ethernet_38_bytes", t->gbps_with_ethernet);
	json_string(j, "bound_by", cost_resource_name(t->bound));
	json_string(j, "bound_text", cost_bound_text(t, bound));
	json_bool(j, "hpus_wait_for_commands", t->waits_for_commands);
	json_bool(j, "hpus_wait_for_memory", t->waits_for_memory);
	json_double(j, "hpu_time_waiting_for_that_memory", t->memory_wait);
	json_object(j, "busy"); /* empty for a shared NIC, which is also busy for other contexts */
	for (unsigned i = 0; !r->contexts && i < COST_RESOURCES; i++)
		json_double(j, cost_resource_name(i), t->busy[i]);
	json_object_end(j);
	json_double(j, "hpu_time_blocked", t->hpus_blocked);
	json_uint(j, "hpu_threads", p->loaded.traffic.hpu_threads);
	if (p->loaded.traffic.hpu_threads > 1)
		write_threads(j, &p->loaded.traffic);
	json_double(j, "energy_upper_bound_nj_per_packet", t->energy_nj);
	json_double(j, "power_upper_bound_w", (double)r->power_mw / 1e3);
	json_uint(j, "packets_lost", p->loaded.lost);
	json_uint(j, "packet_memory_peak_bytes", p->loaded.traffic.packet_memory_peak_bytes);
	json_uint(j, "messages_peak", p->loaded.traffic.messages_peak);
	json_uint(j, "hers_peak", p->loaded.traffic.hers_peak);
	json_uint(j, "held_back_ps", p->loaded.traffic.held_back_ps);
	json_uint(j, "amo_words", p->loaded.traffic.amo_words);
	json_uint(j, "host_outside", p->loaded.traffic.host_outside);
	json_object_end(j);
}

void cost_json__rates(struct json *j, const struct cost_report *r, const struct cost_point *p)
{
	json_array(j, "hpus_needed");
	for (unsigned i = 0; i < COST_RATES; i++) {
		const struct cost_rate *rate = &p->rates[i];

		json_object(j, NULL);
		json_double(j, "line_rate_gbit_per_s", rate->gbps);
		json_double(j, "hpus_packet_bytes", rate->hpus);
		json_double(j, "hpus_with_ethernet_38_bytes", rate->hpus_with_ethernet);
		json_double(j, "hpus_loaded_packet_bytes", rate->hpus_loaded);
		json_double(j, "hpus_loaded_with_ethernet_38_bytes", rate->hpus_loaded_with_ethernet);
		json_double(j, "reached", rate->reached);
		json_double(j, "reached_with_ethernet_38_bytes", rate->reached_with_ethernet);
		json_bool(j, "is_met", rate->is_met);
		json_bool(j, "is_met_with_ethernet_38_bytes", rate->is_met_with_ethernet);
		json_object_end(j);
	}
	json_array_end(j);
	write_throughput(j, r, p);
}

static void write_latency(struct json *j, const char *key, const struct cost_view *v)
{
	json_object(j, key);
	cost_table__json(j, cost_latency_columns, &v->latency_ps);
	cost_breakdown__json(j, "mean_ps_by_stage", &cost_stages, v);
	json_object_end(j);
}

void cost_json__stages(struct json *j, const struct cost_report *r)
{
	json_object(j, "latency");
	write_latency(j, "alone", &r->main.alone);
	write_latency(j, "cold", &r->main.cold);
	write_latency(j, "loaded", &r->main.loaded);
	json_object_end(j);
	json_object(j, "hpu_occupancy");
	json_uint(j, "slot_ps", r->occupancy.slot_ps);
	json_array(j, "busy_hpus");
	for (unsigned i = 0; i < r->occupancy.slots; i++)
		json_double(j, NULL, (double)r->occupancy.busy_ps[i] / (double)r->occupancy.slot_ps);
	json_array_end(j);
	json_object_end(j);
}

void cost_json__sizes(struct json *j, const struct cost_report *r)
{
	json_array(j, "sizes");
	for (unsigned i = 0; i < r->point_count; i++) {
		const struct cost_point *p = &r->points[i];

		json_object(j, NULL);
		cost_table__json(j, cost_size_columns, p);
		write_latency(j, "latency_alone", &p->alone);
		write_latency(j, "latency_loaded", &p->loaded);
		cost_json__rates(j, r, p);
		json_object_end(j);
	}
	json_array_end(j);
}
