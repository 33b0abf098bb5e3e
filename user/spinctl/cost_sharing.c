/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The report of several contexts of one NIC: who had how much and when it was done, then each one's own. */
#include <inttypes.h>

#include "user/spinctl/cost.h"

double cost_sharing__share(const struct cost_sharing *s, unsigned i)
{
	double all = 0;

	for (unsigned k = 0; k < s->count; k++)
		all += (double)s->flows[k].hpu_ps;
	return all > 0 ? (double)s->flows[i].hpu_ps / all : 0;
}

double cost_sharing__slowdown(const struct cost_flow *f)
{
	return f->alone_ps ? (double)f->done_ps / (double)f->alone_ps : 0;
}

static void flow_row(const struct cost_sharing *s, unsigned i)
{
	const struct cost_flow *f = &s->flows[i];
	const struct cost_view *loaded = &f->report->main.loaded;

	printf("%u %-15s %9" PRIu64 " %10.1f %10.1f %8.2f %7u %8.1f %% %10.1f %10.1f   %s\n", i + 1, f->report->handler, loaded->handled,
	       (double)f->done_ps / 1e6, (double)f->alone_ps / 1e6, cost_sharing__slowdown(f), f->weight, 100 * cost_sharing__share(s, i),
	       (double)loaded->latency_ps.median / 1e3, (double)loaded->latency_ps.p99 / 1e3, f->report->rule);
}

void cost_sharing__text(const struct cost_sharing *s)
{
	printf("%u contexts on %s, scheduler %s\n\n", s->count, s->target, s->scheduler);
	printf("%-17s %9s %10s %10s %8s %7s %10s %10s %10s\n", "context", "packets", "flow us", "alone us", "slowdown", "weight",
	       "HPU time", "median ns", "p99 ns");
	for (unsigned i = 0; i < s->count; i++)
		flow_row(s, i);
	printf("\nflow: completion time, from a context's first packet being offered to its last one being done with\n"
	       "HPU time: up to when the first flow was done, that of %u after %.1f us; HPUs were busy %.0f %% of that time\n"
	       "Jain's index: %.3f of HPU time divided by weight up to then, %.3f of speed (flow alone / flow here)\n",
	       s->first + 1, (double)s->until_ps / 1e6, 100 * s->hpus_busy, s->jain_hpu_time, s->jain_speed);
	printf("assumed of a NIC that contexts share:\n");
	for (const char *const *a = s->assumptions; *a; a++)
		printf("  %s\n", *a);
	for (unsigned i = 0; i < s->count; i++) {
		printf("\n--- context %u of %u; under load all are on the NIC ---\n", i + 1, s->count);
		cost_text__print(s->flows[i].report);
	}
}

void cost_sharing__json(const struct cost_sharing *s)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_object(&j, "sharing");
	json_string(&j, "target", s->target);
	json_string(&j, "scheduler", s->scheduler);
	json_uint(&j, "first_flow_done_ps", s->until_ps);
	json_uint(&j, "first_flow_done_context", s->first + 1);
	json_double(&j, "hpus_busy_until_then", s->hpus_busy);
	json_double(&j, "jains_index_of_hpu_time_by_weight", s->jain_hpu_time);
	json_double(&j, "jains_index_of_speed", s->jain_speed);
	json_array(&j, "assumptions");
	for (const char *const *a = s->assumptions; *a; a++)
		json_string(&j, NULL, *a);
	json_array_end(&j);
	json_object_end(&j);
	json_array(&j, "contexts");
	for (unsigned i = 0; i < s->count; i++) {
		const struct cost_flow *f = &s->flows[i];

		json_object(&j, NULL);
		json_uint(&j, "context", i + 1);
		json_uint(&j, "weight", f->weight);
		json_uint(&j, "flow_completion_ps", f->done_ps);
		json_uint(&j, "flow_completion_alone_ps", f->alone_ps);
		json_double(&j, "slowdown", cost_sharing__slowdown(f));
		json_uint(&j, "hpu_time_until_first_flow_done_ps", f->hpu_ps);
		json_double(&j, "share_of_hpu_time", cost_sharing__share(s, i));
		json_object(&j, "report");
		cost_json__report(&j, f->report);
		json_object_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
