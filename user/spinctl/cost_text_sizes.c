/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>

#include "user/spinctl/cost_text.h"

static void fits(const struct cost_report *r)
{
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->fits[k].is_known)
			printf("%-12s %.1f + %.4f per byte: median cycles, at most %.1f off at these sizes\n", cost_task_name(k),
			       r->fits[k].a, r->fits[k].b, r->fits[k].worst_residual);
}

void cost_text__sizes(const struct cost_report *r)
{
	if (!r->point_count)
		return;
	printf("\n%-6s %8s %8s %8s %9s %8s %8s %7s  %-5s %-5s %-5s %s\n", "packet", "warm", "cold", "loaded", "ns alone", "Mpkt/s",
	       "Gbit/s", "nJ max", "100", "200", "400", "bound by");
	for (unsigned i = 0; i < r->point_count; i++) {
		const struct cost_point *p = &r->points[i];
		const struct cost_throughput *t = &p->throughput;
		char bound[COST_BOUND_TEXT];

		printf("%-6.0f %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %9.1f %8.2f %8.1f %7.1f  %-5s %-5s %-5s %s\n",
		       p->alone.packet_bytes_mean, p->alone.packet_cycles.median, p->cold.packet_cycles.median,
		       p->loaded.packet_cycles.median, (double)p->alone.latency_ps.median / 1e3, t->packets_per_us, t->gbps, t->energy_nj,
		       p->rates[0].is_met ? "yes" : "no", p->rates[1].is_met ? "yes" : "no", p->rates[2].is_met ? "yes" : "no",
		       cost_bound_name(t, bound));
	}
	printf("packet: mean bytes; warm, cold, loaded: median cycles of all of a packet's handlers; ns alone: median;\n"
	       "100, 200, 400: whether so many Gbit/s of packet bytes are reached\n");
	fits(r);
}
