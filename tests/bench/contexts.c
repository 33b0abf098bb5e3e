/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the cost of sharing an interface among contexts (a handler with its memory and its match rule): the handler `filtering` alone,
 * behind the dispatcher (the program that finds the context of a packet) with one context, and with the maximum number of contexts, which
 * differ by port or by address. Uses PROG_TEST_RUN with the same packet, alternating runs, medians.
 * contexts FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "user/conformance/template/template.h"
#include <spin/libspin.h>

#define BURSTS        61
#define BURST_PACKETS 20000
#define EXTRA_NS      5.0 /* 64 contexts compared with one */
#define SAMPLES       4
#define VARIANTS_MAX  16

/* A program and its packet. */
struct variant {
	const char *name;
	int fd;
	struct template t;
};

static struct variant variants[VARIANTS_MAX];
static unsigned variant_count;

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return 1;
}

static int make_frame(struct template *t, const char *source, unsigned port)
{
	char ip[64], udp[64];

	snprintf(ip, sizeof(ip), "ip4 %s > 10.0.0.2", source);
	snprintf(udp, sizeof(udp), "udp 4000 > %u", port);
	template_start(t);
	return template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(t, ip) != 1 ||
	       template_line(t, udp) != 1 || template_line(t, "count 22 1") != 1 || template_finish(t);
}

static double burst(const struct variant *variant)
{
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = variant->t.frame, .data_size_in = variant->t.bytes, .data_out = out,
		    .data_size_out = sizeof(out), .repeat = BURST_PACKETS);

	return bpf_prog_test_run_opts(variant->fd, &opts) ? NAN : opts.duration;
}

static double burst_ns[VARIANTS_MAX][BURSTS];

static int measure_variants(void)
{
	for (int i = 0; i < BURSTS; i++)
		for (unsigned a = 0; a < variant_count; a++) {
			burst_ns[a][i] = burst(&variants[a]);
			if (isnan(burst_ns[a][i]))
				return fail(variants[a].name, strerror(errno));
		}
	return 0;
}

static double median_of(unsigned variant)
{
	double ns[BURSTS];

	memcpy(ns, burst_ns[variant], sizeof(ns));
	return measure_median(ns, BURSTS);
}

/* Returns the median difference between two variants, burst by burst, so that both halves of a pair run under the same conditions. */
static double median_difference(unsigned variant, unsigned over)
{
	double ns[BURSTS];

	for (int i = 0; i < BURSTS; i++)
		ns[i] = burst_ns[variant][i] - burst_ns[over][i];
	return measure_median(ns, BURSTS);
}

static int add_variant(const char *name, int fd, const char *source, unsigned port)
{
	struct variant *variant = &variants[variant_count++];

	variant->name = name;
	variant->fd = fd;
	return make_frame(&variant->t, source, port) ? fail(name, engine_error()) : 0;
}

/* Adds a context with one route, and attaches it if there is an interface. */
static int add_context(struct spin_nic *nic, const struct spin_object *object, const char *text, struct spin_ctx **ctx)
{
	struct spin_rule rule;

	if (spin_rule__parse(text, &rule) || spin_ctx__create(nic, object, &rule, ctx) ||
	    spin_ctx__table_insert(*ctx, "routes", "src=10.0.0.1 port=9000") || (nic && spin_ctx__attach(*ctx)))
		return fail(text, spin_strerror_last());
	return 0;
}

/* Fills an interface with contexts that differ in a port or in an address. */
static int fill_nic(struct spin_nic *nic, const struct spin_object *object, const char *format)
{
	struct spin_ctx *ctx;
	char text[64];

	for (unsigned i = 0; i < SPIN_CONTEXTS_MAX; i++) {
		snprintf(text, sizeof(text), format, i);
		if (add_context(nic, object, text, &ctx))
			return 1;
	}
	return 0;
}

static unsigned find_variant(const char *name)
{
	unsigned a = 0;

	while (a < variant_count && strcmp(variants[a].name, name))
		a++;
	return a;
}

/* Reports the slowest variant of this name relative to the base. */
static void report(struct measure *m, const char *name, const char *variant, const char *base, double target)
{
	struct measure_row *row;
	double extra = -INFINITY;

	for (unsigned a = 0; a < variant_count; a++)
		if (!strcmp(variants[a].name, variant))
			extra = fmax(extra, median_difference(a, find_variant(base)));
	row = measure_add(m, name, extra, "ns");
	row->baseline = median_of(find_variant(base));
	row->ratio = (row->baseline + extra) / row->baseline;
	if (!isnan(target))
		measure_goal(row, MEASURE_AT_MOST, target, row->value);
}

static int bench(struct measure *m, const struct spin_object *object)
{
	static const unsigned samples[SAMPLES] = { 0, 21, 42, SPIN_CONTEXTS_MAX - 1 };
	struct spin_nic *one, *ports, *addresses;
	struct spin_ctx *alone, *ctx;
	char source[32];
	int err;

	if (spin_nic__open_offline(&one) || spin_nic__open_offline(&ports) || spin_nic__open_offline(&addresses))
		return fail("interface", spin_strerror_last());
	err = add_context(NULL, object, "udp dport 9000", &alone) || add_context(one, object, "udp dport 9000", &ctx) ||
	      fill_nic(ports, object, "udp dport 90%02u") || fill_nic(addresses, object, "udp src 10.0.%u.0/24");
	if (!err)
		err = add_variant("alone", spin_ctx__program_fd(alone), "10.0.0.1", 9000) ||
		      add_variant("one", spin_nic__program_fd(one), "10.0.0.1", 9000) ||
		      add_variant("one, unmatched", spin_nic__program_fd(one), "10.0.0.1", 8000) ||
		      add_variant("all, unmatched", spin_nic__program_fd(ports), "10.0.0.1", 8000);
	for (unsigned i = 0; i < SAMPLES && !err; i++) {
		snprintf(source, sizeof(source), "10.0.%u.1", samples[i]);
		err = add_variant("all by port", spin_nic__program_fd(ports), "10.0.0.1", 9000 + samples[i]) ||
		      add_variant("all by address", spin_nic__program_fd(addresses), source, 9000);
	}
	if (!err)
		err = measure_variants();
	if (err)
		return err;
	for (unsigned a = 0; a < variant_count; a++)
		printf("%-20s %6.1f ns\n", variants[a].name, median_of(a));
	report(m, "contexts.one_vs_alone", "one", "alone", NAN);
	report(m, "contexts.64_vs_one", "all by port", "one", EXTRA_NS);
	report(m, "contexts.64_by_address_vs_one", "all by address", "one", NAN);
	report(m, "contexts.64_unmatched_vs_one", "all, unmatched", "one, unmatched", EXTRA_NS);
	return 0;
}

int main(int argc, char **argv)
{
	static struct measure m;
	struct spin_object *object;
	cpu_set_t cpu;
	char path[512];

	if (geteuid()) {
		printf("skip: PROG_TEST_RUN needs root\n");
		return 77;
	}
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	measure_begin(&m, "bench-contexts");
	if (built_object("filtering", path, sizeof(path)) || spin_object__open(path, &object))
		return fail("filtering", spin_strerror_last());
	if (bench(&m, object))
		return 1;
	measure_print(&m);
	return argc > 1 && measure_write(&m, argv[1]) ? fail(argv[1], "cannot be written") : 0;
}
