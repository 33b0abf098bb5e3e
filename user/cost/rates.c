/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Derives the figures of a report of spinctl cost from measured passes: the bottleneck, how many HPUs (the NIC's processors) a line rate
 * needs, which rates are met, energy. Called by reports, sweeps and advice.
 */
#include <math.h>

#include "user/cost/run.h"

/* Header, FCS, preamble, start delimiter and gap of an IP packet's frame (IEEE 802.3). */
#define ETHERNET_BYTES 38
/* Fractions of the time. A resource that is busy less than this is not the bottleneck (BUSY_MIN) or not saturated (SATURATED). */
#define BUSY_MIN  0.5
#define SATURATED 0.9
/* Fraction of the HPUs' time. If HPUs wait this long for a memory, the memory is the bottleneck. */
#define MEMORY_WAIT 0.25

const char *cost_resource_name(enum cost_resource resource)
{
	static const char *const names[COST_SHARED + 1] = {
		[COST_LINK] = "link",
		[COST_COPY_PORT] = "packet copy port",
		[COST_HPUS] = "HPUs",
		[COST_L1_BANKS] = "L1 banks",
		[COST_L1_PORT] = "L1 port for other clusters",
		[COST_L2_PORT] = "L2 port",
		[COST_SEND] = "sends",
		[COST_TO_HOST] = "DMA to host",
		[COST_FROM_HOST] = "DMA from host",
		[COST_HOST_DIRECT] = "host-direct writes",
		[COST_RESOURCES] = "latency: nothing is busy",
		[COST_SHARED] = "what contexts share",
	};

	return names[resource];
}

const char *cost_bound_name(const struct cost_throughput *t, char text[COST_BOUND_TEXT])
{
	if (t->bound == COST_L1_PORT)
		snprintf(text, COST_BOUND_TEXT, "L1 of cluster %u, port", t->l1_cluster);
	else
		snprintf(text, COST_BOUND_TEXT, "%s", cost_resource_name(t->bound));
	return text;
}

const char *cost_bound_text(const struct cost_throughput *t, char text[COST_BOUND_TEXT])
{
	const char *name = cost_resource_name(t->bound);

	if (t->waits_for_memory && t->bound == COST_L1_PORT)
		snprintf(text, COST_BOUND_TEXT,
			 "L1 of cluster %u: its port for other clusters is %.0f %% busy, HPUs wait for it %.0f %% "
			 "of their time",
			 t->l1_cluster, 100 * t->busy[t->bound], 100 * t->memory_wait);
	else if (t->waits_for_memory)
		snprintf(text, COST_BOUND_TEXT, "%s: HPUs wait for it %.0f %% of their time", name, 100 * t->memory_wait);
	else if (t->waits_for_commands)
		snprintf(text, COST_BOUND_TEXT, "%s: HPUs wait for it %.0f %% of their time", name, 100 * t->hpus_blocked);
	else if (t->bound >= COST_RESOURCES)
		snprintf(text, COST_BOUND_TEXT, "%s", name);
	else
		snprintf(text, COST_BOUND_TEXT, "%s, %.0f %% busy", name, 100 * t->busy[t->bound]);
	return text;
}

/*
 * Returns the cycles per packet that an HPU waits for commands under load, minus those when it runs alone. This is the wait for
 * commands of other HPUs.
 */
static double waits_for_others(const struct cost_point *p)
{
	const double *loaded = p->loaded.cause_cycles_mean, *alone = p->alone.cause_cycles_mean;

	return fmax(0, loaded[RV32_CYC_COMMAND] + loaded[RV32_CYC_BLOCKED] - alone[RV32_CYC_COMMAND] - alone[RV32_CYC_BLOCKED]);
}

/*
 * Handles the case that all HPUs are occupied, partly waiting for other HPUs' commands, and no data path is saturated. Then the
 * maximum number of commands is in flight, and the bottleneck is the kind of command that is issued most.
 */
static void find_commands(struct cost_throughput *t, const struct cost_view *loaded, double waiting)
{
	uint64_t issued[COST_RESOURCES] = { 0 };
	enum cost_resource most = COST_SEND;

	if ((t->bound != COST_HPUS && t->bound != COST_RESOURCES && t->busy[t->bound] >= SATURATED) || waiting < 0.1 ||
	    t->busy[COST_HPUS] / (1 - fmin(waiting, 0.99)) < SATURATED)
		return;
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		const struct cost_task *task = &loaded->tasks[k];

		issued[COST_SEND] += task->nic_sends;
		issued[COST_TO_HOST] += task->host_dmas - task->host_reads;
		issued[COST_FROM_HOST] += task->host_reads;
		issued[COST_HOST_DIRECT] += task->host_writes;
	}
	for (unsigned i = COST_SEND; i < COST_RESOURCES; i++)
		if (issued[i] > issued[most])
			most = (enum cost_resource)i;
	t->waits_for_commands = issued[most] > 0;
	if (t->waits_for_commands)
		t->bound = most;
}

