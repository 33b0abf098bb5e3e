/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the cost of messages: a packet of an open message compared with the same handler function on a datagram, packets that do
 * more, many messages in flight, and the message handlers. Uses PROG_TEST_RUN, alternating runs, medians. Every packet of a message
 * is new (mpq.bpf.c); the cost of making it is subtracted.
 * mpq FILE: writes rows as JSON to FILE, a table to stdout.
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
#include "tests/common/net/feeding.h"
#include "tests/common/measure.h"
#include "tests/common/random.h"
#include "user/conformance/template/template.h"
#include <spin/bytes.h>
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define TURNS         41
#define BURST_PACKETS 16384
#define MESSAGES      4096
#define EXTRA_NS      15.0 /* for a packet of an open message */
#define MANY_RATIO    2.0  /* 4,096 messages compared with one */
#define SMALL         12u  /* bytes of payload: frames of 64 bytes */
#define LARGE         1408u
#define HOST_BYTES    (32u << 20) /* room for the packets of a burst */
#define DATAGRAM_PORT 9000

/* A program, and its packets. */
struct arm {
	const char *name;
	const char *handler; /* NULL: an empty program */
	const char *by_hand; /* or a program of baselines/count.bpf.c */
	uint32_t payload_bytes;
	unsigned messages;       /* packets are spread over this many */
	uint32_t flags;          /* of the measured packets */
	enum spin_reason reason; /* expected for each of them */
	enum { MIDDLE, FIRST, LAST, ONLY, AGAIN, DATAGRAM } what;
	struct spin_ctx *ctx;
	int by_hand_fd;
	struct feed frame;
	struct template t;
	double ns[TURNS];
};

/* In the order in which a turn runs them: arms that are compared are adjacent. */
enum {
	NOTHING,
	NOTHING_LARGE,
	DATAGRAMS_LARGE,
	ONE_LARGE,
	DATAGRAMS,
	ONE,
	DATAGRAMS_BY_HAND,
	ONE_BY_HAND,
	MANY,
	ACKNOWLEDGED,
	DUPLICATES,
	FIRSTS,
	LASTS,
	ONLIES,
	COPY_TO_HOST,
	HISTOGRAM,
	ARMS
};

/* clang-format off */
static struct arm arms[ARMS] = {
	[NOTHING] = { "(an empty program)", NULL, NULL, SMALL, 1, 0, 0, DATAGRAM },
	[NOTHING_LARGE] = { "(the same, long packets)", NULL, NULL, LARGE, 1, 0, 0, DATAGRAM },
	[DATAGRAMS] = { "datagrams", "count_datagram", NULL, SMALL, 1, 0, SPIN_REASON_SUCCESS, DATAGRAM },
	[DATAGRAMS_LARGE] = { "datagrams, long", "count_datagram", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, DATAGRAM },
	[ONE] = { "one message", "count_message", NULL, SMALL, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[ONE_LARGE] = { "one message, long", "count_message", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[DATAGRAMS_BY_HAND] = { "datagrams, by hand", NULL, "datagram", SMALL, 1, SPIN_SLMP_SYN, 0, DATAGRAM },
	[ONE_BY_HAND] = { "one message, by hand", NULL, "baseline", SMALL, 1, 0, 0, MIDDLE },
	[MANY] = { "4096 messages", "count_message", NULL, SMALL, MESSAGES, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[ACKNOWLEDGED] = { "acknowledged", "count_message", NULL, SMALL, 1, SPIN_SLMP_SYN, SPIN_REASON_SUCCESS, MIDDLE },
	[DUPLICATES] = { "duplicates", "count_message", NULL, SMALL, 1, 0, SPIN_REASON_DUPLICATE, AGAIN },
	[FIRSTS] = { "first packets", "count_message", NULL, SMALL, MESSAGES, SPIN_SLMP_SYN, SPIN_REASON_SUCCESS, FIRST },
	[LASTS] = { "last packets", "count_message", NULL, SMALL, MESSAGES, SPIN_SLMP_EOM, SPIN_REASON_SUCCESS, LAST },
	[ONLIES] = { "messages of one packet", "count_message", NULL, SMALL, MESSAGES, SPIN_SLMP_SYN | SPIN_SLMP_EOM,
		     SPIN_REASON_SUCCESS, ONLY },
	[COPY_TO_HOST] = { "copy_to_host, long", "copy_to_host", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
	[HISTOGRAM] = { "histogram, long", "histogram", NULL, LARGE, 1, 0, SPIN_REASON_SUCCESS, MIDDLE },
};
/* clang-format on */

#define BY_HAND_COUNTS  16 /* per CPU, see baselines/receiver.h */
#define BY_HAND_HANDLED 8

static struct feeding feeding;
static const uint64_t *by_hand_counts;
static int empty_fd;
static uint32_t last_id;

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return 1;
}

static int open_feed(void)
{
	struct bpf_object *empty = feeding__program("baselines/empty"), *by_hand = feeding__program("baselines/count");

	if (!empty || !by_hand || feeding__open(&feeding))
		return 1;
	for (unsigned a = 0; a < ARMS; a++)
		if (arms[a].by_hand)
			arms[a].by_hand_fd = bpf_program__fd(bpf_object__find_program_by_name(by_hand, arms[a].by_hand));
	empty_fd = bpf_program__fd(bpf_object__find_program_by_name(empty, "baseline"));
	by_hand_counts = feeding__variable(by_hand, "counts");
	return !by_hand_counts;
}

static unsigned dst_port(const struct arm *arm)
{
	return arm->what == DATAGRAM && !arm->by_hand ? DATAGRAM_PORT : SPIN_SLMP_PORT;
}

static int open_context(struct arm *arm)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts),
		.message = { .host_bytes = HOST_BYTES, .messages = MESSAGES, .idle_ms = 600000, .tombstone_ms = 1 },
	};
	struct spin_object *object;
	struct spin_rule rule;
	char path[512], words[64];
	int err;

