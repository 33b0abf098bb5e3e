/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the cost of the handlers `reduce` and `aggregate` (sums over messages) with hand-written receivers of the same messages
 * (baselines/receiver.h): the same packets in alternating runs, by PROG_TEST_RUN, medians; the cost of making a packet is subtracted. Both
 * must have the same sums at the end.
 * receive FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/random.h"
#include "user/conformance/template/template.h"
#include "user/conformance/types.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#include "tests/bench/receive.h"

#define ROUNDS              41
#define EXTRA_NS            8.0
#define EXTRA_SHARE         0.05
#define HEADERS             52u
#define BASELINE_COUNTS     16 /* per CPU, see baselines/receiver.h */
#define BASELINE_HANDLED    8
#define SETS_NEVER_COMPLETE 0xffffffffu

/* The measured packets of a message: those between the first and the last one, or all. */
struct stream {
	const char *name;
	uint32_t stride, count; /* bytes of a packet's payload; packets of a message */
	unsigned messages;      /* per burst */
	int checksum, whole;
};

struct kind {
	const char *handler;
	const char *symbol; /* the baseline's variable for the handler's state; NULL: the handler has none */
	const struct stream *packets;
	unsigned count;
};

/* The number of integers that reduce takes, and a message of 1 MiB (PsPIN 4.3). */
/* clang-format off */
static const struct stream reduce_packets[] = {
	{ "64 B", 12, 682, 16, 1, 0 },
	{ "1448 B", 1396, 5, 1024, 1, 0 },
	{ "1448 B, no checksum", 1396, 5, 1024, 0, 0 },
	{ "whole messages", 1396, 5, 512, 1, 1 },
};
static const struct stream aggregate_packets[] = {
	{ "64 B", 12, 752, 16, 1, 0 },
	{ "1448 B", 1396, 752, 16, 1, 0 },
	{ "1448 B, no checksum", 1396, 752, 16, 0, 0 },
	{ "whole messages", 1396, 5, 512, 1, 1 },
};
/* clang-format on */

static const struct kind kinds[] = {
	{ "reduce", "reduce", reduce_packets, 4 },
	{ "aggregate", NULL, aggregate_packets, 4 },
};

enum { HANDLER, BASELINE, EMPTY, PROGRAMS };

/* A program under test, and the number of its packets so far. */
struct variant {
	int fd;
	uint32_t id;
	double ns[ROUNDS];
};

static struct feed *feed;
static int feed_fd, next_fd, empty_fd;

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return -1;
}

static struct bpf_object *open_program(const char *name, int *fd)
{
	struct bpf_program *program;
	struct bpf_object *object;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/bench/%s.bpf.o", built_dir(), name);
	object = bpf_object__open_file(path, NULL);
	program = object ? bpf_object__find_program_by_name(object, "baseline") : NULL;
	/* must be equal for all programs of a program array, so use the handlers' flag */
	if (!program || bpf_program__set_flags(program, BPF_F_XDP_HAS_FRAGS) || bpf_object__load(object)) {
		fail(path, "cannot be loaded");
		return NULL;
	}
	*fd = bpf_program__fd(program);
	return object;
}

/* Reads or writes a variable of a program by copying: its map cannot be mapped. */
static int baseline_value(const struct bpf_object *object, const char *symbol, void *value, size_t bytes, int store)
{
	struct layout_variable var;
	static uint8_t all[16 << 20];
	struct bpf_map *map;
	uint32_t zero = 0;

	if (layout__find(bpf_object__btf(object), symbol, &var) || var.bytes < bytes)
		return fail(symbol, "is no such variable");
	bpf_object__for_each_map(map, object) {
		if (!strstr(bpf_map__name(map), ".bss"))
			continue;
		if (bpf_map__value_size(map) > sizeof(all) || bpf_map_lookup_elem(bpf_map__fd(map), &zero, all))
			break;
		if (!store) {
			memcpy(value, all + var.offset, bytes);
			return 0;
		}
		memcpy(all + var.offset, value, bytes);
		return bpf_map_update_elem(bpf_map__fd(map), &zero, all, 0) ? fail(symbol, strerror(errno)) : 0;
	}
	return fail(symbol, "its memory cannot be read");
}

