/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <math.h>
#include <stdio.h>

#include "libspin.h"
#include "tests/demo/summary.h"

#define ETHERNET_BYTES 38 /* preamble 8, header 14, FCS 4, gap 12 */

static const double line_rate_gbit_s[2] = { 200, 400 };

void summary_hpus(struct summary *s, const struct hpu *hpu)
{
	for (int r = 0; r < 2; r++)
		for (int e = 0; e < 2; e++)
			s->hpus[r][e] = hpu_needed(hpu, s->body_cycles, line_rate_gbit_s[r],
						   s->packet_bytes + (e ? ETHERNET_BYTES : 0));
}

static uint64_t total(const struct summary *s)
{
	uint64_t sum = 0;

	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		sum += s->packets[r];
	return sum;
}

void summary_print(const struct summary *s)
{
	printf("\n=== %s ===\n", s->name);
	printf("%-44s %12llu\n", "packets seen", (unsigned long long)total(s));
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		if (s->packets[r])
			printf("  %-4s %-37s %12llu\n", spin_verdict_name(spin_reason_verdict(r)),
			       spin_reason_name(r), (unsigned long long)s->packets[r]);
	printf("%-44s %12.1f ns\n", "at XDP, beyond an empty program", s->xdp_ns);
	for (unsigned i = 0; i < s->parts; i++)
		printf("  %-42s %12.1f ns\n", s->part[i].name, s->part[i].ns);
	printf("%-44s %12.1f %%\n", s->hit_name, s->hit_rate * 100);
	printf("%-44s %12s %12s %12s\n", "", "without", "with", "with/without");
	printf("%-35s per second %10.0f %12.0f %12.3f\n", s->unit, s->rate[0], s->rate[1],
	       s->rate[1] / s->rate[0]);
	printf("%-44s %12.0f %12.0f %12.3f\n", "receiver CPU time each, ns", s->cpu_ns[0],
	       s->cpu_ns[1], s->cpu_ns[1] / s->cpu_ns[0]);
	if (!isnan(s->bound)) {
		printf("%-44s %12.3f\n", "speed-up, median of the rounds", s->speedup);
		printf("%-44s %12.3f\n", "its bound (Amdahl, the round's hit rate)", s->bound);
		printf("%-44s %12.3f\n", "speed-up over bound", s->vs_bound);
	}
	printf("%-44s %12.1f cycles\n", "on the HPU (B, model)", s->body_cycles);
	for (unsigned i = 0; i < s->parts; i++)
		printf("  %-42s %12.1f cycles\n", s->part[i].name, s->part[i].cycles);
	printf("HPUs needed, packets of %.0f bytes%13s %12s %12s\n", s->packet_bytes, "",
	       "packet only", "with 38 B");
	for (int r = 0; r < 2; r++)
		printf("  %3.0f Gbit/s%46s %11.2f %12.2f\n", line_rate_gbit_s[r], "", s->hpus[r][0],
		       s->hpus[r][1]);
}

static struct measure_row *add(const struct summary *s, struct measure *m, const char *what,
			       double value, const char *unit)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", s->name, what);
	return measure_add(m, name, value, unit);
}

void summary_rows(const struct summary *s, struct measure *m)
{
	char what[48];

	add(s, m, "packets", (double)total(s), "packets");
	for (int r = 0; r < SPIN_REASON_COUNT; r++) {
		if (!s->packets[r])
			continue;
		snprintf(what, sizeof(what), "%s.%s", spin_verdict_name(spin_reason_verdict(r)),
			 spin_reason_name(r));
		add(s, m, what, (double)s->packets[r], "packets");
	}
	add(s, m, "xdp", s->xdp_ns, "ns/packet");
	add(s, m, "hit_rate", s->hit_rate, "1");
	measure_baseline(add(s, m, "rate", s->rate[1], "1/s"), s->rate[0]);
	measure_baseline(add(s, m, "receiver_cpu", s->cpu_ns[1], "ns"), s->cpu_ns[0]);
	if (!isnan(s->bound)) {
		add(s, m, "speedup", s->speedup, "1");
		add(s, m, "bound", s->bound, "1");
	}
	add(s, m, "hpu_cycles", s->body_cycles, "cycles/packet");
	add(s, m, "packet_bytes", s->packet_bytes, "B");
	for (unsigned i = 0; i < s->parts; i++) {
		snprintf(what, sizeof(what), "xdp.%s", s->part[i].name);
		add(s, m, what, s->part[i].ns, "ns/packet");
		snprintf(what, sizeof(what), "hpu_cycles.%s", s->part[i].name);
		add(s, m, what, s->part[i].cycles, "cycles/packet");
	}
	for (int r = 0; r < 2; r++) {
		for (int e = 0; e < 2; e++) {
			snprintf(what, sizeof(what), "hpus_%.0fg%s", line_rate_gbit_s[r],
				 e ? ".ethernet" : "");
			add(s, m, what, s->hpus[r][e], "HPUs");
		}
	}
}
