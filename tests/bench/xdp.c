/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the cost of a handler with the same function written by hand, and unmatched traffic with an empty program. Uses
 * PROG_TEST_RUN with the same packets, alternating runs, medians.
 * xdp FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 * xdp --profile PACKET: prints where the handler and its baseline spend a packet's nanoseconds ("GET miss"), by source line.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/bpf_profile.h"
#include "tests/common/measure/measure.h"
#include "user/conformance/template/template.h"
#include "user/conformance/types.h"
#include <kvstore.h>
#include <spin/libspin.h>

#define BURSTS         61
#define BURST_PACKETS  20000
#define PROFILE_BURSTS 300
#define PROFILE_LINES  25
/*
 * Goals: a handler may take at most this more than the program written by hand, in ns or as a share of that program's time (the larger one
 * counts); a packet that no context matches may take at most UNMATCHED_NS more than with an empty program.
 */
#define EXTRA_NS     8.0
#define EXTRA_SHARE  0.05
#define UNMATCHED_NS 10.0

enum { HANDLER, BASELINE, EMPTY, PROGRAMS };
#define RESTORED_BYTES 88u /* bytes that restore.bpf.c writes */

struct baseline {
	struct bpf_object *object;
	int fd;
};

struct frame {
	const char *name;
	const char *lines; /* template, lines separated by ';' */
	uint32_t verdict;  /* expected XDP action of both programs */
};

#define HIT4  "eth 02:00:00:00:00:01 > 02:00:00:00:00:02;ip4 10.0.0.1 > 10.0.0.2;udp 4000 > 9000;"
#define MISS4 "eth 02:00:00:00:00:01 > 02:00:00:00:00:02;ip4 10.0.0.3 > 10.0.0.2;udp 4000 > 9000;"

/* clang-format off */
static const struct frame filtering_frames[] = {
	{ "hit, 64 B", HIT4 "count 18 1;pad 64", XDP_PASS },
	{ "miss, 64 B", MISS4 "count 18 1;pad 64", XDP_PASS },
	{ "hit, 1450 B", HIT4 "count 1408 1", XDP_PASS },
	{ "miss, 1450 B", MISS4 "count 1408 1", XDP_PASS },
};
/* clang-format on */

/* A key in the cache, a key whose request is pending, and a line that SETs use. */
static const struct frame kvstore_frames[] = {
	{ "GET hit", HIT4 "be16 1 0;be32 1 5 0;fill 32 0", XDP_TX },
	{ "GET miss", HIT4 "be16 1 0;be32 1 6 0;fill 32 0", XDP_PASS },
	{ "SET", HIT4 "be16 2 0;be32 1 7 0;fill 32 7", XDP_PASS },
};

static const char *profiled; /* name of a packet; NULL: none */
static int was_profiled;

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return -1;
}

static int make_frame(const char *lines, struct template *t)
{
	char copy[1024], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", lines);
	template_start(t);
	for (char *line = strtok_r(copy, ";", &save); line; line = strtok_r(NULL, ";", &save))
		if (template_line(t, line) != 1)
			return fail(lines, engine_error());
	return template_finish(t) ? fail(lines, engine_error()) : 0;
}

static int open_baseline(const char *name, struct baseline *out)
{
	struct bpf_program *program;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/bench/%s.bpf.o", built_dir(), name);
	out->object = bpf_object__open_file(path, NULL);
	program = out->object ? bpf_object__find_program_by_name(out->object, "baseline") : NULL;
	/* must be equal for all programs of a program array, so use the handlers' flag */
	if (!program || bpf_program__set_flags(program, BPF_F_XDP_HAS_FRAGS) || bpf_object__load(out->object))
		return fail(path, "cannot be loaded");
	out->fd = bpf_program__fd(program);
	return 0;
}

/* Writes the memory of the baseline, which has the same layout as the handler's. */
static int fill_baseline(const struct baseline *baseline, const char *symbol, const void *bytes, size_t count)
{
	struct layout_variable var;
	struct bpf_map *map;
	static uint8_t value[4 << 20];
	uint32_t zero = 0;

	if (layout__find(bpf_object__btf(baseline->object), symbol, &var) || var.bytes < count)
		return fail(symbol, "is no such variable");
	bpf_object__for_each_map(map, baseline->object) {
		const char *name = bpf_map__name(map);

		if (strlen(name) < 4 || strcmp(name + strlen(name) - 4, ".bss"))
			continue;
		if (bpf_map__value_size(map) > sizeof(value) || bpf_map__value_size(map) < var.offset + count)
			break;
		memset(value, 0, sizeof(value));
		memcpy(value + var.offset, bytes, count);
		return bpf_map_update_elem(bpf_map__fd(map), &zero, value, 0) ? fail("baseline's memory", strerror(errno)) : 0;
	}
	return fail("baseline's memory", "not found");
}

