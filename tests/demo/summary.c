/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints the demo's table: what was measured on this machine, and what the model predicts for PsPIN. Called by demo.c and its parts
 * (summary.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <spin/libspin.h>
#include "tests/demo/summary.h"

#define ETHERNET_BYTES 38 /* preamble 8, header 14, FCS 4, gap 12 */

static const double line_rate_gbit_s[2] = { 200, 400 };

void summary_begin(struct summary *s, const char *name)
{
	*s = (struct summary){ .name = name,
			       .unit = "packets",
			       .hit_name = "hits",
			       .xdp_ns = NAN,
			       .hit_rate = NAN,
			       .rate = { NAN, NAN },
			       .cpu_ns = { NAN, NAN },
			       .speedup = NAN,
			       .bound = NAN,
			       .vs_bound = NAN,
			       .body_cycles = NAN,
			       .packet_bytes = NAN };
	for (int r = 0; r < 2; r++)
		for (int e = 0; e < 2; e++)
			s->hpus[r][e] = NAN;
}

void summary_hpus(struct summary *s, const struct hpu *hpu)
{
	for (int r = 0; r < 2; r++)
		for (int e = 0; e < 2; e++)
			s->hpus[r][e] = hpu_needed(hpu, s->body_cycles, line_rate_gbit_s[r], s->packet_bytes + (e ? ETHERNET_BYTES : 0));
}

static uint64_t total(const struct summary *s)
{
	uint64_t sum = 0;

	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		sum += s->packets[r];
	return sum;
}

/* Returns "-" for values that were not measured. */
static const char *number(char text[16], double value, int decimals)
{
	snprintf(text, 16, isnan(value) ? "-" : "%.*f", decimals, value);
	return text;
}

static void line(const char *what, double value, int decimals, const char *unit)
{
	char text[16];

	printf("%-44s %12s%s%s\n", what, number(text, value, decimals), *unit ? " " : "", unit);
}

static void compare(const char *what, const double *value)
{
	int columns = strlen(what) > 44 ? (int)strlen(what) : 44;
	char text[3][16];

	printf("%-*s %*s %12s %12s\n", columns, what, 56 - columns, number(text[0], value[0], 0), number(text[1], value[1], 0),
	       number(text[2], value[1] / value[0], 3));
}

void summary_print(const struct summary *s)
{
	char text[2][16], what[64];

	printf("\n=== %s ===\n", s->name);
	printf("%-44s %12llu\n", "packets seen", (unsigned long long)total(s));
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		if (s->packets[r])
			printf("  %-4s %-37s %12llu\n", spin_verdict_name(spin_reason_verdict(r)), spin_reason_name(r),
			       (unsigned long long)s->packets[r]);
	line("at XDP, beyond an empty program", s->xdp_ns, 1, "ns");
	for (unsigned i = 0; i < s->parts; i++) {
		snprintf(what, sizeof(what), "  %s", s->part[i].name);
		line(what, s->part[i].ns, 1, "ns");
	}
	line(s->hit_name, s->hit_rate * 100, 1, "%");
	printf("%-44s %12s %12s %12s\n", "", "without", "with", "with/without");
	snprintf(what, sizeof(what), "%-35s per second", s->unit);
	compare(what, s->rate);
	compare("receiver CPU time each, ns", s->cpu_ns);
	if (!isnan(s->bound)) {
		line("speed-up, median of the rounds", s->speedup, 3, "");
		line("its bound (Amdahl, the round's hit rate)", s->bound, 3, "");
		line("speed-up over bound", s->vs_bound, 3, "");
	}
	line("on the HPU (B, model)", s->body_cycles, 1, "cycles");
	for (unsigned i = 0; i < s->parts; i++) {
		snprintf(what, sizeof(what), "  %s", s->part[i].name);
		line(what, s->part[i].cycles, 1, "cycles");
	}
	printf("HPUs needed, packets of %s bytes%13s %12s %12s\n", number(text[0], s->packet_bytes, 0), "", "packet only", "with 38 B");
	for (int r = 0; r < 2; r++)
		printf("  %3.0f Gbit/s%45s %12s %12s\n", line_rate_gbit_s[r], "", number(text[0], s->hpus[r][0], 2),
		       number(text[1], s->hpus[r][1], 2));
}

static struct measure_row *add(const struct summary *s, struct measure *m, const char *what, double value, const char *unit)
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
		snprintf(what, sizeof(what), "%s.%s", spin_verdict_name(spin_reason_verdict(r)), spin_reason_name(r));
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
			snprintf(what, sizeof(what), "hpus_%.0fg%s", line_rate_gbit_s[r], e ? ".ethernet" : "");
			add(s, m, what, s->hpus[r][e], "HPUs");
		}
	}
}
