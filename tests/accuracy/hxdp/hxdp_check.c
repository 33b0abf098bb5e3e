/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hxdp-check DIRECTORY JSON, run by `make hxdp-check`: compiles the programs published with hXDP (an FPGA NIC that runs XDP programs in
 * VLIW rows) by our implementation of its compiler's rules, and prints the instructions per row beside table 3 of the paper, with the
 * median and the worst error. DIRECTORY is a checkout of hXDP's artifacts; its programs are not copied. Fails only if a program is absent
 * or has another number of instructions than published.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/measure/measure.h"
#include "user/cost/compare/rows.h"

#define INSTRUCTIONS_MAX 4096

/* hXDP, OSDI 2020, table 3. */
static const struct {
	const char *name, *file;
	unsigned instructions;
	double per_row;
} published[] = {
	{ "xdp1", "xdp1", 61, 1.70 },
	{ "xdp2", "xdp2", 78, 1.81 },
	{ "xdp_adjust_tail", "xdp_adjust_tail", 117, 2.72 },
	{ "router_ipv4", "xdp_router_ipv4", 119, 2.38 },
	{ "rxq_info", "xdp_rxq_info", 81, 1.76 },
	{ "tx_ip_tunnel", "xdp_tx_iptunnel", 283, 2.83 },
	{ "simple_firewall", "nec_udp_firewall", 72, 2.66 },
	{ "Katran", "katran", 268, 2.62 },
};
#define PROGRAMS (sizeof(published) / sizeof(published[0]))

/* Reads the bytes in a line of llvm-objdump: "  12:  b7 00 00 00 01 00 00 00  r0 = 1". Returns 8 or 16, or 0 if there are none. */
static unsigned read_line(const char *line, uint8_t bytes[16])
{
	const char *at = strchr(line, ':');
	unsigned n = 0, value;

	if (!at || strspn(line, " \t0123456789") != (size_t)(at - line))
		return 0;
	at++;
	while (n < 16) {
		at += strspn(at, " \t");
		if (strspn(at, "0123456789abcdef") != 2 || sscanf(at, "%2x", &value) != 1)
			break;
		bytes[n++] = (uint8_t)value;
		at += 2;
	}
	return n / 8 * 8;
}

static int read_program(const char *directory, const char *file, struct bpf_insn *insns, unsigned *count)
{
	char path[4096], line[1024];
	uint8_t bytes[16];
	FILE *from;

	snprintf(path, sizeof(path), "%s/parallelizer/xdp_prog_dump/%s", directory, file);
	from = fopen(path, "re");
	if (!from) {
		fprintf(stderr, "hxdp-check: cannot open %s: give a checkout of axbryd/hXDP-Artifacts with HXDP=DIR\n", path);
		return -1;
	}
	*count = 0;
	while (fgets(line, sizeof(line), from)) {
		unsigned n = read_line(line, bytes);

		if (*count + 2 > INSTRUCTIONS_MAX)
			break;
		memcpy(&insns[*count], bytes, n);
		*count += n / 8;
	}
	fclose(from);
	return 0;
}

static int check(struct measure *m, const char *directory, unsigned i, double *error)
{
	static struct bpf_insn insns[INSTRUCTIONS_MAX];
	double property[COMPARE_PROPERTIES], ours;
	struct measure_row *row;
	struct vliw v;
	unsigned count;

	compare__published(property);
	if (read_program(directory, published[i].file, insns, &count))
		return -1;
	if (count != published[i].instructions || hxdp__compile(property, &v, insns, count, 0)) {
		fprintf(stderr, "hxdp-check: %s has %u instructions, and %u were published: it is another version\n", published[i].file,
			count, published[i].instructions);
		return -1;
	}
	ours = (double)count / v.rows;
	*error = fabs(ours / published[i].per_row - 1);
	printf("%-16s %6u %10.1f %6u %10.2f %6.2f %+7.1f %%\n", published[i].name, count, count / published[i].per_row, v.rows,
	       published[i].per_row, ours, 100 * (ours / published[i].per_row - 1));
	row = measure_add(m, published[i].name, ours, "instructions per row");
	row->baseline = published[i].per_row;
	row->error = ours / published[i].per_row - 1;
	vliw__free(&v);
	return 0;
}

int main(int argc, char **argv)
{
	double errors[PROGRAMS];
	static struct measure m;

	if (argc != 3) {
		fprintf(stderr, "usage: hxdp-check DIRECTORY JSON\n");
		return 2;
	}
	measure_begin(&m, "hxdp-check");
	printf("%-16s %6s %10s %6s %10s %6s\n", "program", "eBPF", "rows, hXDP", "ours", "per row", "ours");
	for (unsigned i = 0; i < PROGRAMS; i++)
		if (check(&m, argv[1], i, &errors[i]))
			return 1;
	printf("error: median %.1f %%", 100 * measure_median(errors, PROGRAMS)); /* sorts errors[] */
	printf(", worst %.1f %%\n", 100 * errors[PROGRAMS - 1]);
	return measure_write(&m, argv[2]) != 0;
}