static double burst(int fd, const struct template *t, unsigned repeat, uint32_t *verdict)
{
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = t->frame, .data_size_in = t->bytes, .data_out = out, .data_size_out = sizeof(out),
		    .repeat = (int)repeat);

	if (bpf_prog_test_run_opts(fd, &opts))
		return NAN;
	*verdict = opts.retval;
	return opts.duration;
}

/* Chains restore.bpf.c in front of a program. */
static int restore_before(int fd, const struct template *t, struct baseline *out)
{
	uint32_t zero = 0;
	uint8_t frame[RESTORED_BYTES] = { 0 };
	int next;

	if (open_baseline("restore", out))
		return -1;
	memcpy(frame, t->frame, t->bytes < sizeof(frame) ? t->bytes : sizeof(frame));
	next = bpf_object__find_map_fd_by_name(out->object, "next");
	if (bpf_map_update_elem(next, &zero, &fd, 0))
		return fail("restore", strerror(errno));
	return fill_baseline(out, "frame", frame, sizeof(frame));
}

/* Returns the median difference between two programs, burst by burst, so that both halves of a pair run under the same conditions. */
static double median_difference(const double *of, const double *over)
{
	double difference[BURSTS];

	for (int i = 0; i < BURSTS; i++)
		difference[i] = of[i] - over[i];
	return measure_median(difference, BURSTS);
}

/* Prints a profile of bursts of a program. */
static int print_profile(int fd, const struct template *t, const char *what)
{
	struct bpf_profile profile;
	double ns[BURSTS];
	uint32_t verdict;
	int err = bpf_profile__open(&profile);

	if (err)
		return fail("cannot sample the CPU clock", strerror(-err));
	for (int i = 0; i < BURSTS; i++)
		ns[i] = burst(fd, t, BURST_PACKETS, &verdict);
	for (int i = 0; i < PROFILE_BURSTS && !err; i++) {
		bpf_profile__start(&profile);
		burst(fd, t, BURST_PACKETS, &verdict);
		err = bpf_profile__stop(&profile);
	}
	printf("%s:\n", what);
	if (!err)
		err = bpf_profile__print(&profile, measure_median(ns, BURSTS), PROFILE_LINES);
	bpf_profile__close(&profile);
	return err ? fail(what, strerror(-err)) : 0;
}

/*
 * Runs bursts of the programs in turn, under the same conditions. Differences between programs are medians over the bursts. The
 * cost of restoring the frame is subtracted.
 */
static int compare(const int *fd, const struct template *t, uint32_t want, const char *name, double *ns)
{
	double taken[PROGRAMS + 1][BURSTS], more, restoring;
	struct baseline restore[PROGRAMS] = { 0 };
	uint32_t verdict = XDP_ABORTED;
	int err = 0;

	for (int p = 0; p < PROGRAMS && !err; p++)
		err = restore_before(fd[p], t, &restore[p]);
	for (int p = HANDLER; p <= BASELINE && !err; p++) {
		burst(restore[p].fd, t, 3, &verdict);
		if (verdict != want)
			err = fail(name, p == HANDLER ? "the handler gives another verdict" : "the baseline gives another verdict");
	}
	if (profiled && !strcmp(name, profiled) && !err) {
		was_profiled = 1;
		err = print_profile(restore[HANDLER].fd, t, "handler");
		if (!err)
			err = print_profile(restore[BASELINE].fd, t, "baseline");
	}
	for (int i = 0; i < BURSTS && !err && !profiled; i++) {
		for (int p = 0; p <= PROGRAMS; p++)
			taken[p][i] = burst(p < PROGRAMS ? restore[p].fd : fd[EMPTY], t, BURST_PACKETS, &verdict);
		if (isnan(taken[HANDLER][i] + taken[BASELINE][i] + taken[EMPTY][i] + taken[PROGRAMS][i]))
			err = fail(name, strerror(errno));
	}
	for (int p = 0; p < PROGRAMS; p++)
		bpf_object__close(restore[p].object);
	if (err || profiled)
		return err;
	restoring = median_difference(taken[EMPTY], taken[PROGRAMS]);
	more = median_difference(taken[HANDLER], taken[BASELINE]); /* before the medians, which sort the arrays */
	for (int p = BASELINE; p < PROGRAMS; p++)
		ns[p] = measure_median(taken[p], BURSTS) - restoring;
	ns[HANDLER] = ns[BASELINE] + more;
	return 0;
}