static int open_feed(void)
{
	struct bpf_object *object = open_program("receive", &feed_fd);
	struct bpf_map *map;

	if (!object || !open_program("baselines/empty", &empty_fd))
		return -1;
	next_fd = bpf_object__find_map_fd_by_name(object, "next");
	bpf_object__for_each_map(map, object)
		if (strstr(bpf_map__name(map), ".bss"))
			feed = mmap(NULL, sizeof(*feed), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return feed && feed != MAP_FAILED ? 0 : fail("receive.bpf.o", "its memory cannot be mapped");
}

/* The payload is zero if packets are acknowledged in between, because acknowledgements leave zeros. */
static int make_frame(const struct stream *p, struct template *t)
{
	uint64_t random = 1;
	char count[64];

	snprintf(count, sizeof(count), "fill %u 0", p->stride);
	template_start(t);
	if (template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(t, "udp 4000 > 9330 sum none") != 1 || template_line(t, "slmp flags 0 id 0 off 0") != 1 ||
	    template_line(t, count) != 1 || template_finish(t))
		return fail(p->name, engine_error());
	if (!p->whole)
		random_fill(&random, t->frame + HEADERS, p->stride);
	return 0;
}

/* Returns the UDP checksum (RFC 768) of the frame that make_frame() makes. */
static uint32_t udp_sum(const struct template *t)
{
	uint32_t udp_bytes = t->bytes - 34, sum = htons(17) + htons((uint16_t)udp_bytes);

	for (uint32_t i = 26; i < t->bytes; i += 2)
		sum += (uint32_t)t->frame[i] | (uint32_t)t->frame[i + 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* For each message of a burst, sends the packets from an offset on. Returns the mean time of a packet, NAN on error. */
static double send_packets(struct variant *variant, const struct stream *p, const struct template *t, uint32_t from, uint32_t until,
			   int checksum)
{
	unsigned count = p->messages * ((until - from) / p->stride);
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = t->frame, .data_size_in = t->bytes, .data_out = out, .data_size_out = sizeof(out),
		    .repeat = (int)count);

	memcpy(feed->head, t->frame, sizeof(feed->head));
	feed->frame_bytes = t->bytes;
	feed->sum = checksum ? udp_sum(t) : 0;
	feed->id = variant->id;
	feed->offset = feed->from = from;
	feed->until = until;
	feed->stride = p->stride;
	feed->total = p->stride * p->count;
	return bpf_prog_test_run_opts(feed_fd, &opts) ? NAN : (double)opts.duration;
}

static double burst(struct variant *variant, const struct stream *p, const struct template *t)
{
	uint32_t total = p->stride * p->count, zero = 0;
	double first = 0, ns, last = 0;

	if (bpf_map_update_elem(next_fd, &zero, &variant->fd, BPF_ANY))
		return NAN;
	if (p->whole) {
		ns = send_packets(variant, p, t, 0, total, p->checksum);
	} else {
		/* first packets are acknowledged, which overwrites their payload: zeros, and no checksum */
		first = send_packets(variant, p, t, 0, p->stride, 0);
		ns = send_packets(variant, p, t, p->stride, total - p->stride, p->checksum);
		last = send_packets(variant, p, t, total - p->stride, total, p->checksum);
	}
	variant->id += p->messages;
	return isnan(first + last) ? NAN : ns;
}

static void drop_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	(void)event;
}

/* Stores the number of packets that each program has handled so far. */
static int handled(struct spin_ctx *ctx, const struct bpf_object *baseline, uint64_t *ours, uint64_t *baselines)
{
	uint64_t counters[SPIN_REASON_COUNT], counts[SPIN_HPUS_MAX][BASELINE_COUNTS];

	spin_ctx__counters(ctx, counters);
	if (baseline_value(baseline, "counts", counts, sizeof(counts), 0))
		return -1;
	*ours = counters[SPIN_REASON_SUCCESS];
	*baselines = 0;
	for (int i = 0; i < SPIN_HPUS_MAX; i++)
		*baselines += counts[i][BASELINE_HANDLED];
	return 0;
}

static double median(const double *of)
{
	double ns[ROUNDS];

	memcpy(ns, of, sizeof(ns));
	return measure_median(ns, ROUNDS);
}

/* Returns the median difference, burst by burst, so that both halves of a pair run under the same conditions. */
static double median_difference(const double *of, const double *over)
{
	double ns[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ns[i] = of[i] - over[i];
	return measure_median(ns, ROUNDS);
}

/* Measures the empty program alone, without the feed. */
static double empty_alone(const struct template *t)
{
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = t->frame, .data_size_in = t->bytes, .data_out = out, .data_size_out = sizeof(out),
		    .repeat = 10000);

	return bpf_prog_test_run_opts(empty_fd, &opts) ? NAN : (double)opts.duration;
}

/* Measures *baseline_ns and *extra_ns for a kind of packets. */
static int compare(struct variant *variant, const struct stream *p, struct spin_ctx *ctx, const struct bpf_object *baseline,
		   double *baseline_ns, double *extra_ns)
{
	uint64_t want = (uint64_t)ROUNDS * p->messages * p->count, before[2], after[2];
	static struct template t;
	double alone[ROUNDS];

	if (make_frame(p, &t) || handled(ctx, baseline, &before[HANDLER], &before[BASELINE]))
		return -1;
	for (int i = 0; i < ROUNDS; i++) {
		for (int a = 0; a < PROGRAMS; a++)
			variant[a].ns[i] = burst(&variant[a], p, &t);
		alone[i] = empty_alone(&t);
		if (isnan(variant[HANDLER].ns[i] + variant[BASELINE].ns[i] + variant[EMPTY].ns[i] + alone[i]))
			return fail(p->name, strerror(errno));
		while (spin_ctx__events(ctx, drop_event, NULL) > 0)
			;
	}
	if (handled(ctx, baseline, &after[HANDLER], &after[BASELINE]))
		return -1;
	if (after[HANDLER] - before[HANDLER] != want || after[BASELINE] - before[BASELINE] != want) {
		fprintf(stderr, "bench: of %llu packets the handler took %llu, the baseline %llu\n", (unsigned long long)want,
			(unsigned long long)(after[HANDLER] - before[HANDLER]), (unsigned long long)(after[BASELINE] - before[BASELINE]));
		return fail(p->name, "not every packet came to what is measured");
	}
	*extra_ns = median_difference(variant[HANDLER].ns, variant[BASELINE].ns);
	*baseline_ns = median(variant[BASELINE].ns) - median_difference(variant[EMPTY].ns, alone);
	return 0;
}

/* Copies the handler's state in the baseline's layout: the state's sums are not merged yet, so they are taken from the variable `sums`. */
static int read_state(struct spin_ctx *ctx, uint8_t *to, size_t room, size_t *bytes)
{
	struct {
		uint32_t sum[2048];
	} sums;
	void *state;

	if (spin_ctx__symbol(ctx, "spin_state", &state, bytes) || spin_ctx__value(ctx, "sums", &sums, sizeof(sums)))
		return fail("reduce", spin_strerror_last());
	if (*bytes > room || *bytes < sizeof(sums))
		return fail("reduce", "has another state");
	memcpy(to, state, *bytes);
	memcpy(to, &sums, sizeof(sums));
	return 0;
}

/* Compares the results. Both programs have handled the same packets. */
static int same_result(const struct kind *k, struct spin_ctx *ctx, const struct bpf_object *baseline)
{
	static uint8_t baselines[16384], state[16384];
	void *ours = state;
	size_t bytes;

	if (k->symbol) {
		if (read_state(ctx, state, sizeof(state), &bytes))
			return -1;
	} else {
		if (spin_ctx__host_memory(ctx, &ours, &bytes))
			return fail(k->handler, spin_strerror_last());
		bytes = sizeof(uint32_t);
	}
	if (bytes > sizeof(baselines) || baseline_value(baseline, k->symbol ? k->symbol : "result", baselines, bytes, 0))
		return -1;
	return memcmp(ours, baselines, bytes) ? fail(k->handler, "handler and baseline have come to different sums") : 0;
}

static struct spin_ctx *open_context(const struct kind *k)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts),
		.message = { .messages = SPIN_MPQS_MAX, .idle_ms = 600000, .tombstone_ms = 1 },
	};
	struct spin_ctx *ctx = NULL;
	struct spin_object *object;
	struct spin_rule rule;
	char path[512];

	if (built_object(k->handler, path, sizeof(path))) {
		fail(k->handler, engine_error());
		return NULL;
	}
	if (spin_object__open(path, &object) || spin_rule__parse("udp ip4 dport 9330", &rule) ||
	    spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx)) {
		fail(k->handler, spin_strerror_last());
		return NULL;
	}
	spin_object__close(object);
	return ctx;
}

