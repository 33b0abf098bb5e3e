/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the cost of messages of several packets: a packet of a message that has begun compared with the same handler function on a
 * datagram, packets that do more, many messages in flight, and the message handlers. Uses PROG_TEST_RUN, alternating runs, medians. Every
 * packet of a message is new (mpq.bpf.c); the cost of making it is subtracted.
 * mpq FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 * mpq --profile VARIANT: prints where a packet of this variant ("one message") spends its nanoseconds, by source line.
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
#include "tests/common/net/packet_feed.h"
#include "tests/common/measure/bpf_profile.h"
#include "tests/common/measure/measure.h"
#include "tests/common/random.h"
#include "user/conformance/template/template.h"
#include <spin/bytes.h>
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define ROUNDS         41
#define PROFILE_ROUNDS 1000
#define PROFILE_LINES  30
#define BURST_PACKETS  16384
#define MESSAGES       4096
#define EXTRA_NS       15.0 /* for a packet of an open message */
#define MANY_RATIO     2.0  /* 4,096 messages compared with one */
#define SMALL          12u  /* bytes of payload: frames of 64 bytes */
#define LARGE          1408u
#define HOST_BYTES     (32u << 20) /* room for the packets of a burst */
#define DATAGRAM_PORT  9000

/* A program, and its packets. */
struct variant {
	const char *name;
	const char *handler;  /* NULL: an empty program */
	const char *baseline; /* or a program of baselines/count.bpf.c */
	uint32_t payload_bytes;
	unsigned messages;       /* packets are spread over this many */
	uint32_t flags;          /* of the measured packets */
	enum spin_reason reason; /* expected for each of them */
	enum { MIDDLE, FIRST, LAST, ONLY, DUPLICATE, DATAGRAM } kind;
	struct spin_ctx *ctx;
	int baseline_fd;
	struct feed frame;
	struct template t;
	double ns[ROUNDS];
};

/* In the order in which a round runs them: variants that are compared are adjacent. */
enum {
	EMPTY,
	EMPTY_LARGE,
	DATAGRAMS_LARGE,
	ONE_LARGE,
	DATAGRAMS,
	ONE,
	DATAGRAMS_BASELINE,
	ONE_BASELINE,
	MANY,
	ACKNOWLEDGED,
	DUPLICATES,
	FIRSTS,
	LASTS,
	ONLIES,
	COPY_TO_HOST,
	HISTOGRAM,
	VARIANTS
};

