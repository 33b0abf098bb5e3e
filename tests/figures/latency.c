/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes PsPIN 4.2.1 from the NIC model: the latency of a packet on an idle NIC with an empty handler, from its HER (the request to run
 * its handlers) to the feedback that ends it. Goals: at most the paper's 26 ns for 64 bytes and 40 ns for 1024, and 27 and 42 as measured
 * on the RTL. Called by figures.c, for `make figures`.
 */
#include <stdio.h>

#include "tests/figures/figures.h"

/* Printed below the table: why a value differs from the paper's. */
static const char runtime[] = "our runtime's loop takes 4 cycles to a handler and 3 back; the "
			      "paper's 7 to it and 1 back: the sum of "
			      "both with an empty handler (a return, 2 cycles) is the same";

void figure_latency(struct figures *f)
{
	static const struct {
		const char *target;
		unsigned bytes;
		double paper;
		const char *cite;
	} rows[] = {
		{ "pspin", 64, 26, "PsPIN 4.2.1" },
		{ "pspin", 1024, 40, "PsPIN 4.2.1" },
		{ "pspin-rtl", 64, 27, "measured on the RTL" },
		{ "pspin-rtl", 1024, 42, "measured on the RTL" },
	};
	char name[64];

	figure__begin(f, "PsPIN 4.2.1: latency of a packet with an empty handler, idle NIC");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct bench_run run = {
			.handler = "empty", .packet_bytes = rows[i].bytes, .bytes_in_l1 = SPIN_WHOLE_PACKET, .packets = 16, .messages = 1
		};
		struct bench_result r = figure__run(f, pspin_target__find(rows[i].target), &run);

		snprintf(name, sizeof(name), "latency.%s.%u", rows[i].target, rows[i].bytes);
		figure__row(f, name, r.latency_ns, "ns", rows[i].paper, rows[i].cite, i ? NULL : runtime);
		figure__goal(f);
	}
}
