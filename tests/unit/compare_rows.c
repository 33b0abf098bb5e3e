/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the estimates that spinctl cost --compare prints for other hardware: hXDP (an FPGA), NFP and BlueField-3's DPA, computed from
 * published properties. A larger property must raise the rate, or lower it if it is a cost of a packet, and the rates of eleven examples
 * must equal those computed by hand from the formulas. Run by tests/run.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "user/cost/compare/rows.h"

static int failures;

static void expect_equal(const char *what, double got, double want)
{
	if (fabs(got - want) <= 1e-6 * fabs(want))
		return;
	printf("%s: %.9g, not %.9g\n", what, got, want);
	failures++;
}

/* Programs and packets, such that each property limits at least one. */
enum { SHORT, LONG, WAITS, LARGE, CASES };
static const struct hxdp_work hxdp_work[CASES] = {
	[SHORT] = { .rows = 1, .frame_bytes = 60 },
	[LONG] = { .rows = 100, .undrained = 1, .helper_calls = 2, .frame_bytes = 60 },
	[WAITS] = { .rows = 1, .frame_bytes = 97 }, /* 4 frames, longer than on the link */
	[LARGE] = { .rows = 3, .frame_bytes = 1514 },
};

struct rows {
	struct compare_row hxdp[CASES], nfp[CASES], dpa[CASES];
};

static void make(const double property[COMPARE_PROPERTIES], struct rows *r)
{
	struct compare c = { .packet_bytes = 46 };

	memset(r, 0, sizeof(*r));
	memcpy(c.property, property, sizeof(c.property));
	for (unsigned i = 0; i < CASES; i++) {
		c.packet_bytes = i == LARGE ? 1500 : 46;
		hxdp__row(&c, &hxdp_work[i], &r->hxdp[i]);
		nfp__row(&c, i == LONG ? 15024 : 84, i == WAITS ? 200 : 0, &r->nfp[i]);
		dpa__row(&c, i == LONG || i == WAITS ? 90000 : 400, i == WAITS ? 89000 : i == LONG ? 3000 : 380, &r->dpa[i]);
	}
}

/* Compares the first figure that differs: 1: more packets, -1: fewer, 0: none differs. */
static int differs(const struct compare_row *a, const struct compare_row *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (a[i].million_packets_per_s != b[i].million_packets_per_s)
			return b[i].million_packets_per_s > a[i].million_packets_per_s ? 1 : -1;
		if (a[i].ns_per_packet != b[i].ns_per_packet)
			return b[i].ns_per_packet < a[i].ns_per_packet ? 1 : -1;
	}
	return 0;
}

/* Lanes only affect the compiler: returns the rows of a program with as many parallel instructions as there are lanes. */
static int lanes_count(const double property[COMPARE_PROPERTIES])
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_B, .dst_reg = 2, .src_reg = 1, .off = 1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_B, .dst_reg = 3, .src_reg = 1, .off = 2 },
		{ .code = BPF_LDX | BPF_MEM | BPF_B, .dst_reg = 4, .src_reg = 1, .off = 3 },
		{ .code = BPF_LDX | BPF_MEM | BPF_B, .dst_reg = 5, .src_reg = 1, .off = 5 },
		{ .code = BPF_JMP | BPF_CALL, .imm = 1 },
	};
	struct vliw v;
	int rows;

	if (hxdp__compile(property, &v, insns, sizeof(insns) / sizeof(insns[0]), 0))
		return -1;
	rows = (int)v.rows;
	vliw__free(&v);
	return rows;
}

/* Returns 1 if increasing the property raises the rate, or -1 if the property is a cost per packet. */
static int expected(const char *name)
{
	static const char *const costs[] = { "_CYCLES", "_INSTRUCTIONS", "_PER_BPF", "CORE_THREADS" };

	for (unsigned i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (strstr(name, costs[i]))
			return -1;
	return 1;
}

static void every_property_counts(void)
{
	double property[COMPARE_PROPERTIES];
	struct rows base, changed;
	const char *name, *unit, *source;

	compare__published(property);
	make(property, &base);
	for (unsigned i = 0; (name = compare__property_name((enum compare_property)i, &unit, &source)); i++) {
		const double was = property[i];
		int direction;

		property[i] = was * 1.25;
		if (i == COMPARE_HXDP_LANES) {
			property[i] = 2;
			direction = lanes_count(property) > 2 ? 1 : 0;
		} else {
			make(property, &changed);
			direction = differs(base.hxdp, changed.hxdp, CASES) + differs(base.nfp, changed.nfp, CASES) +
				    differs(base.dpa, changed.dpa, CASES);
		}
		if (direction != expected(name)) {
			printf("%s: rates change by %d, not by %d\n", name, direction, expected(name));
			failures++;
		}
		if (!*unit || strlen(source) < 10) {
			printf("%s has no unit or no source\n", name);
			failures++;
		}
		property[i] = was;
	}
	if (lanes_count(property) != 2) {
		printf("4 lanes: %d rows\n", lanes_count(property));
		failures++;
	}
}

/* Computed by hand from the published properties. */
static void formulas(void)
{
	double property[COMPARE_PROPERTIES];
	struct rows r;

	compare__published(property);
	make(property, &r);
	expect_equal("hXDP, one row: 3 cycles at 156.25 MHz", r.hxdp[SHORT].million_packets_per_s, 156.25 / 3);
	expect_equal("hXDP, 100 rows, 2 helpers, pipeline drained", r.hxdp[LONG].million_packets_per_s, 156.25 / (2 + 100 + 3 + 2));
	expect_equal("hXDP, 1514 bytes at 40 Gbit/s", r.hxdp[LARGE].million_packets_per_s, 40e3 / (8 * 1538));
	expect_equal("NFP: the highest rate published", r.nfp[SHORT].million_packets_per_s, 33);
	expect_equal("hXDP, 97 bytes in 4 frames", r.hxdp[WAITS].million_packets_per_s, 156.25 / 4);
	expect_equal("NFP: 15024 instructions on 50 engines", r.nfp[LONG].million_packets_per_s, 50 * 800 / 15024.0);
	expect_equal("NFP: 200 look-ups of 250 cycles on 200 threads", r.nfp[WAITS].million_packets_per_s,
		     200 * 800 / (84.0 + 100 + 50000));
	expect_equal("DPA: the highest rate published", r.dpa[SHORT].million_packets_per_s, 92.1);
	expect_equal("DPA: 87000 cycles to issue", r.dpa[LONG].million_packets_per_s, 189 / 16.0 * 1800 / 87000);
	expect_equal("DPA: latency on 189 threads", r.dpa[WAITS].million_packets_per_s, 189 * 1800 / 90000.0);
	expect_equal("DPA, 1500 bytes at 400 Gbit/s", r.dpa[LARGE].million_packets_per_s, 400e3 / (8 * 1538));
}

int main(void)
{
	every_property_counts();
	formulas();
	return failures != 0;
}