/* clang-format off */
static struct variant variants[VARIANTS] = {
	[EMPTY] = { "(an empty program)", NULL, NULL, SMALL, 1, 0, 0, DATAGRAM },
	[EMPTY_LARGE] = { "(the same, long packets)", NULL, NULL, LARGE, 1, 0, 0, DATAGRAM },
	[DATAGRAMS] = { "datagrams", "count_datagram", NULL, SMALL, 1, 0, SPIN_REASON_SUCCESS, DATAGRAM },
	[DATAGRAMS_LARGE] = { "datagrams, long", "count_datagram", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, DATAGRAM },
	[ONE] = { "one message", "count_message", NULL, SMALL, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[ONE_LARGE] = { "one message, long", "count_message", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[DATAGRAMS_BASELINE] = { "datagrams, by hand", NULL, "datagram", SMALL, 1, SPIN_SLMP_SYN, 0, DATAGRAM },
	[ONE_BASELINE] = { "one message, by hand", NULL, "baseline", SMALL, 1, 0, 0, MIDDLE },
	[MANY] = { "4096 messages", "count_message", NULL, SMALL, MESSAGES, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[ACKNOWLEDGED] = { "acknowledged", "count_message", NULL, SMALL, 1, SPIN_SLMP_SYN, SPIN_REASON_SUCCESS, MIDDLE },
	[DUPLICATES] = { "duplicates", "count_message", NULL, SMALL, 1, 0, SPIN_REASON_DUPLICATE, DUPLICATE },
	[FIRSTS] = { "first packets", "count_message", NULL, SMALL, MESSAGES, SPIN_SLMP_SYN, SPIN_REASON_SUCCESS, FIRST },
	[LASTS] = { "last packets", "count_message", NULL, SMALL, MESSAGES, SPIN_SLMP_EOM, SPIN_REASON_SUCCESS, LAST },
	[ONLIES] = { "messages of one packet", "count_message", NULL, SMALL, MESSAGES, SPIN_SLMP_SYN | SPIN_SLMP_EOM,
		     SPIN_REASON_SUCCESS, ONLY },
	[COPY_TO_HOST] = { "copy_to_host, long", "copy_to_host", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[HISTOGRAM] = { "histogram, long", "histogram", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
};
/* clang-format on */

#define BASELINE_COUNTS  16 /* per CPU, see baselines/receiver.h */
#define BASELINE_HANDLED 8

static struct packet_feed feeding;
static const uint64_t *baseline_counts;
static int empty_fd;
static uint32_t last_id;

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return 1;
}

static struct bpf_profile *profile; /* of the variant that runs; NULL: none */

static int open_feed(void)
{
	struct bpf_object *empty = packet_feed__program("baselines/empty"), *baseline = packet_feed__program("baselines/count");

	if (!empty || !baseline || packet_feed__open(&feeding))
		return 1;
	for (unsigned a = 0; a < VARIANTS; a++)
		if (variants[a].baseline)
			variants[a].baseline_fd = bpf_program__fd(bpf_object__find_program_by_name(baseline, variants[a].baseline));
	empty_fd = bpf_program__fd(bpf_object__find_program_by_name(empty, "baseline"));
	baseline_counts = packet_feed__variable(baseline, "counts");
	return !baseline_counts;
}

static unsigned dst_port(const struct variant *variant)
{
	return variant->kind == DATAGRAM && !variant->baseline ? DATAGRAM_PORT : SPIN_SLMP_PORT;
}

static int open_context(struct variant *variant)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts),
		.message = { .host_bytes = HOST_BYTES, .messages = MESSAGES, .idle_ms = 600000, .tombstone_ms = 1 },
	};
	struct spin_object *object;
	struct spin_rule rule;
	char path[512], rule_text[64];
	int err;

	if (built_object(variant->handler, path, sizeof(path)))
		return fail(variant->handler, engine_error());
	snprintf(rule_text, sizeof(rule_text), "udp dport %u", dst_port(variant));
	if (spin_object__open(path, &object))
		return fail(variant->handler, spin_strerror_last());
	err = spin_rule__parse(rule_text, &rule) ||
	      spin_ctx__create_opts(NULL, object, &rule, variant->kind == DATAGRAM ? NULL : &opts, &variant->ctx);
	spin_object__close(object);
	return err ? fail(variant->handler, spin_strerror_last()) : 0;
}

/* Integers in the range that histogram counts: 0 to 1,023. */
static void fill_payload(uint8_t *to, uint32_t bytes)
{
	uint64_t random = 1;

	for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
		uint32_t value = (uint32_t)random_next(&random) & 1023;

		memcpy(to + i, &value, sizeof(value));
	}
}

static int open_variant(struct variant *variant)
{
	char udp[64], count[64];

	/* the partial sum of local senders, which is the same for all packets */
	snprintf(udp, sizeof(udp), "udp 4000 > %u sum partial", dst_port(variant));
	snprintf(count, sizeof(count), "fill %u 0", variant->payload_bytes);
	template_start(&variant->t);
	if (template_line(&variant->t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&variant->t, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(&variant->t, udp) != 1 ||
	    template_line(&variant->t, "slmp") != 1 || template_line(&variant->t, count) != 1 || template_finish(&variant->t))
		return fail(variant->name, engine_error());
	fill_payload(variant->t.frame + FEED_HEADERS, variant->payload_bytes);
	memcpy(variant->frame.frame, variant->t.frame, sizeof(variant->frame.frame));
	variant->frame.frame_bytes = variant->t.bytes;
	return variant->handler ? open_context(variant) : 0;
}

/* Sends `count` packets with these flags from an offset on. Returns the mean time of a packet, negative on error. */
static double send_packets(struct variant *variant, uint32_t flags, uint32_t offset, uint32_t stride, unsigned count)
{
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = variant->t.frame, .data_size_in = variant->t.bytes, .data_out = out,
		    .data_size_out = sizeof(out), .repeat = (int)count);
	struct feed *feed = feeding.feed;

	memcpy(feed, &variant->frame, sizeof(*feed));
	((uint8_t *)feed->frame)[42] = (uint8_t)(flags >> 8);
	feed->messages = variant->messages;
	feed->first_id = last_id - variant->messages;
	feed->offset = offset;
	feed->stride = stride;
	return bpf_prog_test_run_opts(feeding.fd, &opts) ? -1 : (double)opts.duration;
}

