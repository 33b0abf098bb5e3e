/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes PsPIN's figure 4 from the NIC model: the time in which one HPU (a core of the NIC) copies 4 to 1024 bytes to its L1, by loads
 * and stores or by the cluster's DMA engine. The time of the same handler with 0 bytes is subtracted. Called by figures.c, for `make
 * figures`.
 */
#include <stdio.h>

#include "tests/figures/figures.h"

static const unsigned sizes[] = { 4, 16, 64, 256, 512, 1024 };
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const struct {
	const char *handler, *name;
} copies[] = {
	{ "copy_own_by_loads", "own L1, by loads" },
	{ "copy_remote_by_loads", "remote L1, by loads" },
	{ "copy_packet_by_loads", "L2 packets, by loads" },
	{ "copy_handler_by_loads", "L2 handler, by loads" },
	{ "copy_own_by_dma", "own L1, by DMA" },
	{ "copy_remote_by_dma", "remote L1, by DMA" },
	{ "copy_packet_by_dma", "L2 packets, by DMA" },
	{ "copy_handler_by_dma", "L2 handler, by DMA" },
};
#define COPIES (sizeof(copies) / sizeof(copies[0]))

/* Printed below the table: why a value differs from the paper's. */
static const char loop[] = "loop of lw, addi, sw, addi, bltu: 7 cycles in addition to the load's wait; the "
			   "PULP compiler has hardware loops and "
			   "post-increment";

static double measure_body(struct figures *f, const char *handler, unsigned bytes)
{
	const struct bench_run run = { .handler = handler,
				       .packet_bytes = 1024,
				       .bytes_in_l1 = 64,
				       .argument = bytes,
				       .has_argument = 1,
				       .packets = 16,
				       .messages = 1 };

	return figure__run(f, pspin_target__find("pspin"), &run).body_cycles;
}

void figure_4(struct figures *f)
{
	double x[SIZES], latency[COPIES][SIZES], bandwidth[COPIES][SIZES];
	struct svg_series series[COPIES] = { 0 };
	struct svg_plot plot = { .x_label = "bytes", .series = series, .count = COPIES, .log_x = 1, .log_y = 1 };
	char name[64];

	figure__begin(f, "PsPIN figure 4: data copy by one HPU into its L1");
	for (unsigned c = 0; c < COPIES; c++) {
		double none = measure_body(f, copies[c].handler, 0);

		for (unsigned s = 0; s < SIZES; s++) {
			x[s] = sizes[s];
			latency[c][s] = measure_body(f, copies[c].handler, sizes[s]) - none; /* at 1 GHz a cycle is 1 ns */
			bandwidth[c][s] = sizes[s] * 8 / latency[c][s];
		}
		series[c] = (struct svg_series){ .name = copies[c].name, .x = x, .y = latency[c], .count = SIZES };
		snprintf(name, sizeof(name), "figure4.%s.1024.latency", copies[c].handler + 5);
		figure__row(f, name, latency[c][5], "ns", NAN, NULL, c ? NULL : loop);
		snprintf(name, sizeof(name), "figure4.%s.1024.bandwidth", copies[c].handler + 5);
		figure__row(f, name, bandwidth[c][5], "Gbit/s", NAN, NULL, NULL);
	}
	figure__row(f, "figure4.l2_access", (latency[3][5] - latency[0][5]) / 256 + 1, "cycles", 25, "PsPIN 3.2.2: up to",
		    "of a load from L2 handler memory, measured: 21; the text gives an upper bound");
	plot.title = "Figure 4: data copy latency";
	plot.y_label = "ns";
	figure__plot(f, "figure_4_latency", &plot);
	for (unsigned c = 0; c < COPIES; c++)
		series[c].y = bandwidth[c];
	plot.title = "Figure 4: data copy bandwidth";
	plot.y_label = "Gbit/s";
	figure__plot(f, "figure_4_bandwidth", &plot);
}
