/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>

#include "user/spinctl/run_cost.h"

/* What is reported of a context; text and JSON come from this. */
struct figures {
	const struct run_cost_sums *sums;
	double cycles; /* mean per packet that handlers ran for */
	double hpus;   /* that the packets of the report's time would keep busy */
};

static struct figures figures_of(const struct run_cost *cost, const struct run_set *set, unsigned i, const struct run_report *r)
{
	struct figures f = { .sums = r->final ? &cost->context[i].all : &cost->context[i].interval };
	const struct run_counts *counts = &set->context[i].counts;
	double seconds = r->final ? r->time_s : r->interval_s;
	uint64_t packets = counters__sum(r->final ? counts->packets : counts->in_interval);

	if (!f.sums->handled)
		return f;
	f.cycles = (double)f.sums->cycles / (double)f.sums->handled;
	if (seconds > 0)
		f.hpus = (double)packets / seconds * 1e-9 * (double)f.sums->cycles_with_runtime / (double)f.sums->samples /
			 pspin_target__clock_ghz(cost->target);
	return f;
}

static void context_text(const struct run_cost *cost, const struct run_set *set, unsigned i, const struct run_report *r)
{
	struct figures f = figures_of(cost, set, i, r);

	printf("%10s %-15s ", "cost", set->context[i].name);
	if (!f.sums->handled)
		printf("%12s HPU cycles: no handler ran in the model for %" PRIu64 " packets", "-", f.sums->samples);
	else
		printf("%12.1f HPU cycles a packet (%" PRIu64 " to %" PRIu64 "), mean of %" PRIu64 "; at this rate %.5f of %s's %u HPUs",
		       f.cycles, f.sums->min, f.sums->max, f.sums->handled, f.hpus, pspin_target__name(cost->target), cost->hpus);
	if (f.sums->faults)
		printf("; %" PRIu64 " trapped or did not end in the model", f.sums->faults);
	if (f.sums->missed)
		printf("; %" PRIu64 " missed", f.sums->missed);
	putchar('\n');
}

void run_cost__text(const struct run_cost *cost, const struct run_set *set, const struct run_report *r)
{
	if (r->final)
		putchar('\n');
	for (unsigned i = 0; i < cost->models; i++)
		context_text(cost, set, i, r);
	for (unsigned i = 0; i < cost->devices; i++) {
		const struct run_cost_device *d = &cost->device[i];
		double ns = r->final ? d->ns_per_packet : d->ns_per_packet_in_interval;

		if (d->is_known && ns > 0)
			printf("%10s %-15s %12.0f ns a packet here, matching and handlers\n", "cost", spin_nic__name(set->device[i].nic),
			       ns);
	}
}

void run_cost__context_json(struct json *j, const struct run_cost *cost, const struct run_set *set, unsigned i, const struct run_report *r)
{
	struct figures f = figures_of(cost, set, i, r);

	json_object(j, "cost");
	json_string(j, "target", pspin_target__name(cost->target));
	json_uint(j, "sampled_packets", f.sums->samples);
	json_uint(j, "handled_packets", f.sums->handled);
	json_uint(j, "faulty_packets", f.sums->faults);
	json_uint(j, "missed_packets", f.sums->missed);
	if (f.sums->handled) {
		json_double(j, "mean_cycles", f.cycles);
		json_uint(j, "min_cycles", f.sums->min);
		json_uint(j, "max_cycles", f.sums->max);
		json_double(j, "hpus_at_this_rate", f.hpus);
	}
	json_object_end(j);
}

void run_cost__device_json(struct json *j, const struct run_cost *cost, unsigned i, const struct run_report *r)
{
	const struct run_cost_device *d = &cost->device[i];
	double ns = r->final ? d->ns_per_packet : d->ns_per_packet_in_interval;

	if (d->is_known && ns > 0)
		json_double(j, "ns_per_packet", ns);
	else
		json_string(j, "ns_per_packet", NULL);
}
