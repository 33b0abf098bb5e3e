/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --compare, the row of BlueField-3's DPA (its packet processor): runs the handler's rv32 program on the core model with the
 * memories of target bluefield3-dpa, one packet at a time. dpa__row() derives the rate of all threads and cores. Called by compare.c. An
 * estimate: the DPA's pipeline is not published.
 */
#include <math.h>
#include <stdlib.h>

#include "user/cost/compare/rows.h"
#include "user/tool/error.h"

#define TARGET           "bluefield3-dpa"
#define LINK_EXTRA_BYTES 38 /* Ethernet's header, FCS, preamble and gap (IEEE 802.3) */

/* Returns the mean cycles that a thread waits for memory or devices. The other threads of its core can issue during these cycles. */
static double wait_cycles(const struct cost_view *v)
{
	static const enum rv32_cause causes[] = { RV32_CYC_MEMORY, RV32_CYC_L2,      RV32_CYC_REMOTE,
						  RV32_CYC_DMA,    RV32_CYC_COMMAND, RV32_CYC_BLOCKED };
	double sum = 0;

	for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		sum += v->cause_cycles_mean[causes[i]];
	return sum;
}

/* The threads of a core share its issue slot. While one thread waits, the others run. Threads fill one core before the next. */
void dpa__row(const struct compare *c, double cycles, double waits, struct compare_row *row)
{
	const double *p = c->property, clock = p[COMPARE_DPA_CLOCK_MHZ], threads = p[COMPARE_DPA_THREADS];
	const double cores = threads / p[COMPARE_DPA_CORE_THREADS], issue = fmax(1, cycles - waits);

	row->work = cycles;
	row->work_unit = "cycles";
	row->ns_per_packet = cycles * 1e3 / clock;
	row->engines = (unsigned)threads;
	compare__bound(row, cores * clock / issue, "the cores' issue slots: %.0f cycles of %.0f a packet", issue, cycles);
	compare__bound(row, threads * clock / cycles, "latency: %.0f cycles a packet on %.0f threads", cycles, threads);
	compare__bound(row, p[COMPARE_DPA_PACKETS_MPPS], "the card's work on its queues: the highest rate published");
	compare__bound(row, p[COMPARE_DPA_LINK_GBPS] * 1e3 / (8 * (c->packet_bytes + LINK_EXTRA_BYTES)), "link, %g Gbit/s",
		       p[COMPARE_DPA_LINK_GBPS]);
}

int compare_dpa(const struct compare *c, struct compare_row *row)
{
	struct cost_program program = c->job->program;
	struct cost_view *view = calloc(1, sizeof(*view));
	char reason[256] = "";
	int status, failed = 0;

	row->how = COMPARE_ESTIMATE;
	compare__check(row, "SDR-RDMA's receive handler on 128 threads, which we do not have", "SDR-RDMA (2025) figure 16", "Mpps", 92.1,
		       NAN);
	compare__check(row, "DPA-Store's GET on 176 threads, a program that is not ours to run", "DPA-Store (OSDI 2026) 4", "Mpps", 33,
		       NAN);
	if (!view)
		return report_error("--compare: no memory");
	program.target = pspin_target__find(TARGET);
	status = cost_source__rewind(c->job->source);
	if (!status) {
		/* the packets already ran on the report's target, so a failure here is due to this target */
		report_errors_to(reason, sizeof(reason));
		failed = cost_pass__alone(&program, c->job->source, NULL, view);
		report_errors_to(NULL, 0);
	}
	if (failed || !view->handled)
		compare__set_reason(row, "the card's model cannot run it: %s", failed ? reason : "no handler ran");
	else if (!status)
		dpa__row(c, view->warm_with_runtime_mean, wait_cycles(view), row);
	free(view);
	return status;
}
