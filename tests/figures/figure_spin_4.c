/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes figure 4 of the sPIN paper from a modelled NIC's parameters: HPUs (cores of the NIC) needed, by packet size and handler time
 * (handler time / time between packets). From the NIC model also the longest handlers with which 8 HPUs keep up with the link, beside the
 * paper's 53 and 650 ns. Called by figures.c, for `make figures`.
 */
#include <stdio.h>

#include "tests/figures/figures.h"
#include "tests/figures/longest.h"

#define POINTS 128
#define CURVES 4

static uint64_t parameter(const struct pspin_target *target, const char *name)
{
	uint64_t value = 0;

	pspin_target__get(target, name, &value);
	return value;
}

/* Returns the ns between packets on the link: sPIN 4.4.2, 1 / min(1 / g, 1 / (G s)). */
static double packet_ns(const struct pspin_target *target, double bytes)
{
	const double gap = (double)parameter(target, "link_gap_ps") / 1000;
	const double time = bytes * 8 * 1000 / (double)parameter(target, "link_mbps");

	return gap > time ? gap : time;
}

static void plot(struct figures *f, const struct pspin_target *target)
{
	static const double times[CURVES] = { 50, 100, 200, 400 };
	static const char *const names[CURVES] = { "T = 50 ns", "T = 100 ns", "T = 200 ns", "T = 400 ns" };
	double x[POINTS], hpus[CURVES][POINTS];
	struct svg_series series[CURVES] = { 0 };
	const struct svg_plot plot = { .title = "sPIN figure 4: HPUs needed at line rate",
				       .x_label = "packet bytes",
				       .y_label = "HPUs",
				       .series = series,
				       .count = CURVES };

	for (unsigned c = 0; c < CURVES; c++) {
		for (unsigned i = 0; i < POINTS; i++) {
			x[i] = 4096.0 * (i + 1) / POINTS;
			hpus[c][i] = times[c] / packet_ns(target, x[i]);
		}
		series[c] = (struct svg_series){ names[c], x, hpus[c], POINTS, 0, 0, 0 };
	}
	figure__plot(f, "spin_figure_4", &plot);
}

static const char little[] = "Little's law has no start and end of handlers; PsPIN's runtime loop "
			     "and scheduler take cycles of each";
static const char rounding[] = "sPIN's figures are rounded: 8 x 20 ps x 4096 B = 655 ns";

void figure_spin_4(struct figures *f)
{
	struct pspin_target *target = figure__target("spin-discrete", "hpu_threads", 2); /* 2 per HPU: L1 has stacks for 16 threads */
	const double gap = packet_ns(target, 0), byte_ns = packet_ns(target, 1 << 20) / (1 << 20);

	figure__set(target, "hpus", 8);
	figure__begin(f, "sPIN figure 4: HPUs needed; spin-discrete with the 8 HPUs of sPIN 4.4.2");
	figure__row(f, "spin4.rate_small", 1000 / gap, "Mmps", 150, "sPIN 4.4.2", NULL);
	figure__row(f, "spin4.rate_4096", 1000 / packet_ns(target, 4096), "Mmps", 12.5, "sPIN 4.4.2", rounding);
	figure__row(f, "spin4.crossover", gap / byte_ns, "bytes", 335, "sPIN 4.4.2", NULL);
	figure__row(f, "spin4.longest_any", 8 * gap, "ns", 53, "sPIN 4.4.2", NULL);
	figure__row(f, "spin4.longest_4096", 8 * packet_ns(target, 4096), "ns", 650, "sPIN 4.4.2", rounding);
	figure__row(f, "spin4.longest_any.model", longest_at(f, target, 64, gap), "ns", 53, "sPIN 4.4.2", little);
	figure__row(f, "spin4.longest_4096.model", longest_at(f, target, 4096, packet_ns(target, 4096)), "ns", 650, "sPIN 4.4.2", little);
	plot(f, target);
	pspin_target__free(target);
}
