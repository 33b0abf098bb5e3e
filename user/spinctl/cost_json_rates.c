/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <math.h>

#include "user/spinctl/cost_json.h"

static void threads(struct json *j, const struct pspin_traffic *seen)
{
	const double all = seen->span_ps ? (double)seen->span_ps * seen->hpus : 1;

	json_object(j, "hpu_time");
	json_double(j, "running", (double)seen->hpu_running_ps / all);
	json_double(j, "switching", (double)seen->hpu_switching_ps / all);
	json_double(j, "all_threads_wait", (double)seen->hpu_blocked_ps / all);
	json_double(j, "no_task", fmax(0, 1 - (double)seen->hpu_busy_ps / all));
	json_object_end(j);
}

static void throughput(struct json *j, const struct cost_report *r, const struct cost_point *p)
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
	json_object(j, "busy"); /* empty for a NIC that is shared: part of it would be others' */
	for (unsigned i = 0; !r->contexts && i < COST_RESOURCES; i++)
		json_double(j, cost_resource_name(i), t->busy[i]);
	json_object_end(j);
	json_double(j, "hpu_time_blocked", t->hpus_blocked);
	json_uint(j, "hpu_threads", p->loaded.traffic.hpu_threads);
	if (p->loaded.traffic.hpu_threads > 1)
		threads(j, &p->loaded.traffic);
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
	throughput(j, r, p);
}

static void latency(struct json *j, const char *key, const struct cost_view *v)
{
	json_object(j, key);
	json_uint(j, "min_ps", v->latency_ps.min);
	json_uint(j, "median_ps", v->latency_ps.median);
	json_uint(j, "p99_ps", v->latency_ps.p99);
	json_uint(j, "max_ps", v->latency_ps.max);
	json_double(j, "mean_ps", v->latency_ps.mean);
	json_object(j, "mean_ps_by_stage");
	for (unsigned s = 0; s < COST_STAGES; s++)
		json_double(j, cost_stage_name(s), v->stage_ps_mean[s]);
	json_object_end(j);
	json_object_end(j);
}

void cost_json__stages(struct json *j, const struct cost_report *r)
{
	json_object(j, "latency");
	latency(j, "alone", &r->main.alone);
	latency(j, "cold", &r->main.cold);
	latency(j, "loaded", &r->main.loaded);
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
		json_uint(j, "size_bytes", p->size);
		json_double(j, "packet_bytes", p->alone.packet_bytes_mean);
		json_uint(j, "warm_median_cycles", p->alone.packet_cycles.median);
		json_uint(j, "cold_median_cycles", p->cold.packet_cycles.median);
		json_uint(j, "loaded_median_cycles", p->loaded.packet_cycles.median);
		latency(j, "latency_alone", &p->alone);
		latency(j, "latency_loaded", &p->loaded);
		cost_json__rates(j, r, p);
		json_object_end(j);
	}
	json_array_end(j);
}
