/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <string.h>

#include "user/spinctl/cost_sweep.h"

static int width(const struct cost_axis *axis)
{
	size_t length = strlen(axis->name);

	return length > 10 ? (int)length : 10;
}

void cost_sweep__text(const struct cost_sweep *sweep)
{
	printf("%s on %s, rule: %s; %u points\n"
	       "cycles and latency: medians, one packet after the other; the rest under load\n\n",
	       sweep->base->handler, sweep->base->target, sweep->base->rule, sweep->points);
	for (unsigned a = 0; a < sweep->axes; a++)
		printf("%*s ", width(&sweep->axis[a]), sweep->axis[a].name);
	printf("%10s %12s %9s %9s %10s  %s\n", "cycles", "latency ns", "Gbit/s", "Mpkt/s", "HPUs busy", "bound");
	for (unsigned i = 0; i < sweep->points; i++) {
		const struct cost_sweep_result *r = &sweep->results[i];
		char bound[COST_BOUND_TEXT];

		for (unsigned a = 0; a < sweep->axes; a++)
			printf("%*" PRIu64 " ", width(&sweep->axis[a]), cost_sweep__value(sweep, i, a));
		printf("%10" PRIu64 " %12.1f %9.1f %9.2f %10.1f  %s\n", r->cycles.median, (double)r->latency_ps.median / 1000,
		       r->throughput.gbps, r->throughput.packets_per_us, r->hpus_busy, cost_bound_name(&r->throughput, bound));
	}
}

static void point(struct json *j, const struct cost_sweep *sweep, unsigned i)
{
	const struct cost_sweep_result *r = &sweep->results[i];

	json_object(j, NULL);
	json_object(j, "at");
	for (unsigned a = 0; a < sweep->axes; a++)
		json_uint(j, sweep->axis[a].name, cost_sweep__value(sweep, i, a));
	json_object_end(j);
	json_double(j, "mean_packet_bytes", r->packet_bytes);
	json_uint(j, "median_cycles", r->cycles.median);
	json_uint(j, "median_latency_ps", r->latency_ps.median);
	json_uint(j, "p99_latency_ps", r->latency_ps.p99);
	json_double(j, "throughput_gbps", r->throughput.gbps);
	json_double(j, "packets_per_us", r->throughput.packets_per_us);
	json_double(j, "hpus_busy", r->hpus_busy);
	json_double(j, "hpus_needed_at_100_gbps", r->hpus_at_100_gbps);
	json_uint(j, "lost_packets", r->lost);
	json_double(j, "energy_nj_at_most", r->throughput.energy_nj);
	json_string(j, "bound", cost_resource_name(r->throughput.bound));
	json_object_end(j);
}

void cost_sweep__json(const struct cost_sweep *sweep)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "handler", sweep->base->handler);
	json_string(&j, "target", sweep->base->target);
	json_string(&j, "rule", sweep->base->rule);
	json_array(&j, "axes");
	for (unsigned a = 0; a < sweep->axes; a++) {
		json_object(&j, NULL);
		json_string(&j, "name", sweep->axis[a].name);
		json_string(&j, "unit", sweep->axis[a].unit);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "points");
	for (unsigned i = 0; i < sweep->points; i++)
		point(&j, sweep, i);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