/*
 * Handles the case that all HPUs are occupied but often wait for a memory: more HPUs would wait longer. Waits for L2 and for the own
 * L1's banks that also occur when the handler runs alone are not contention. Another cluster's L1 is accessed only if the packets
 * are spread over several clusters.
 */
static void find_memory(struct cost_throughput *t, const struct cost_point *p, double hpu_cycles)
{
	static const struct {
		enum rv32_cause cause;
		enum cost_resource resource;
		int is_own;
	} memories[] = {
		{ RV32_CYC_REMOTE, COST_L1_PORT, 0 },
		{ RV32_CYC_L2, COST_L2_PORT, 1 },
		{ RV32_CYC_L1, COST_L1_BANKS, 1 },
	};

	if (t->bound != COST_HPUS || t->busy[COST_HPUS] < SATURATED || hpu_cycles <= 0)
		return;
	for (unsigned i = 0; i < sizeof(memories) / sizeof(memories[0]); i++) {
		enum rv32_cause cause = memories[i].cause;
		double own = memories[i].is_own ? p->alone.cause_cycles_mean[cause] : 0;
		double waits = (p->loaded.cause_cycles_mean[cause] - own) / hpu_cycles;

		if (waits < MEMORY_WAIT || waits <= t->memory_wait)
			continue;
		t->waits_for_memory = 1;
		t->memory_wait = waits;
		t->bound = memories[i].resource;
	}
}

/* Computes the busy fraction of each resource at the measured rate, and the bottleneck. For HPUs, waits for other HPUs do not count. */
static void find_bound(const struct cost_report *r, struct cost_point *p)
{
	const struct pspin_traffic *traffic = &p->loaded.traffic;
	struct cost_throughput *t = &p->throughput;
	double n = p->loaded.handled ? (double)p->loaded.handled : 1, hpus_ps = (double)traffic->hpu_busy_ps / n;
	double waits_ps = traffic->hpu_threads > 1 ? (double)traffic->hpu_blocked_ps / n : waits_for_others(p) * 1e3 / r->clock_ghz;
	double waiting = hpus_ps > 0 ? fmin(1, waits_ps / hpus_ps) : 0;
	const double busy_ps[COST_RESOURCES] = {
		[COST_LINK] = (double)traffic->link_in_ps / n,
		[COST_COPY_PORT] = (double)traffic->packet_read_ps / n,
		[COST_HPUS] = hpus_ps * (1 - waiting) / (traffic->hpus ? traffic->hpus : 1),
		[COST_L1_PORT] = (double)traffic->l1_port_ps / n,
		[COST_L2_PORT] = (double)traffic->l2_port_ps / n,
		[COST_SEND] = (double)traffic->send_ps / n,
		[COST_TO_HOST] = (double)traffic->to_host_ps / n,
		[COST_FROM_HOST] = (double)traffic->from_host_ps / n,
		[COST_HOST_DIRECT] = (double)traffic->host_direct_ps / n,
	};

	t->hpus_blocked = traffic->hpu_busy_ps ? (double)traffic->hpu_blocked_ps / (double)traffic->hpu_busy_ps : 0;
	t->bound = r->contexts ? COST_SHARED : COST_LINK;
	if (r->contexts)
		return;
	for (unsigned i = 0; i < COST_RESOURCES; i++) {
		t->busy[i] = fmin(1, busy_ps[i] * t->packets_per_us * 1e-6);
		if (t->busy[i] > t->busy[t->bound])
			t->bound = (enum cost_resource)i;
	}
	t->l1_cluster = traffic->l1_port_cluster;
	if (t->busy[t->bound] < BUSY_MIN)
		t->bound = COST_RESOURCES;
	find_commands(t, &p->loaded, waiting);
	find_memory(t, p, hpus_ps * r->clock_ghz / 1e3);
}

