/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --compare, the row of PsPIN (the NIC that the model reproduces): copies the figures that the report has measured on the
 * model, with one packet at a time and under load. Called by compare.c.
 */
#include <math.h>

#include "user/cost/compare.h"
#include "user/tool/error.h"

int compare_pspin(const struct compare *c, struct compare_row *row)
{
	const struct cost_report *r = c->job->report;
	const struct cost_point *p = &r->main;
	char bound[COST_BOUND_TEXT];

	row->how = COMPARE_MODELLED;
	row->work = p->alone.packet_cycles.mean;
	row->work_unit = "cycles";
	row->ns_per_packet = p->alone.warm_with_runtime_mean / r->clock_ghz;
	row->engines = r->hpus;
	compare__bound(row, p->throughput.packets_per_us, "%s", cost_bound_text(&p->throughput, bound));
	compare__check(row, "latency of an empty handler's packet of 64 B: ours by make figures", "PsPIN 4.2.1", "ns", 26, NAN);
	compare__check(row, "mechanisms: the rows that make accuracy compares with PsPIN's RTL", "tests/accuracy/", "", NAN, NAN);
	return DONE;
}
