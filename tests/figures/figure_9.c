/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes PsPIN's figure 9 from the NIC model: throughput of packets that handlers send to the wire or to the host, from L1 or from L2,
 * for packets of 64 to 1024 bytes, beside the paper's values (200 to 400 Gbit/s). With an ideal host and wire, with a link of 400 Gbit/s,
 * and also with PCIe 4.0 x16. Called by figures.c, for `make figures`.
 */
#include <stdio.h>

#include "tests/figures/figures.h"

static const unsigned sizes[] = { 64, 128, 256, 512, 1024 };
#define SIZES 5

/* Printed below the table: why a value differs from the paper's. */
static const char l1[] = "the paper has bank conflicts of the packets' reads in L1; measured on "
			 "the RTL it is one cycle more per command "
			 "when the source cluster changes: 2 cycles for 64 bytes";
static const char pcie[] = "the paper's host took 400 Gbit/s; a PCIe 4.0 x16 link carries 252 each way";
static const char host_interface[] = "7 commands in flight at the host interface with 17 to 19 "
				     "cycles each: 2.5 to 2.7 cycles per command, "
				     "measured on the RTL (tight loops)";
static const char at_400[] = "the link is 400 Gbit/s";
static const char no_link[] = "nothing bounds them but the NIC's widths, 64 bytes a cycle: 512 Gbit/s; the paper shows the 400 of its link";

struct flow {
	const char *handler, *name;
	int is_host;
};
/* clang-format off */
static const struct flow flows[] = {
	{"pingpong_l1", "NIC from L1", 0},
	{"pingpong_l2", "NIC from L2", 0},
	{"to_host_l1", "host from L1", 1},
	{"to_host_l2", "host from L2", 1},
};
/* clang-format on */
#define FLOWS 4

static void measure(struct figures *f, const struct pspin_target *target, double gbps[FLOWS][SIZES])
{
	for (unsigned i = 0; i < FLOWS; i++) {
		for (unsigned s = 0; s < SIZES; s++) {
			const struct bench_run run = { .handler = flows[i].handler,
						       .packet_bytes = sizes[s],
						       .bytes_in_l1 = SPIN_WHOLE_PACKET,
						       .at_once = 1,
						       .packets = 2048,
						       .messages = 32 };

			gbps[i][s] = figure__run(f, target, &run).gbps;
		}
	}
}

enum links { IDEAL, LINK, LINK_AND_PCIE }; /* which links are modelled: none, the one to the wire, also the one to the host */

static void rows(struct figures *f, const char *target, double gbps[FLOWS][SIZES], enum links links)
{
	char name[64];

	for (unsigned i = 0; i < FLOWS; i++) {
		for (unsigned s = 0; s < SIZES; s++) {
			const int from_l1 = !(i & 1), is_small = sizes[s] == 64;
			double paper = is_small ? from_l1 ? 200 : 400 : sizes[s] >= 512 ? 400 : NAN;
			const char *reason = flows[i].is_host && links == LINK_AND_PCIE ? pcie
					     : is_small && from_l1                      ? l1
					     : is_small && flows[i].is_host             ? host_interface
					     : links != IDEAL                           ? at_400
											: no_link;

			snprintf(name, sizeof(name), "figure9.%s.%s.%u", target, flows[i].handler, sizes[s]);
			figure__row(f, name, gbps[i][s], "Gbit/s", paper, is_small && from_l1 ? "PsPIN 4.2.2: hardly" : "PsPIN 4.2.2",
				    isfinite(paper) ? reason : NULL);
		}
	}
}

static void plot(struct figures *f, const char *file, const char *title, double gbps[FLOWS][SIZES])
{
	struct svg_series series[FLOWS] = { 0 };
	const struct svg_plot plot = {
		.title = title, .x_label = "packet bytes", .y_label = "Gbit/s", .series = series, .count = FLOWS, .log_x = 1
	};
	double x[SIZES];

	for (unsigned s = 0; s < SIZES; s++)
		x[s] = sizes[s];
	for (unsigned i = 0; i < FLOWS; i++)
		series[i] = (struct svg_series){ flows[i].name, x, gbps[i], SIZES, 0, 0, 0 };
	figure__plot(f, file, &plot);
}

void figure_9(struct figures *f)
{
	double gbps[FLOWS][SIZES];

	figure__begin(f, "PsPIN figure 9: moving data out, whole packets to L1, on pspin-rtl (host "
			 "and wire take all)");
	measure(f, pspin_target__find("pspin-rtl"), gbps);
	rows(f, "pspin-rtl", gbps, IDEAL);
	plot(f, "figure_9", "Figure 9: moving data out (ideal host and wire)", gbps);
	figure__begin(f, "PsPIN figure 9 on pspin: 400 Gbit/s, and a host that never waits");
	measure(f, pspin_target__find("pspin"), gbps);
	rows(f, "pspin", gbps, LINK);
	plot(f, "figure_9_pspin", "Figure 9: moving data out (400 Gbit/s)", gbps);
	figure__begin(f, "PsPIN figure 9 on pspin-pcie4: 400 Gbit/s, PCIe 4.0 x16");
	measure(f, pspin_target__find("pspin-pcie4"), gbps);
	rows(f, "pspin-pcie4", gbps, LINK_AND_PCIE);
	plot(f, "figure_9_pspin_pcie4", "Figure 9: moving data out (400 Gbit/s, PCIe 4.0 x16)", gbps);
}