static int bench_handler(struct measure *m, const char *handler, const struct frame *frames, unsigned count,
			 int (*fill)(struct spin_ctx *ctx, const struct baseline *baseline), const struct baseline *empty)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	struct baseline baseline;
	double worst = -INFINITY, worst_handler = 0, worst_baseline = 0, sum_ratio;
	char path[512], name[64];
	int err = built_object(handler, path, sizeof(path));

	if (err || spin_object__open(path, &object) || spin_rule__parse("udp dport 9000", &rule) ||
	    spin_ctx__create(NULL, object, &rule, &ctx))
		return fail(handler, err ? engine_error() : spin_strerror_last());
	snprintf(name, sizeof(name), "baselines/%s", handler);
	err = open_baseline(name, &baseline);
	if (!err)
		err = fill(ctx, &baseline);
	for (unsigned i = 0; i < count && !err; i++) {
		int fd[PROGRAMS] = { spin_ctx__program_fd(ctx), baseline.fd, empty->fd };
		struct measure_row *row;
		struct template t;
		double ns[PROGRAMS] = { 0 }, extra, limit;

		err = make_frame(frames[i].lines, &t);
		if (!err)
			err = compare(fd, &t, frames[i].verdict, frames[i].name, ns);
		if (err)
			break;
		extra = ns[HANDLER] - ns[BASELINE];
		limit = fmax(EXTRA_NS, EXTRA_SHARE * ns[BASELINE]);
		snprintf(name, sizeof(name), "handler.%s.vs_bare_xdp.%s", handler, frames[i].name);
		row = measure_add(m, name, extra, "ns");
		row->baseline = ns[BASELINE];
		row->ratio = ns[HANDLER] / ns[BASELINE];
		measure_goal(row, MEASURE_AT_MOST, limit, extra);
		if (extra - limit > worst) {
			worst = extra - limit;
			worst_handler = ns[HANDLER];
			worst_baseline = ns[BASELINE];
		}
	}
	if (!err) {
		struct measure_row *row;

		snprintf(name, sizeof(name), "handler.%s.vs_bare_xdp", handler);
		sum_ratio = worst_handler / worst_baseline;
		row = measure_add(m, name, worst_handler - worst_baseline, "ns");
		row->baseline = worst_baseline;
		row->ratio = sum_ratio;
		measure_goal(row, MEASURE_AT_MOST, fmax(EXTRA_NS, EXTRA_SHARE * worst_baseline), worst_handler - worst_baseline);
	}
	bpf_object__close(baseline.object);
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	return err;
}

/* Measures the maximum extra cost of the isolated class over an empty program; the baseline is the trusted class. */
static int bench_isolated(struct measure *m, const char *handler, const struct frame *frames, unsigned count,
			  int (*fill)(struct spin_ctx *ctx, const struct baseline *baseline), const struct baseline *empty)
{
	struct spin_object *object = NULL;
	struct spin_ctx *ctx[2] = { NULL };
	double most = -INFINITY, trusted = 0, ratio = 0;
	struct spin_rule rule;
	struct baseline baseline = { 0 };
	char path[512], name[64];
	struct measure_row *row;
	int err = built_object(handler, path, sizeof(path));

	if (err)
		return fail(handler, engine_error());
	snprintf(name, sizeof(name), "baselines/%s", handler);
	if (spin_object__open(path, &object) || spin_rule__parse("udp dport 9000", &rule))
		return fail(handler, spin_strerror_last());
	err = open_baseline(name, &baseline);
	for (enum spin_class class = SPIN_CLASS_TRUSTED; class <= SPIN_CLASS_ISOLATED && !err; class ++) {
		const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };

		err = spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx[class]) ? fail(handler, spin_strerror_last())
										     : fill(ctx[class], &baseline);
	}
	for (unsigned i = 0; i < count && !err; i++) {
		int fd[PROGRAMS] = { spin_ctx__program_fd(ctx[SPIN_CLASS_ISOLATED]), spin_ctx__program_fd(ctx[SPIN_CLASS_TRUSTED]),
				     empty->fd };
		struct template t;
		double ns[PROGRAMS];

		err = make_frame(frames[i].lines, &t);
		if (!err)
			err = compare(fd, &t, frames[i].verdict, frames[i].name, ns);
		if (err || ns[HANDLER] - ns[EMPTY] <= most)
			continue;
		most = ns[HANDLER] - ns[EMPTY];
		trusted = ns[BASELINE];
		ratio = ns[HANDLER] / ns[BASELINE];
	}
	if (!err) {
		snprintf(name, sizeof(name), "handler.%s.isolated", handler);
		row = measure_add(m, name, most, "ns");
		row->baseline = trusted;
		row->ratio = ratio;
	}
	bpf_object__close(baseline.object);
	for (int i = 0; i < 2; i++)
		spin_ctx__destroy(ctx[i]);
	spin_object__close(object);
	return err;
}

