/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes PsPIN's figures 11 (only PsPIN's own values) and 12 from the NIC model: throughput of whole handlers on 32 HPUs (cores of the
 * NIC). Figure 11 derives it from a handler's time alone; figure 12 measures it under load, for packets of 64, 512 and 1024 bytes, beside
 * the paper's values. Called by figures.c, for `make figures`.
 */
#include <stdio.h>
#include <string.h>

#include "tests/figures/figures.h"
#include "tests/figures/workload.h"

static const unsigned sizes[] = { 64, 512, 1024 };
#define SIZES          3
#define WORKLOADS_MAX  8
#define PACKETS        4096 /* with half as many, histogram's rate depends on the order in which its HPUs start */
#define ETHERNET_BYTES 38   /* preamble, header, check sequence and gap */

/* Printed below the table: why a value differs from the paper's. */
static const char compiler[] = "rv32imac from gcc: the PULP compiler's hardware loops and "
			       "post-increment accesses save half of a loop over "
			       "words (spinctl cost reports it); and what our handlers are "
			       "charged: parsing IP, length checks";
static const char link[] = "with Ethernet's 38 bytes for each packet: the rate of the link";
static const char bare[] =
	"Ethernet's header begins a line, so that 10.8 lines of packet memory are read for each packet, which is 377 Gbit/s; the "
	"rest are cycles in which the 7 commands in flight are all short";
static const char bare_ip[] =
	"packets as PsPIN's own examples have them, without Ethernet's header in packet memory: 8 lines, and 9.9 are read";
static const char minimum[] = "kvstore's messages are 76 bytes from the IP header on: the smallest there is";

struct throughput {
	double alone_gbps, cycles, gbps[SIZES], ideal_gbps[SIZES];
};

static struct bench_result run(struct figures *f, const struct workload *w, const struct pspin_target *target, unsigned bytes, int at_once)
{
	struct bench_result result;
	char err[512] = "";

	if (!workload__run(w, target, bytes, at_once ? PACKETS : 64, at_once, &result, err, sizeof(err)))
		return result;
	fprintf(stderr, "figures: on %s, %u bytes: %s\n", pspin_target__name(target), bytes, err);
	f->failed = 1;
	return (struct bench_result){ .body_cycles = NAN, .gbps = NAN };
}

static void measure(struct figures *f, const struct workload *w, struct throughput *out)
{
	const struct pspin_target *pspin = pspin_target__find("pspin"), *rtl = pspin_target__find("pspin-rtl");

	out->cycles = run(f, w, pspin, 2048, 0).body_cycles;
	out->alone_gbps = 32 * 2048 * 8 / out->cycles;
	for (unsigned s = 0; s < SIZES; s++) {
		out->gbps[s] = run(f, w, pspin, sizes[s], 1).gbps;
		out->ideal_gbps[s] = run(f, w, rtl, sizes[s], 1).gbps;
	}
}

static void rows_12(struct figures *f, const char *target, const struct workload *w, const double *gbps)
{
	char name[64];

	for (unsigned s = 0; s < SIZES; s++) {
		double paper = sizes[s] < 512 ? NAN : w->paper_gbps;

		snprintf(name, sizeof(name), "figure12.%s.%s.%u", target, w->handler, sizes[s]);
		figure__row(f, name, gbps[s], "Gbit/s", paper, w->is_more ? "PsPIN 4.3.2: more than" : "PsPIN 4.3.2",
			    isfinite(paper)           ? w->reason
			    : w->bytes_min > sizes[s] ? minimum
						      : NULL);
		if (sizes[s] != 512 || strcmp(target, "pspin-rtl"))
			continue;
		if (w->goal_gbps)
			figure__goal_at_least(f, w->goal_gbps);
		snprintf(name, sizeof(name), "figure12.%s.%s.512.link", target, w->handler);
		figure__row(f, name, gbps[s] * (512 + ETHERNET_BYTES) / 512, "Gbit/s", NAN, NULL, link);
	}
}

/*
 * A handler with only the commands of strided_ddt, for packets whose payload does not begin a line: an upper bound for any handler.
 * `counted` is the packet's length from its IP header on.
 */