static void find_rate(const struct cost_report *r, struct cost_point *p, struct cost_rate *rate)
{
	double bytes = p->alone.packet_bytes_mean, cycles_ns = p->alone.warm_with_runtime_mean / r->clock_ghz;
	double loaded_ns = p->loaded.cycles_with_runtime_mean / r->clock_ghz;

	/* packets per ns, times ns per packet */
	rate->hpus = rate->gbps / (8 * bytes) * cycles_ns;
	rate->hpus_with_ethernet = rate->gbps / (8 * (bytes + ETHERNET_BYTES)) * cycles_ns;
	rate->hpus_loaded = rate->gbps / (8 * bytes) * loaded_ns;
	rate->hpus_loaded_with_ethernet = rate->gbps / (8 * (bytes + ETHERNET_BYTES)) * loaded_ns;
	rate->reached = p->throughput.gbps / rate->gbps;
	rate->reached_with_ethernet = p->throughput.gbps_with_ethernet / rate->gbps;
	rate->is_met = rate->reached >= COST_MET;
	rate->is_met_with_ethernet = rate->reached_with_ethernet >= COST_MET;
}

void cost_rates(const struct cost_report *r, struct cost_point *p)
{
	static const double rates_gbps[COST_RATES] = { 100, 200, 400 };
	struct cost_throughput *t = &p->throughput;

	t->gbps_with_ethernet = t->gbps + t->packets_per_us * ETHERNET_BYTES * 8e-3;
	t->energy_nj = t->packets_per_us > 0 ? (double)r->power_mw / t->packets_per_us : 0;
	find_bound(r, p);
	for (unsigned i = 0; i < COST_RATES; i++) {
		p->rates[i].gbps = rates_gbps[i];
		if (p->alone.handled)
			find_rate(r, p, &p->rates[i]);
	}
}

/* Fits cycles = a + b * bytes by least squares over the sizes that had a task of this kind. */
static void fit(const struct cost_report *r, enum pspin_task_kind kind, struct cost_fit *out)
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, d;

	for (unsigned i = 0; i < r->point_count; i++) {
		const struct cost_view *v = &r->points[i].alone;
		double bytes = v->packet_bytes_mean, cycles = (double)v->tasks[kind].warm.median;

		if (!v->tasks[kind].runs)
			continue;
		n++;
		x += bytes;
		y += cycles;
		xx += bytes * bytes;
		xy += bytes * cycles;
	}
	d = n * xx - x * x;
	if (n < 2 || d < 1)
		return;
	*out = (struct cost_fit){ .is_known = 1, .points = (unsigned)n, .b = (n * xy - x * y) / d };
	out->a = (y - out->b * x) / n;
	for (unsigned i = 0; i < r->point_count; i++) {
		const struct cost_view *v = &r->points[i].alone;

		if (v->tasks[kind].runs)
			out->worst_residual = fmax(out->worst_residual,
						   fabs((double)v->tasks[kind].warm.median - out->a - out->b * v->packet_bytes_mean));
	}
}

void cost_fits(struct cost_report *r)
{
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		fit(r, (enum pspin_task_kind)k, &r->fits[k]);
}