/* Sets the same n and m in both. */
static int set_up_state(const struct kind *k, struct spin_ctx *ctx, const struct bpf_object *baseline)
{
	size_t bytes;
	uint32_t *state;

	if (!k->symbol)
		return 0;
	if (spin_ctx__symbol(ctx, "spin_state", (void **)&state, &bytes))
		return fail(k->handler, spin_strerror_last());
	state[bytes / 4 - 2] = SETS_NEVER_COMPLETE;
	return baseline_value(baseline, k->symbol, state, bytes, 1);
}

static int bench_kind(struct measure *m, const struct kind *k)
{
	double worst = -INFINITY, worst_baseline = 0, worst_extra = 0;
	struct variant variant[PROGRAMS] = { { .fd = -1 }, { .fd = -1 }, { .fd = empty_fd } };
	struct spin_ctx *ctx = open_context(k);
	struct bpf_object *baseline;
	char name[96];
	int err;

	snprintf(name, sizeof(name), "baselines/%s", k->handler);
	baseline = ctx ? open_program(name, &variant[BASELINE].fd) : NULL;
	if (!baseline || set_up_state(k, ctx, baseline))
		return -1;
	variant[HANDLER].fd = spin_ctx__program_fd(ctx);
	for (unsigned i = 0; i < k->count; i++) {
		double baseline_ns, extra, limit;
		struct measure_row *row;

		if (compare(variant, &k->packets[i], ctx, baseline, &baseline_ns, &extra))
			return -1;
		limit = fmax(EXTRA_NS, EXTRA_SHARE * baseline_ns);
		snprintf(name, sizeof(name), "handler.%s.vs_bare_xdp.%s", k->handler, k->packets[i].name);
		row = measure_add(m, name, extra, "ns");
		row->baseline = baseline_ns;
		row->ratio = (baseline_ns + extra) / baseline_ns;
		measure_goal(row, MEASURE_AT_MOST, limit, extra);
		if (extra - limit > worst) {
			worst = extra - limit;
			worst_baseline = baseline_ns;
			worst_extra = extra;
		}
	}
	err = same_result(k, ctx, baseline);
	if (!err) {
		struct measure_row *row;

		snprintf(name, sizeof(name), "handler.%s.vs_bare_xdp", k->handler);
		row = measure_add(m, name, worst_extra, "ns");
		row->baseline = worst_baseline;
		row->ratio = (worst_baseline + worst_extra) / worst_baseline;
		measure_goal(row, MEASURE_AT_MOST, fmax(EXTRA_NS, EXTRA_SHARE * worst_baseline), worst_extra);
	}
	bpf_object__close(baseline);
	spin_ctx__destroy(ctx);
	return err;
}

int main(int argc, char **argv)
{
	static struct measure m;
	cpu_set_t cpu;

	if (geteuid()) {
		printf("skip: PROG_TEST_RUN needs root\n");
		return 77;
	}
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	measure_begin(&m, "bench-receive");
	if (open_feed())
		return 1;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (bench_kind(&m, &kinds[i]))
			return 1;
	measure_print(&m);
	return argc > 1 && measure_write(&m, argv[1]) ? fail(argv[1], "cannot be written") != 0 : 0;
}