static void drop_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	(void)event;
}

/* Sends the messages' first packets, a burst of the measured packets, and the last packets. */
static double burst(struct variant *variant)
{
	uint32_t stride = variant->payload_bytes, end_offset = stride * (1 + BURST_PACKETS / variant->messages);
	double first, middle = 0, last;

	last_id += variant->messages;
	switch (variant->kind) {
	case DATAGRAM:
		return send_packets(variant, variant->flags, 0, 0, BURST_PACKETS);
	case ONLY:
		return send_packets(variant, variant->flags, 0, 0, variant->messages);
	case DUPLICATE:
		end_offset = 2 * stride;
		break;
	default:
		break;
	}
	first = send_packets(variant, SPIN_SLMP_SYN, 0, 0, variant->messages);
	if (variant->kind == FIRST || variant->kind == LAST)
		end_offset = variant->payload_bytes;
	else if (first >= 0)
		middle = send_packets(variant, variant->flags, stride, variant->kind == DUPLICATE ? 0 : stride, BURST_PACKETS);
	last = send_packets(variant, SPIN_SLMP_EOM, end_offset, 0, variant->messages);
	if (first < 0 || last < 0)
		return -1;
	return variant->kind == FIRST ? first : variant->kind == LAST ? last : middle;
}

static uint64_t handled_by_baseline(void)
{
	uint64_t handled = 0;

	for (unsigned cpu = 0; cpu < 256; cpu++)
		handled += baseline_counts[cpu * BASELINE_COUNTS + BASELINE_HANDLED];
	return handled;
}

/* Runs one round of one variant. Every packet must have the result that the variant expects. */
static int measure(struct variant *variant, double *ns)
{
	uint64_t before[SPIN_REASON_COUNT] = { 0 }, after[SPIN_REASON_COUNT] = { 0 }, want, handled = handled_by_baseline();
	int fd = variant->ctx ? spin_ctx__program_fd(variant->ctx) : variant->baseline ? variant->baseline_fd : empty_fd;
	int err = packet_feed__set_target(&feeding, fd);

	if (err)
		return fail(variant->name, strerror(-err));
	if (variant->ctx)
		spin_ctx__counters(variant->ctx, before);
	if (profile)
		bpf_profile__start(profile);
	*ns = burst(variant);
	if (*ns < 0)
		return fail(variant->name, strerror(errno));
	if (profile)
		err = bpf_profile__stop(profile);
	if (err)
		return fail("profile", strerror(-err));
	if (variant->baseline && handled_by_baseline() - handled < BURST_PACKETS)
		return fail(variant->name, "packets were not handled");
	if (!variant->ctx)
		return 0;
	spin_ctx__counters(variant->ctx, after);
	want = variant->kind == FIRST || variant->kind == LAST || variant->kind == ONLY ? variant->messages : BURST_PACKETS;
	want -= variant->kind == DUPLICATE; /* the first of them is not a duplicate */
	if (after[variant->reason] - before[variant->reason] < want)
		return fail(variant->name, "too few packets had the expected result");
	if (variant->kind != DATAGRAM)
		while (spin_ctx__events(variant->ctx, drop_event, NULL) > 0)
			;
	return 0;
}

static double median(unsigned variant)
{
	double ns[ROUNDS];

	memcpy(ns, variants[variant].ns, sizeof(ns));
	return measure_median(ns, ROUNDS);
}

