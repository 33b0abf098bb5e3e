/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes figure 7a of the sPIN paper from the NIC model: throughput of handlers/strided_ddt.c, which receives a message of 4 MiB into
 * blocks of 16 bytes to 64 KiB with gaps of the same size between them, by block size. Called by figures.c, for `make figures`.
 */
#include <stdio.h>
#include <string.h>

#include "tests/figures/figures.h"
#include "tests/figures/workload.h"

#define MESSAGE_BYTES (4u << 20)
#define MTU           4096u /* sPIN 5.2; from the IP header on */
#define FIRST_BLOCK   16u
#define BLOCKS        13u /* up to 64 KiB */
#define TARGETS       2

/* Printed below the table: why a value differs from the paper's. */
static const char waits[] =
	"a thread has command slots for 8 transfers, and each takes 250 ns (L) and its bytes: where a packet has more blocks and all "
	"threads wait for slots, nothing runs";

static double run(struct figures *f, const char *name, unsigned block)
{
	const struct pspin_target *target = pspin_target__find(name);
	char set[2][64];
	struct workload w = { .handler = "strided_ddt", .takes_messages = 1, .message_bytes = MESSAGE_BYTES };
	struct bench_result result;
	char err[512] = "";

	snprintf(set[0], sizeof(set[0]), "spin_state.stride_bytes=%u", 2 * block);
	snprintf(set[1], sizeof(set[1]), "spin_state.block_bytes=%u", block);
	w.sets[0] = set[0];
	w.sets[1] = set[1];
	if (!workload__run(&w, target, MTU, MESSAGE_BYTES / MTU, 1, &result, err, sizeof(err)))
		return result.gbps;
	fprintf(stderr, "figures: strided_ddt on %s, blocks of %u bytes: %s\n", name, block, err);
	f->failed = 1;
	return NAN;
}

void figure_spin_7a(struct figures *f)
{
	static const char *const targets[TARGETS] = { "spin-discrete", "spin-integrated" };
	double x[BLOCKS], gbps[TARGETS][BLOCKS];
	struct svg_series series[TARGETS] = { 0 };
	const struct svg_plot plot = { .title = "sPIN figure 7a: a strided receive of 4 MiB",
				       .x_label = "block bytes",
				       .y_label = "Gbit/s",
				       .series = series,
				       .count = TARGETS,
				       .log_x = 1 };
	char name[64];

	figure__begin(f, "sPIN figure 7a: a strided receive of 4 MiB in packets of 4 KiB, strides twice the blocks");
	for (unsigned t = 0; t < TARGETS; t++) {
		for (unsigned i = 0; i < BLOCKS; i++) {
			const unsigned block = FIRST_BLOCK << i;

			x[i] = block;
			gbps[t][i] = run(f, targets[t], block);
			snprintf(name, sizeof(name), "spin7a.%s.%u", targets[t], block);
			figure__row(f, name, gbps[t][i], "Gbit/s", block > 256 ? 400 : NAN, "sPIN 5.2: nearly the line's 50 GB/s",
				    block > 256 && gbps[t][i] < 360 ? waits : NULL);
		}
		series[t] = (struct svg_series){ targets[t], x, gbps[t], BLOCKS, 0, 0, 0 };
	}
	figure__plot(f, "spin_figure_7a", &plot);
}