static void row_bare(struct figures *f, const char *name, const struct bench_run *run, unsigned counted, const char *reason)
{
	const struct pspin_target *rtl = pspin_target__find("pspin-rtl");

	figure__row(f, name, figure__run(f, rtl, run).gbps * counted / run->packet_bytes, "Gbit/s", NAN, NULL, reason);
}

static void rows_bare(struct figures *f)
{
	struct bench_run run = { .handler = "strided_in_frames",
				 .packet_bytes = 524,
				 .bytes_in_l1 = 64,
				 .has_argument = 1,
				 .argument_step = 472,
				 .at_once = 1,
				 .packets = PACKETS,
				 .messages = 1 };

	row_bare(f, "figure12.pspin-rtl.strided_ddt.512.bare", &run, 510, bare);
	run.handler = "strided_in_packets";
	run.packet_bytes = 512;
	run.argument_step = 484;
	row_bare(f, "figure12.pspin-rtl.strided_ddt.512.bare_ip", &run, 512, bare_ip);
}

static void plots(struct figures *f, const struct throughput *results)
{
	static const char *const parts[] = { "64 B", "512 B", "1024 B" };
	static const char *const only[] = { "pspin" };
	const char *names[WORKLOADS_MAX];
	double alone[WORKLOADS_MAX], loaded[WORKLOADS_MAX * SIZES], ideal[WORKLOADS_MAX * SIZES];
	struct svg_bars bars = { .title = "Figure 11: by handler time alone, 2 KiB, 32 HPUs",
				 .y_label = "Gbit/s",
				 .groups = names,
				 .parts = only,
				 .group_count = workload_count,
				 .part_count = 1,
				 .values = alone };

	for (unsigned i = 0; i < workload_count; i++) {
		names[i] = workloads[i].handler;
		alone[i] = results[i].alone_gbps;
		memcpy(loaded + i * SIZES, results[i].gbps, sizeof(results[i].gbps));
		memcpy(ideal + i * SIZES, results[i].ideal_gbps, sizeof(results[i].ideal_gbps));
	}
	figure__bars(f, "figure_11", &bars);
	bars = (struct svg_bars){ .title = "Figure 12: throughput on pspin",
				  .y_label = "Gbit/s",
				  .groups = names,
				  .parts = parts,
				  .group_count = workload_count,
				  .part_count = SIZES,
				  .values = loaded,
				  .is_side_by_side = 1,
				  .line = 400,
				  .line_name = "400 Gbit/s" };
	figure__bars(f, "figure_12", &bars);
	bars.title = "Figure 12: throughput on pspin-rtl (ideal host and wire)";
	bars.values = ideal;
	figure__bars(f, "figure_12_pspin_rtl", &bars);
}

void figure_11_and_12(struct figures *f)
{
	struct throughput results[WORKLOADS_MAX];
	char name[64];

	for (unsigned i = 0; i < workload_count; i++)
		measure(f, &workloads[i], &results[i]);
	figure__begin(f, "PsPIN figure 11, PsPIN's side: throughput by handler time alone, 2 KiB "
			 "packets, 32 HPUs");
	for (unsigned i = 0; i < workload_count; i++) {
		snprintf(name, sizeof(name), "figure11.%s", workloads[i].handler);
		figure__row(f, name, results[i].alone_gbps, "Gbit/s", NAN, NULL, compiler);
		snprintf(name, sizeof(name), "figure10.%s.time", workloads[i].handler);
		figure__row(f, name, results[i].cycles, "ns", NAN, NULL, NULL);
	}
	figure__begin(f, "PsPIN figure 12: throughput under load, on pspin");
	for (unsigned i = 0; i < workload_count; i++)
		rows_12(f, "pspin", &workloads[i], results[i].gbps);
	figure__begin(f, "PsPIN figure 12: the same on pspin-rtl, whose host and wire take all");
	for (unsigned i = 0; i < workload_count; i++)
		rows_12(f, "pspin-rtl", &workloads[i], results[i].ideal_gbps);
	rows_bare(f);
	plots(f, results);
}
