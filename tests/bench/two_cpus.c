/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the gain from a second CPU for handlers that all count in the same memory of clusters (<spin/cluster.h>): packets per second
 * of two CPUs compared with one, alternating, medians. Each CPU has its own messages of one packet (mpq.bpf.c). The kernel measures the
 * time, because a call of PROG_TEST_RUN takes 20 ms before its first packet.
 * two_cpus FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include "tests/common/net/packet_feed.h"
#include "tests/common/measure/measure.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "user/conformance/template/template.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define ROUNDS   9
#define MESSAGES 262144 /* per round */
#define BYTES    1024   /* of payload: reduce uses 512 integers */
#define TARGET   1.6

struct sender {
	struct packet_feed feeding;
	struct feed start; /* restored before each burst */
	struct template packet;
	pthread_t thread;
	int cpu, err;
	uint32_t next_id;
	double packets_per_s;
};

static struct sender senders[2];
static pthread_barrier_t begin;

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return 1;
}

static void *send_messages(void *arg)
{
	struct sender *s = arg;
	uint8_t out[ENGINE_FRAME_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = s->packet.frame, .data_size_in = s->packet.bytes, .data_out = out,
		    .data_size_out = sizeof(out), .repeat = MESSAGES);

	proc_pin(0, s->cpu, 1);
	memcpy(s->feeding.feed, &s->start, sizeof(s->start));
	s->feeding.feed->messages = UINT32_MAX; /* each packet is a new message */
	s->feeding.feed->first_id = s->next_id;
	s->next_id += MESSAGES;
	pthread_barrier_wait(&begin);
	s->err = bpf_prog_test_run_opts(s->feeding.fd, &opts) ? -errno : 0;
	s->packets_per_s = opts.duration ? 1e9 / opts.duration : 0;
	return NULL;
}

/* Returns the packets per second of CPUs [first, first + count) at the same time; negative on error. */
static double rate(unsigned first, unsigned count)
{
	double sum = 0;
	int err = 0;

	pthread_barrier_init(&begin, NULL, count);
	for (unsigned i = first; i < first + count; i++)
		if (pthread_create(&senders[i].thread, NULL, send_messages, &senders[i]))
			return -EAGAIN;
	for (unsigned i = first; i < first + count; i++) {
		pthread_join(senders[i].thread, NULL);
		err = senders[i].err ? senders[i].err : err;
		sum += senders[i].packets_per_s;
	}
	pthread_barrier_destroy(&begin);
	return err ? err : sum;
}

/* Integers from 0 to 1,023, the range that histogram counts. */
static int make_packet(struct sender *s)
{
	uint64_t random = 1;
	char payload[64];

	snprintf(payload, sizeof(payload), "fill %u 0", BYTES);
	template_start(&s->packet);
	if (template_line(&s->packet, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&s->packet, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(&s->packet, "udp 4000 > 9330 sum partial") != 1 ||
	    template_line(&s->packet, "slmp SYN EOM") != 1 || template_line(&s->packet, payload) != 1 || template_finish(&s->packet))
		return fail("packet", engine_error());
	for (uint32_t i = 0; i < BYTES; i += 4) {
		const uint32_t value = (uint32_t)random_next(&random) & 1023;

		memcpy(s->packet.frame + FEED_HEADERS + i, &value, sizeof(value));
	}
	memcpy(s->start.frame, s->packet.frame, sizeof(s->start.frame));
	s->start.frame_bytes = s->packet.bytes;
	return 0;
}

static struct spin_ctx *open_context(const char *handler)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts),
		.message = { .host_bytes = 1 << 16, .messages = SPIN_MPQS_MAX, .idle_ms = 600000, .tombstone_ms = 1 },
	};
	struct spin_object *object = NULL;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	char path[512];

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx) || spin_ctx__set(ctx, "spin_state.messages=4294967295")) {
		fail(handler, spin_strerror_last());
		ctx = NULL;
	}
	spin_object__close(object);
	return ctx;
}

/* Up to one in 1,000 may find all messages taken: completed messages are freed at the kernel's clock ticks. */
static int check_handled(const char *handler, struct spin_ctx *ctx, uint64_t messages)
{
	uint64_t counters[SPIN_REASON_COUNT] = { 0 };

	spin_ctx__counters(ctx, counters);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		if (counters[i] && i != SPIN_REASON_SUCCESS)
			fprintf(stderr, "bench: %s: %llu packets: %s\n", handler, (unsigned long long)counters[i],
				spin_reason_text((enum spin_reason)i));
	return counters[SPIN_REASON_SUCCESS] >= messages - messages / 1000 ? 0 : fail(handler, "packets were not handled");
}

static int measure(struct measure *m, const char *handler)
{
	struct spin_ctx *ctx = open_context(handler);
	double one[ROUNDS], two[ROUNDS], ratio[ROUNDS];
	struct measure_row *row;
	char name[64];

	if (!ctx)
		return 1;
	for (unsigned i = 0; i < 2; i++)
		if (packet_feed__set_target(&senders[i].feeding, spin_ctx__program_fd(ctx)))
			return fail(handler, "its program cannot be called");
	for (unsigned i = 0; i < ROUNDS; i++) {
		one[i] = rate(i & 1, 1); /* the CPUs alternate as the single one */
		two[i] = rate(0, 2);
		if (one[i] < 0 || two[i] < 0)
			return fail(handler, "packets cannot be run");
		ratio[i] = two[i] / one[i];
	}
	if (check_handled(handler, ctx, 3ull * MESSAGES * ROUNDS))
		return 1;
	spin_ctx__destroy(ctx);
	snprintf(name, sizeof(name), "handler.%s.two_vs_one", handler);
	row = measure_add(m, name, measure_median(two, ROUNDS), "packets/s");
	measure_baseline(row, measure_median(one, ROUNDS));
	row->ratio = measure_median(ratio, ROUNDS);
	measure_goal(row, MEASURE_AT_LEAST, TARGET, row->ratio);
	return 0;
}

int main(int argc, char **argv)
{
	static struct measure m;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: PROG_TEST_RUN needs root, and two CPUs\n");
		return 77;
	}
	for (unsigned i = 0; i < 2; i++) {
		senders[i].cpu = (int)i;
		senders[i].next_id = i << 31;
		if (packet_feed__open(&senders[i].feeding) || make_packet(&senders[i]))
			return 1;
	}
	measure_begin(&m, "bench-two-cpus");
	if (measure(&m, "histogram") || measure(&m, "reduce"))
		return 1;
	measure_print(&m);
	for (unsigned i = 0; i < 2; i++)
		packet_feed__close(&senders[i].feeding);
	return argc > 1 && measure_write(&m, argv[1]) ? fail(argv[1], "cannot be written") : 0;
}
