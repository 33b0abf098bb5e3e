/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a collector has heard, as figures. */
#include "user/spinctl/cost_collect.h"

void cost_collector__occupancy(const struct cost_collector *c, struct cost_occupancy *out)
{
	*out = c->occupancy;
}

/* From a fifth to nine tenths of them: neither the first ones, when all is empty, nor the last. */
int cost_collector__rate(const struct cost_collector *c, double *packets_per_us, double *bytes_per_us)
{
	size_t n = c->done_ps.count, from = n / 5, to = n * 9 / 10;
	int is_steady = n >= COST_LOADED_PACKETS / 4;
	uint64_t since, until, bytes;

	*packets_per_us = *bytes_per_us = 0;
	if (!n)
		return 0;
	if (!is_steady)
		to = n - 1;
	since = is_steady ? c->done_ps.values[from] : 0;
	bytes = is_steady ? c->bytes_done[from] : 0;
	until = c->done_ps.values[to];
	if (!is_steady && c->first_ps < until)
		since = c->first_ps;
	if (until <= since)
		return 0;
	*packets_per_us = (double)(is_steady ? to - from : n) * 1e6 / (double)(until - since);
	*bytes_per_us = (double)(c->bytes_done[to] - bytes) * 1e6 / (double)(until - since);
	return is_steady;
}

uint64_t cost_collector__flow_ps(const struct cost_collector *c)
{
	return c->last_ps > c->offered_ps ? c->last_ps - c->offered_ps : 0;
}

uint64_t cost_collector__last_ps(const struct cost_collector *c)
{
	return c->last_ps;
}

void cost_collector__keep_tasks(struct cost_collector *c)
{
	c->keeps_tasks = 1;
}

uint64_t cost_collector__hpu_ps(const struct cost_collector *c, uint64_t until_ps)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->starts.count; i++) {
		uint64_t end = c->ends.values[i] < until_ps ? c->ends.values[i] : until_ps;

		if (end > c->starts.values[i])
			sum += end - c->starts.values[i];
	}
	return sum;
}

/* One that neither a packet nor its kind was told of has taken part, too. */
static void conclude_task(struct cost_collector *c, unsigned kind)
{
	struct cost_task *task = &c->view.tasks[kind];
	size_t n = c->body[kind].count;

	task->name = cost_task_name(kind);
	task->runs = n;
	task->cycles = cost_series__spread(&c->body[kind]);
	task->warm = c->warm[kind].count ? cost_series__spread(&c->warm[kind]) : task->cycles;
	if (!n)
		return;
	task->instructions_mean = (double)c->instructions[kind] / (double)n;
	task->ipc = task->cycles.mean > 0 ? task->instructions_mean / task->cycles.mean : 0;
}

void cost_collector__conclude(struct cost_collector *c, const struct pspin *nic, struct cost_view *out)
{
	struct cost_view *v = &c->view;
	double n = v->handled ? (double)v->handled : 1;

	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		conclude_task(c, k);
	v->lost = c->lost;
	v->packet_cycles = cost_series__spread(&c->packets);
	v->latency_ps = cost_series__spread(&c->latency);
	v->packet_instructions_mean = (double)c->packet_instructions / n;
	v->ipc = v->packet_cycles.mean > 0 ? v->packet_instructions_mean / v->packet_cycles.mean : 0;
	v->cycles_with_runtime_mean = (double)c->with_runtime / n;
	v->warm_with_runtime_mean = c->warm_packets ? (double)c->warm_with_runtime / (double)c->warm_packets : v->cycles_with_runtime_mean;
	v->packet_bytes_mean = (double)c->bytes / n;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		v->cause_cycles_mean[i] = (double)c->causes[i] / n;
	for (unsigned s = 0; s < COST_STAGES; s++)
		v->stage_ps_mean[s] = (double)c->stage_ps[s] / n;
	pspin__traffic(nic, &v->traffic);
	*out = *v;
}
