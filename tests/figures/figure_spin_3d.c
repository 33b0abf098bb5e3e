/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes figure 3d of the sPIN paper from the NIC model: throughput of accumulating (multiplying) a message of 1 MiB in host memory, by
 * packet size, with the code of the paper's listing C.3.2 (handler c32_accumulate in tests/handlers). The goal is ours: 30 Gbit/s with
 * 512-byte packets on the target spin-discrete. Called by figures.c, for `make figures`.
 */
#include <stdio.h>
#include <string.h>

#include "tests/figures/figures.h"
#include "tests/figures/workload.h"

#define MESSAGE_BYTES (1u << 20)
#define GOAL_GBPS     30 /* on spin-discrete with 512-byte packets */
#define TARGETS       2
#define SIZES         4

static const unsigned sizes[SIZES] = { 512, 1024, 2048, 4096 };

static double run(struct figures *f, const char *name, unsigned packet_bytes)
{
	const struct workload w = { .handler = "c32_accumulate", .takes_messages = 1, .message_bytes = MESSAGE_BYTES };
	struct bench_result result;
	char err[512] = "";

	if (!workload__run(&w, pspin_target__find(name), packet_bytes, MESSAGE_BYTES / packet_bytes, 1, &result, err, sizeof(err)))
		return result.gbps;
	fprintf(stderr, "figures: c32_accumulate on %s, packets of %u bytes: %s\n", name, packet_bytes, err);
	f->failed = 1;
	return NAN;
}

void figure_spin_3d(struct figures *f)
{
	static const char *const targets[TARGETS] = { "spin-discrete", "spin-integrated" };
	double x[SIZES], gbps[TARGETS][SIZES];
	struct svg_series series[TARGETS] = { 0 };
	const struct svg_plot plot = { .title = "sPIN figure 3d: accumulate",
				       .x_label = "packet bytes",
				       .y_label = "Gbit/s",
				       .series = series,
				       .count = TARGETS,
				       .log_x = 1 };
	char name[64];

	figure__begin(f, "sPIN figure 3d: a message of 1 MiB is multiplied into host memory (C.3.2)");
	for (unsigned t = 0; t < TARGETS; t++) {
		for (unsigned i = 0; i < SIZES; i++) {
			x[i] = sizes[i];
			gbps[t][i] = run(f, targets[t], sizes[i]);
			snprintf(name, sizeof(name), "spin3d.%s.%u", targets[t], sizes[i]);
			figure__row(f, name, gbps[t][i], "Gbit/s", NAN, NULL, NULL);
			if (!t && sizes[i] == 512)
				figure__goal_at_least(f, GOAL_GBPS);
		}
		series[t] = (struct svg_series){ targets[t], x, gbps[t], SIZES, 0, 0, 0 };
	}
	figure__plot(f, "spin_figure_3d", &plot);
}
