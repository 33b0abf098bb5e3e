/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "user/spinctl/cost_json.h"

static void spread(struct json *j, const struct cost_spread *c)
{
	json_uint(j, "min_cycles", c->min);
	json_uint(j, "median_cycles", c->median);
	json_uint(j, "p99_cycles", c->p99);
	json_uint(j, "max_cycles", c->max);
	json_double(j, "mean_cycles", c->mean);
}

static void spread_object(struct json *j, const char *key, uint64_t runs, const struct cost_spread *c)
{
	json_object(j, key);
	json_uint(j, "tasks", runs);
	json_uint(j, "min", c->min);
	json_uint(j, "median", c->median);
	json_uint(j, "p99", c->p99);
	json_uint(j, "max", c->max);
	json_double(j, "mean", c->mean);
	json_object_end(j);
}

static void task(struct json *j, const struct cost_point *p, unsigned kind)
{
	const struct cost_task *t = &p->alone.tasks[kind];

	json_object(j, NULL);
	json_string(j, "handler", t->name);
	json_uint(j, "runs", t->runs);
	spread(j, &t->cycles);
	json_double(j, "mean_instructions", t->instructions_mean);
	json_double(j, "instructions_per_cycle", t->ipc);
	json_uint(j, "nic_sends", t->nic_sends);
	json_uint(j, "host_dmas", t->host_dmas);
	json_uint(j, "host_dmas_from_host", t->host_reads);
	json_uint(j, "host_writes", t->host_writes);
	json_uint(j, "errors", t->errors);
	json_uint(j, "cold_runs", t->cold_runs);
	spread_object(j, "cycles_warm", t->runs - (t->cold_runs < t->runs ? t->cold_runs : 0), &t->warm);
	spread_object(j, "cycles_cold", p->cold.tasks[kind].runs, &p->cold.tasks[kind].cycles);
	spread_object(j, "cycles_loaded", p->loaded.tasks[kind].runs, &p->loaded.tasks[kind].cycles);
	json_object_end(j);
}

static void causes(struct json *j, const char *key, const struct cost_view *v)
{
	json_object(j, key);
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		json_double(j, rv32_cause_name(c), v->cause_cycles_mean[c]);
	json_object_end(j);
}

static void parts(struct json *j, const struct cost_report *r)
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

static void lines(struct json *j, const char *key, const struct cost_lines *lines, double n)
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

static void packet(struct json *j, const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;

	json_object(j, "packet");
	spread(j, &v->packet_cycles);
	json_double(j, "mean_instructions", v->packet_instructions_mean);
	json_double(j, "instructions_per_cycle", v->ipc);
	json_double(j, "mean_cycles_with_runtime", v->cycles_with_runtime_mean);
	json_double(j, "mean_cycles_with_runtime_warm", v->warm_with_runtime_mean);
	json_uint(j, "runtime_cycles_per_task", r->runtime_cycles);
	json_object_end(j);
	causes(j, "mean_cycles_per_packet_by_cause", v);
	causes(j, "mean_cycles_per_packet_by_cause_cold", &r->main.cold);
	causes(j, "mean_cycles_per_packet_by_cause_loaded", &r->main.loaded);
	parts(j, r);
}

static void worst(struct json *j, const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;

	json_object(j, "most_cycles_seen");
	json_uint(j, "packet_number", v->handled ? v->worst_packet + 1 : 0);
	json_uint(j, "packet_bytes", v->worst_bytes);
	json_uint(j, "cycles", v->worst_cycles);
	lines(j, "lines", &r->worst, 1);
	json_object_end(j);
}

static void fits(struct json *j, const struct cost_report *r)
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

static void heading(struct json *j, const struct cost_report *r)
{
	json_string(j, "handler", r->handler);
	json_string(j, "target", r->target);
	json_double(j, "clock_ghz", r->clock_ghz);
	json_uint(j, "hpus", r->hpus);
	json_string(j, "rule", r->rule);
	json_string(j, "trace", r->trace);
	if (!r->trace) {
		json_uint(j, r->takes_messages ? "messages_made" : "datagrams_made", r->made.messages);
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
	heading(j, r);
	json_array(j, "handlers");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->main.alone.tasks[k].runs)
			task(j, &r->main, k);
	json_array_end(j);
	packet(j, r);
	cost_json__rates(j, r, &r->main);
	cost_json__stages(j, r);
	lines(j, "lines", &r->lines, r->main.alone.handled ? (double)r->main.alone.handled : 1);
	worst(j, r);
	cost_json__xpulp(j, r);
	cost_json__sizes(j, r);
	fits(j, r);
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