	if (built_object(arm->handler, path, sizeof(path)))
		return fail(arm->handler, engine_error());
	snprintf(words, sizeof(words), "udp dport %u", dst_port(arm));
	if (spin_object__open(path, &object))
		return fail(arm->handler, spin_strerror_last());
	err = spin_rule__parse(words, &rule) || spin_ctx__create_opts(NULL, object, &rule, arm->what == DATAGRAM ? NULL : &opts, &arm->ctx);
	spin_object__close(object);
	return err ? fail(arm->handler, spin_strerror_last()) : 0;
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

static int open_arm(struct arm *arm)
{
	char udp[64], count[64];

	/* the partial sum of local senders, which is the same for all packets */
	snprintf(udp, sizeof(udp), "udp 4000 > %u sum partial", dst_port(arm));
	snprintf(count, sizeof(count), "fill %u 0", arm->payload_bytes);
	template_start(&arm->t);
	if (template_line(&arm->t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&arm->t, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(&arm->t, udp) != 1 ||
	    template_line(&arm->t, "slmp") != 1 || template_line(&arm->t, count) != 1 || template_finish(&arm->t))
		return fail(arm->name, engine_error());
	fill_payload(arm->t.frame + FEED_HEADERS, arm->payload_bytes);
	memcpy(arm->frame.frame, arm->t.frame, sizeof(arm->frame.frame));
	arm->frame.frame_bytes = arm->t.bytes;
	return arm->handler ? open_context(arm) : 0;
}

/* Sends `count` packets with these flags from an offset on. Returns the mean time of a packet, negative on error. */
static double packets(struct arm *arm, uint32_t flags, uint32_t offset, uint32_t stride, unsigned count)
{
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = arm->t.frame, .data_size_in = arm->t.bytes, .data_out = out,
		    .data_size_out = sizeof(out), .repeat = (int)count);
	struct feed *feed = feeding.feed;

	memcpy(feed, &arm->frame, sizeof(*feed));
	((uint8_t *)feed->frame)[42] = (uint8_t)(flags >> 8);
	feed->messages = arm->messages;
	feed->first_id = last_id - arm->messages;
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
static double burst(struct arm *arm)
{
	uint32_t stride = arm->payload_bytes, behind = stride * (1 + BURST_PACKETS / arm->messages);
	double first, middle = 0, last;

	last_id += arm->messages;
	switch (arm->what) {
	case DATAGRAM:
		return packets(arm, arm->flags, 0, 0, BURST_PACKETS);
	case ONLY:
		return packets(arm, arm->flags, 0, 0, arm->messages);
	case AGAIN:
		behind = 2 * stride;
		break;
	default:
		break;
	}
	first = packets(arm, SPIN_SLMP_SYN, 0, 0, arm->messages);
	if (arm->what == FIRST || arm->what == LAST)
		behind = arm->payload_bytes;
	else if (first >= 0)
		middle = packets(arm, arm->flags, stride, arm->what == AGAIN ? 0 : stride, BURST_PACKETS);
	last = packets(arm, SPIN_SLMP_EOM, behind, 0, arm->messages);
	if (first < 0 || last < 0)
		return -1;
	return arm->what == FIRST ? first : arm->what == LAST ? last : middle;
}

static uint64_t handled_by_hand(void)
{
	uint64_t handled = 0;

	for (unsigned cpu = 0; cpu < 256; cpu++)
		handled += by_hand_counts[cpu * BY_HAND_COUNTS + BY_HAND_HANDLED];
	return handled;
}

/* Runs one turn of one arm. Every packet must have the result that the arm expects. */
static int measure(struct arm *arm, double *ns)
{
	uint64_t before[SPIN_REASON_COUNT] = { 0 }, after[SPIN_REASON_COUNT] = { 0 }, want, handled = handled_by_hand();
	int fd = arm->ctx ? spin_ctx__program_fd(arm->ctx) : arm->by_hand ? arm->by_hand_fd : empty_fd;
	int err = feeding__to(&feeding, fd);

	if (err)
		return fail(arm->name, strerror(-err));
	if (arm->ctx)
		spin_ctx__counters(arm->ctx, before);
	*ns = burst(arm);
	if (*ns < 0)
		return fail(arm->name, strerror(errno));
	if (arm->by_hand && handled_by_hand() - handled < BURST_PACKETS)
		return fail(arm->name, "packets were not handled");
	if (!arm->ctx)
		return 0;
	spin_ctx__counters(arm->ctx, after);
	want = arm->what == FIRST || arm->what == LAST || arm->what == ONLY ? arm->messages : BURST_PACKETS;
	want -= arm->what == AGAIN; /* the first of them is not a duplicate */
	if (after[arm->reason] - before[arm->reason] < want)
		return fail(arm->name, "packets did not come to what is measured");
	if (arm->what != DATAGRAM)
		while (spin_ctx__events(arm->ctx, drop_event, NULL) > 0)
			;
	return 0;
}

static double median(unsigned arm)
{
	double ns[TURNS];

	memcpy(ns, arms[arm].ns, sizeof(ns));
	return measure_median(ns, TURNS);
}

/* Returns the median difference between two arms, turn by turn, so that both halves of a pair run under the same conditions. */
static double longer(unsigned arm, unsigned over)
{
	double ns[TURNS];

	for (int i = 0; i < TURNS; i++)
		ns[i] = arms[arm].ns[i] - arms[over].ns[i];
	return measure_median(ns, TURNS);
}

/* Adds an arm's time relative to another arm, which is the baseline. */
static struct measure_row *extra(struct measure *m, const char *name, unsigned arm, unsigned over)
{
	unsigned nothing = arms[over].payload_bytes == LARGE ? NOTHING_LARGE : NOTHING;
	struct measure_row *row = measure_add(m, name, longer(arm, over), "ns");

	row->baseline = longer(over, nothing);
	row->ratio = (row->baseline + row->value) / row->baseline;
	return row;
}

static void report(struct measure *m)
{
	struct measure_row *row;
	double by_hand = longer(ONE_BY_HAND, DATAGRAMS_BY_HAND);
	double most = fmax(longer(ONE, DATAGRAMS), longer(ONE_LARGE, DATAGRAMS_LARGE));

	for (unsigned a = 0; a < ARMS; a++)
		printf("%-26s %6.1f ns\n", arms[a].name, median(a));
	extra(m, "mpq.extra_ns.64 B", ONE, DATAGRAMS);
	extra(m, "mpq.extra_ns.1460 B", ONE_LARGE, DATAGRAMS_LARGE);
	/* the cost without a runtime: two atomic operations per packet, and the lookup of the message */
	measure_add(m, "mpq.extra_ns.by_hand", by_hand, "ns");
	row = measure_add(m, "mpq.extra_ns", most, "ns");
	measure_baseline(row, by_hand);
	measure_goal(row, MEASURE_AT_MOST, EXTRA_NS, most);
	row = measure_add(m, "mpq.4096_vs_1", longer(MANY, NOTHING), "ns");
	measure_baseline(row, longer(ONE, NOTHING));
	measure_goal(row, MEASURE_AT_MOST, MANY_RATIO, row->ratio);
	/* includes restoring the frame's length, which the acknowledgement has reduced */
	extra(m, "mpq.acknowledged_ns", ACKNOWLEDGED, ONE);
	extra(m, "mpq.duplicate_ns", DUPLICATES, ONE);
	extra(m, "mpq.first_ns", FIRSTS, MANY);
	extra(m, "mpq.last_ns", LASTS, MANY);
	extra(m, "mpq.one_packet_message_ns", ONLIES, DATAGRAMS);
	measure_add(m, "handler.copy_to_host.1460 B", longer(COPY_TO_HOST, NOTHING_LARGE), "ns");
	measure_add(m, "handler.histogram.1460 B", longer(HISTOGRAM, NOTHING_LARGE), "ns");
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
	for (unsigned a = 0; a < ARMS; a++)
		if (open_arm(&arms[a]))
			return 1;
	for (int i = 0; i < TURNS; i++)
		for (unsigned a = 0; a < ARMS; a++)
			if (measure(&arms[a], &arms[a].ns[i]))
				return 1;
	report(&m);
	measure_print(&m);
	return argc > 1 && measure_write(&m, argv[1]) ? fail(argv[1], "cannot be written") : 0;
}
