/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cost.h"

static void spread(struct json *j, const struct cost_spread *c)
{
	json_uint(j, "min_cycles", c->min);
	json_uint(j, "median_cycles", c->median);
	json_uint(j, "p99_cycles", c->p99);
	json_uint(j, "max_cycles", c->max);
	json_double(j, "mean_cycles", c->mean);
}

static void task(struct json *j, const struct cost_task *t)
{
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
	json_object_end(j);
}

static void shares(struct json *j, const struct cost_report *r)
{
	json_object(j, "cycles_per_packet_by_cause");
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		json_double(j, rv32_cause_name(c), r->cause_cycles_mean[c]);
	json_object_end(j);
	json_object(j, "cycles_per_packet_by_part");
	for (unsigned p = 0; p < COST_PARTS; p++)
		json_double(j, cost_part_name(p), r->part_cycles_mean[p]);
	json_object_end(j);
	json_object(j, "instructions_per_packet_by_part");
	for (unsigned p = 0; p < COST_PARTS; p++)
		json_double(j, cost_part_name(p), r->part_instructions_mean[p]);
	json_object_end(j);
}

static void lines(struct json *j, const struct cost_report *r)
{
	json_array(j, "lines");
	for (unsigned i = 0; i < r->line_count; i++) {
		const struct cost_line *l = &r->lines[i];

		json_object(j, NULL);
		json_string(j, "file", l->file);
		json_uint(j, "line", l->line);
		json_string(j, "part", cost_part_name(l->part));
		json_double(j, "cycles_per_packet", (double)l->cycles / (double)r->handled);
		json_double(j, "instructions_per_packet", (double)l->instructions / (double)r->handled);
		json_string(j, "text", l->text);
		json_object_end(j);
	}
	json_array_end(j);
}

static void rates(struct json *j, const struct cost_report *r)
{
	json_array(j, "hpus_needed");
	for (unsigned i = 0; i < COST_RATES; i++) {
		json_object(j, NULL);
		json_double(j, "line_rate_gbit_per_s", r->rates[i].gbps);
		json_double(j, "hpus_packet_bytes", r->rates[i].hpus);
		json_double(j, "hpus_with_ethernet_38_bytes", r->rates[i].hpus_with_ethernet);
		json_object_end(j);
	}
	json_array_end(j);
}

void cost_json__print(const struct cost_report *r)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "handler", r->handler);
	json_string(&j, "target", r->target);
	json_double(&j, "clock_ghz", r->clock_ghz);
	json_string(&j, "rule", r->rule);
	json_string(&j, "trace", r->trace);
	if (!r->trace) {
		json_uint(&j, "messages_made", r->made.messages);
		json_uint(&j, "packets_per_message", r->made.packets);
		json_uint(&j, "payload_bytes_per_packet", r->made.payload_bytes);
	}
	json_string(&j, "compiler", r->compiler);
	json_string(&j, "isa", r->isa);
	json_uint(&j, "frames", r->frames);
	json_uint(&j, "frames_cut_short", r->cut_short);
	json_uint(&j, "handled_packets", r->handled);
	json_double(&j, "mean_packet_bytes", r->packet_bytes_mean);
	counters__json(&j, r->packets, r->takes_messages);
	json_array(&j, "handlers");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->tasks[k].runs)
			task(&j, &r->tasks[k]);
	json_array_end(&j);
	json_object(&j, "packet");
	spread(&j, &r->packet_cycles);
	json_double(&j, "mean_instructions", r->packet_instructions_mean);
	json_double(&j, "instructions_per_cycle", r->ipc);
	json_double(&j, "mean_cycles_with_runtime", r->cycles_with_runtime_mean);
	json_uint(&j, "runtime_cycles_per_task", r->runtime_cycles);
	json_object_end(&j);
	shares(&j, r);
	rates(&j, r);
	lines(&j, r);
	json_array(&j, "assumptions");
	for (const char *const *a = r->assumptions; a && *a; a++)
		json_string(&j, NULL, *a);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
