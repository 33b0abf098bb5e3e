/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <math.h>

#include "user/spinctl/cost_text.h"

static void spread_row(const char *name, const struct cost_spread *s)
{
	printf("%-12s %10.1f %10.1f %10.1f %10.1f %10.1f\n", name, (double)s->min / 1e3, (double)s->median / 1e3, (double)s->p99 / 1e3,
	       (double)s->max / 1e3, s->mean / 1e3);
}

/* Of HPUs that switch while a handler waits, where their time went. */
static void threads(const struct pspin_traffic *seen)
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
	const struct cost_view *alone = &r->main.alone, *cold = &r->main.cold, *loaded = &r->main.loaded;
	const struct cost_throughput *t = &r->main.throughput;

	printf("\n%-12s %10s %10s %10s %10s %10s   packet, first bit in to last byte out\n", "latency ns", "min", "median", "p99", "max",
	       "mean");
	spread_row("alone", &alone->latency_ps);
	spread_row("cold", &cold->latency_ps);
	spread_row("loaded", &loaded->latency_ps);
	printf("\n%-12s %10s %10s %10s   mean ns/packet\n", "stage", "alone", "cold", "loaded");
	for (unsigned s = 0; s < COST_STAGES; s++)
		if (alone->stage_ps_mean[s] > 0 || cold->stage_ps_mean[s] > 0 || loaded->stage_ps_mean[s] > 0)
			printf("%-12s %10.2f %10.2f %10.2f   %s\n", cost_stage_name(s), alone->stage_ps_mean[s] / 1e3,
			       cold->stage_ps_mean[s] / 1e3, loaded->stage_ps_mean[s] / 1e3, cost_stage_text(s));
	printf("\nunder load");
	if (r->offered_gbps > 0)
		printf(" at %g Gbit/s", r->offered_gbps);
	printf(", %" PRIu64 " packets: busy", t->packets);
	for (unsigned i = 0; i < COST_RESOURCES; i++)
		if (t->busy[i] >= 0.005)
			printf("  %s %.0f %%", cost_resource_name(i), 100 * t->busy[i]);
	threads(&loaded->traffic);
	printf("\nHPUs wait for commands and feedback %.0f %% of their time; packet memory at most %.1f KiB, %u messages and %u "
	       "HERs\nat once; ",
	       100 * t->hpus_blocked, loaded->traffic.packet_memory_peak_bytes / 1024.0, loaded->traffic.messages_peak,
	       loaded->traffic.hers_peak);
	if (loaded->lost)
		printf("%" PRIu64 " packets lost for want of room; ", loaded->lost);
	printf("energy at most %.1f nJ per packet (upper bound: %.1f W all the time)\n", t->energy_nj, (double)r->power_mw / 1e3);
}