/* Returns the median difference between two variants, round by round, so that both halves of a pair run under the same conditions. */
static double median_difference(unsigned variant, unsigned over)
{
	double ns[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		ns[i] = variants[variant].ns[i] - variants[over].ns[i];
	return measure_median(ns, ROUNDS);
}

/* Adds a variant's time relative to another variant, which is the baseline. */
static struct measure_row *add_difference_row(struct measure *m, const char *name, unsigned variant, unsigned over)
{
	unsigned empty = variants[over].payload_bytes == LARGE ? EMPTY_LARGE : EMPTY;
	struct measure_row *row = measure_add(m, name, median_difference(variant, over), "ns");

	row->baseline = median_difference(over, empty);
	row->ratio = (row->baseline + row->value) / row->baseline;
	return row;
}

static void report(struct measure *m)
{
	struct measure_row *row;
	double baseline = median_difference(ONE_BASELINE, DATAGRAMS_BASELINE);
	double most = fmax(median_difference(ONE, DATAGRAMS), median_difference(ONE_LARGE, DATAGRAMS_LARGE));

	for (unsigned a = 0; a < VARIANTS; a++)
		printf("%-26s %6.1f ns\n", variants[a].name, median(a));
	add_difference_row(m, "mpq.extra_ns.64 B", ONE, DATAGRAMS);
	add_difference_row(m, "mpq.extra_ns.1460 B", ONE_LARGE, DATAGRAMS_LARGE);
	/* the cost without a runtime: two atomic operations per packet, and the lookup of the message */
	measure_add(m, "mpq.extra_ns.by_hand", baseline, "ns");
	row = measure_add(m, "mpq.extra_ns", most, "ns");
	measure_baseline(row, baseline);
	measure_goal(row, MEASURE_AT_MOST, EXTRA_NS, most);
	row = measure_add(m, "mpq.4096_vs_1", median_difference(MANY, EMPTY), "ns");
	measure_baseline(row, median_difference(ONE, EMPTY));
	measure_goal(row, MEASURE_AT_MOST, MANY_RATIO, row->ratio);
	/* includes restoring the frame's length, which the acknowledgement has reduced */
	add_difference_row(m, "mpq.acknowledged_ns", ACKNOWLEDGED, ONE);
	add_difference_row(m, "mpq.duplicate_ns", DUPLICATES, ONE);
	add_difference_row(m, "mpq.first_ns", FIRSTS, MANY);
	add_difference_row(m, "mpq.last_ns", LASTS, MANY);
	add_difference_row(m, "mpq.one_packet_message_ns", ONLIES, DATAGRAMS);
	measure_add(m, "handler.copy_to_host.1460 B", median_difference(COPY_TO_HOST, EMPTY_LARGE), "ns");
	measure_add(m, "handler.histogram.1460 B", median_difference(HISTOGRAM, EMPTY_LARGE), "ns");
}

static int print_profile(const char *name)
{
	struct bpf_profile opened;
	struct variant *variant = NULL;
	double ns[ROUNDS];
	int err;

	for (unsigned a = 0; a < VARIANTS; a++)
		if (!strcmp(variants[a].name, name) && variants[a].kind != FIRST && variants[a].kind != LAST)
			variant = &variants[a];
	if (!variant)
		return fail(name, "is not a variant of the table that mpq FILE prints, or one of which only a part is measured");
	err = open_variant(variant);
	if (err)
		return err;
	err = bpf_profile__open(&opened);
	if (err)
		return fail("cannot sample the CPU clock", strerror(-err));
	for (int i = 0; i < ROUNDS && !err; i++)
		err = measure(variant, &ns[i]);
	profile = &opened;
	for (int i = 0; i < PROFILE_ROUNDS && !err; i++)
		err = measure(variant, &(double){ 0 });
	if (!err)
		err = bpf_profile__print(profile, measure_median(ns, ROUNDS), PROFILE_LINES);
	bpf_profile__close(profile);
	return err ? 1 : 0;
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
	measure_begin(&m, "bench-mpq");
	if (open_feed())
		return 1;
	if (argc == 3 && !strcmp(argv[1], "--profile"))
		return print_profile(argv[2]);
	for (unsigned a = 0; a < VARIANTS; a++)
		if (open_variant(&variants[a]))
			return 1;
	for (int i = 0; i < ROUNDS; i++)
		for (unsigned a = 0; a < VARIANTS; a++)
			if (measure(&variants[a], &variants[a].ns[i]))
				return 1;
	report(&m);
	measure_print(&m);
	return argc > 1 && measure_write(&m, argv[1]) ? fail(argv[1], "cannot be written") : 0;
}