static int fill_routes(struct spin_ctx *ctx, const struct baseline *baseline)
{
	size_t bytes;
	void *routes;

	if (spin_ctx__table_insert(ctx, "routes", "src=10.0.0.1 port=9000") || spin_ctx__symbol(ctx, "routes", &routes, &bytes))
		return fail("filtering", spin_strerror_last());
	return fill_baseline(baseline, "routes", routes, bytes);
}

static int fill_cache(struct spin_ctx *ctx, const struct baseline *baseline)
{
	struct kv_cache *cache;
	size_t bytes;

	if (spin_ctx__symbol(ctx, "spin_state", (void **)&cache, &bytes))
		return fail("kvstore", spin_strerror_last());
	cache->set[5].line[0] = (struct kv_line){ .tag = 4 | KV_VALID, .key = 5, .value = { 1, 2, 3 } };
	return fill_baseline(baseline, "sets", cache, bytes);
}

/* Measures unmatched traffic: a datagram to another port, through the dispatcher. */
static int bench_unmatched(struct measure *m, const struct baseline *empty)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct measure_row *row;
	struct template t;
	double ns[PROGRAMS];
	char path[512];
	int err;

	if (built_object("filtering", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9000", &rule) || spin_nic__open_offline(&nic) || spin_ctx__create(nic, object, &rule, &ctx) ||
	    spin_ctx__attach(ctx))
		return fail("unmatched", spin_strerror_last());
	err = make_frame("eth 02:00:00:00:00:01 > 02:00:00:00:00:02;ip4 10.0.0.1 > 10.0.0.2;udp 4000 > 9001;"
			 "count 18 1;pad 64",
			 &t);
	if (!err) {
		int fd[PROGRAMS] = { spin_nic__program_fd(nic), empty->fd, empty->fd };

		err = compare(fd, &t, XDP_PASS, "unmatched", ns);
	}
	if (!err) {
		row = measure_add(m, "unmatched.extra_ns", ns[HANDLER] - ns[BASELINE], "ns");
		row->baseline = ns[BASELINE];
		row->ratio = ns[HANDLER] / ns[BASELINE];
		measure_goal(row, MEASURE_AT_MOST, UNMATCHED_NS, ns[HANDLER] - ns[BASELINE]);
	}
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
	return err;
}

int main(int argc, char **argv)
{
	static struct measure m;
	struct baseline empty;
	cpu_set_t cpu;
	int err;

	if (geteuid()) {
		printf("skip: PROG_TEST_RUN needs root\n");
		return 77;
	}
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	measure_begin(&m, "bench-xdp");
	if (argc == 3 && !strcmp(argv[1], "--profile"))
		profiled = argv[2];
	err = open_baseline("baselines/empty", &empty);
	if (!err)
		err = bench_handler(&m, "filtering", filtering_frames, 4, fill_routes, &empty);
	if (!err)
		err = bench_handler(&m, "kvstore", kvstore_frames, 3, fill_cache, &empty);
	if (!err && profiled && !was_profiled)
		err = fail(profiled, "is not a packet of a handler, as in the names of the rows");
	if (err || profiled)
		return err ? 1 : 0;
	err = bench_isolated(&m, "filtering", filtering_frames, 4, fill_routes, &empty);
	if (!err)
		err = bench_isolated(&m, "kvstore", kvstore_frames, 3, fill_cache, &empty);
	if (!err)
		err = bench_unmatched(&m, &empty);
	if (err)
		return 1;
	bpf_object__close(empty.object);
	measure_print(&m);
	if (argc == 2 && measure_write(&m, argv[1]))
		return fail(argv[1], "cannot be written");
	return 0;
}
