/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes PsPIN's figure 10 from the NIC model, only PsPIN's own values: instructions and IPC of the handlers for packets of 2 KiB, and
 * the factor that one AMO per word saves over lr, add, sc and bnez. Also the right half of figure 11: throughput per mm2 (18.5 mm2, table
 * 3). The paper gives no numbers for PsPIN itself to compare with, except that factor (up to 3). Called by figures.c, for `make figures`.
 */
#include <stdio.h>

#include "tests/figures/figures.h"
#include "tests/figures/workload.h"

#define PACKET_BYTES  2048u /* PsPIN 4.3 */
#define PACKETS       64u
#define HPUS          32
#define AREA_MM2      18.5 /* PsPIN table 3: 32 HPUs at 22 nm */
#define WORKLOADS_MAX 8
#define LL_SC_EXTRA   3 /* additional instructions: lr, add, sc, bnez instead of one AMO */

/* Printed below the table: why a value differs from the paper's. */
static const char ratios[] = "the text has ratios to other machines only: 1.08 (strided_ddt) to 7.71 times zynq's, "
			     "1.44 (filtering) to 76.6 times ault's";
static const char one_amo[] = "counted: each of its AMOs, one a word, as lr, add, sc and bnez; the paper's is the most of "
			      "other machines' whole handlers";

/* Returns the instructions needed without AMOs, divided by the actual instructions. */
static double saving(const struct workload *w, double instructions)
{
	return (instructions + LL_SC_EXTRA * workload__payload_bytes(w, PACKET_BYTES) / 4.0) / instructions;
}

static struct bench_result run(struct figures *f, const struct workload *w)
{
	struct bench_result result;
	char err[512] = "";

	if (!workload__run(w, pspin_target__find("pspin"), PACKET_BYTES, PACKETS, 0, &result, err, sizeof(err)))
		return result;
	fprintf(stderr, "figures: on pspin, %u bytes: %s\n", PACKET_BYTES, err);
	f->failed = 1;
	return (struct bench_result){ .body_cycles = NAN, .instructions = NAN };
}

static void rows(struct figures *f, const struct workload *w, const struct bench_result *r)
{
	char name[64];

	snprintf(name, sizeof(name), "figure10.%s.instructions", w->handler);
	figure__row(f, name, r->instructions, "instr.", NAN, NULL, NULL);
	snprintf(name, sizeof(name), "figure10.%s.ipc", w->handler);
	figure__row(f, name, r->instructions / r->body_cycles, "IPC", NAN, NULL, NULL);
	if (!w->has_amo_per_word)
		return;
	snprintf(name, sizeof(name), "figure10.%s.amo_saving", w->handler);
	figure__row(f, name, saving(w, r->instructions), "x", 3, "PsPIN 4.3.1: up to", one_amo);
}

static void plots(struct figures *f, const double *ipc, const double *per_area)
{
	static const char *const only[] = { "pspin" };
	const char *names[WORKLOADS_MAX];
	struct svg_bars bars = { .title = "Figure 10: instructions per cycle, alone, 2 KiB",
				 .y_label = "IPC",
				 .groups = names,
				 .parts = only,
				 .group_count = workload_count,
				 .part_count = 1,
				 .values = ipc };

	for (unsigned i = 0; i < workload_count; i++)
		names[i] = workloads[i].handler;
	figure__bars(f, "figure_10_ipc", &bars);
	bars.title = "Figure 11, right: by handler time alone, 2 KiB, over 18.5 mm2";
	bars.y_label = "Gbit/s/mm2";
	bars.values = per_area;
	figure__bars(f, "figure_11_area", &bars);
}

void figure_10(struct figures *f)
{
	double ipc[WORKLOADS_MAX], per_area[WORKLOADS_MAX];
	char name[64];

	figure__begin(f, "PsPIN figure 10, PsPIN's side: instructions of a payload handler, 2 KiB packets, alone");
	for (unsigned i = 0; i < workload_count; i++) {
		struct bench_result r = run(f, &workloads[i]);

		ipc[i] = r.instructions / r.body_cycles;
		per_area[i] = HPUS * PACKET_BYTES * 8 / r.body_cycles / AREA_MM2;
		rows(f, &workloads[i], &r);
	}
	figure__begin(f, "PsPIN figure 11, right: throughput by handler time alone over the area of table 3");
	for (unsigned i = 0; i < workload_count; i++) {
		snprintf(name, sizeof(name), "figure11.%s.by_area", workloads[i].handler);
		figure__row(f, name, per_area[i], "Gbit/s/mm2", NAN, NULL, ratios);
	}
	plots(f, ipc, per_area);
}
