/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A part of `make demo`, called by demo.c: the handler kvstore on live traffic. A key-value server and a YCSB client run alternately with
 * and without the handlers, which answer GETs in front of the server. Every answer is checked.
 */
#include <signal.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/common/proc.h"
#include "tests/demo/capture.h"
#include "tests/demo/kv_replay.h"
#include "tests/demo/kv_server.h"
#include "tests/demo/parts.h"
#include "tests/demo/replay.h"
#include "tests/demo/ycsb.h"

/*
 * The cache cannot hold all keys: there are twenty times as many keys as cache lines. The window keeps the server busy with and without the
 * handlers.
 */
#define KEYS       10000
#define THETA      1.1
#define WINDOW     64 /* requests in flight */
#define ROUNDS     11 /* each with and without the handlers */
#define ROUNDS_MIN 3  /* at least, on a slow or busy machine */
#define WARM_UP_S  0.2
#define MEASURE_S  0.5
#define STORE_KEYS (2u << 20) /* capacity of the server's store */
#define FRAMES_MAX 30000
#define TARGET     0.85 /* of the bound */

struct round {
	double rate, cpu_ns, hit_all, hit_get, server_busy;
	double speedup, bound, vs_bound; /* with the handlers, relative to the preceding round without */
	struct ycsb_result client;
	struct kv_server_report server;
};

static void run_round(const struct demo *demo, const char *object, uint64_t seed, double measure_s, struct round *round)
{
	struct kv_server_report *report = proc_shared(sizeof(*report));
	struct ycsb_result *r = proc_shared(sizeof(*r));
	struct kv_server server = { LAB_SERVER_ADDR, STORE_KEYS, demo->lab.server.ifname, object, report };
	struct ycsb client = {
		.addr = LAB_SERVER_ADDR,
		.port = KV_PORT,
		.keys = KEYS,
		.theta = THETA,
		.window = WINDOW,
		.warm_up_s = WARM_UP_S,
		.measure_s = measure_s,
		.seed = seed,
		.server_requests = &report->requests,
		.result = r,
	};
	double n;

	proc_progress();
	client.server = proc_start(demo->lab.server.ns_fd, demo->lab.server.cpu, kv_server__run, &server);
	while (!report->ready) {
		if (!proc_alive(client.server))
			die("the key-value server ended");
		usleep(1000);
	}
	client.server_napi = lab_napi_thread(&demo->lab.server);
	if (proc_wait(proc_start(demo->lab.client.ns_fd, demo->lab.client.cpu, ycsb__run, &client)))
		die("the YCSB client failed");
	proc_stop(client.server, SIGTERM);

	n = (double)r->requests;
	round->client = *r;
	round->server = *report;
	round->rate = n / r->seconds;
	round->cpu_ns = (double)(r->server_ns + r->server_napi_ns) / n;
	round->server_busy = round->cpu_ns * round->rate / 1e9;
	/* replies in flight at the start and the end can make it slightly negative */
	round->hit_all = r->reached_server < r->requests ? 1 - (double)r->reached_server / n : 0;
	round->hit_get = round->hit_all * n / (double)r->gets;
	if (r->wrong)
		die("%llu wrong values; first: %s", (unsigned long long)r->wrong, r->first_wrong);
	munmap(report, sizeof(*report));
	munmap(r, sizeof(*r));
}

/* Returns NAN if there are no rounds. */
static double median_of(const struct round *round, int rounds, size_t field)
{
	double values[ROUNDS];

	for (int i = 0; i < rounds; i++)
		values[i] = *(const double *)((const char *)&round[i] + field);
	return measure_median(values, rounds);
}
#define MEDIAN(of, field) median_of(of, rounds, offsetof(struct round, field))

static void print_round(const char *variant, const struct round *round)
{
	const struct ycsb_result *r = &round->client;
	double n = (double)r->requests;

	printf("  %-8s %9.0f %10.0f %8.0f %8.0f %8.1f %9.1f %9.1f %8llu %8llu\n", variant, round->rate, round->cpu_ns,
	       (double)r->server_ns / n, (double)r->server_napi_ns / n, round->server_busy * 100, round->hit_get * 100,
	       round->hit_all * 100, (unsigned long long)r->checked, (unsigned long long)r->timeouts);
}

/* Measures the time at XDP of each class with the captured frames. Each class starts with the state that the previous one leaves. */
static void time_classes(const struct demo *demo, struct spin_ctx *ctx, const struct capture *capture, double *ns)
{
	const struct frame **of_class[KV_CLASSES];
	size_t count[KV_CLASSES] = { 0 };
	struct replay *replay;
	char path[300];
	size_t bytes;
	void *cache;

	if (spin_ctx__symbol(ctx, "spin_state", &cache, &bytes))
		die("%s", spin_strerror_last());
	for (int c = 0; c < KV_CLASSES; c++) {
		of_class[c] = calloc(capture->frames, sizeof(*of_class[c]));
		if (!of_class[c])
			die("no memory");
	}
	for (size_t i = KEYS; i < capture->frames; i++) {
		enum kv_class c = kv_classify(cache, &capture->frame[i]);

		of_class[c][count[c]++] = &capture->frame[i];
	}
	proc_progress();
	snprintf(path, sizeof(path), "%s/replay.bpf.o", demo->programs);
	replay = replay_open(path);
	/* hits first: they do not change the cache */
	for (int c = 0; c < KV_CLASSES; c++) {
		if (!count[c])
			die("no captured request is of class %d", c);
		ns[c] = replay_ns(replay, ctx, of_class[c], count[c]);
		free(of_class[c]);
	}
	replay_close(replay);
}

static void cost(const struct demo *demo, const char *path, const struct capture *capture, const double *share, struct summary *s)
{
	static const char *const name[KV_CLASSES] = { "get_hit", "get_miss", "set" };
	struct kv_replay live = { .delay = WINDOW / 2, .skip = KEYS }, model = live;
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	double ns[KV_CLASSES];
	struct hpu hpu;
	char pcap[300];

	live.store = kv_store__new(STORE_KEYS);
	model.store = kv_store__new(STORE_KEYS);
	if (!live.store || !model.store || spin_object__open(path, &object) || spin_rule__parse("udp", &rule) ||
	    spin_ctx__create(NULL, object, &rule, &ctx))
		die("%s", spin_strerror_last());
	kv_replay_live(&live, ctx, capture);
	time_classes(demo, ctx, capture, ns);
	spin_ctx__destroy(ctx);

	hpu_open(&hpu, object, &rule);
	kv_replay_model(&model, &hpu, capture);
	s->parts = KV_CLASSES;
	s->xdp_ns = s->body_cycles = 0;
	for (int c = 0; c < KV_CLASSES; c++) {
		s->part[c].name = name[c];
		s->part[c].ns = ns[c];
		s->part[c].cycles = hpu_mean_cycles(&model.class[c]);
		s->xdp_ns += share[c] * s->part[c].ns;
		s->body_cycles += share[c] * s->part[c].cycles;
	}
	s->packet_bytes = capture_mean_bytes(capture) - 14;
	summary_hpus(s, &hpu);
	printf("  %zu captured requests replayed: hits on the model %llu, by PROG_TEST_RUN %llu\n", capture->frames - KEYS,
	       (unsigned long long)model.class[KV_HIT].packets, (unsigned long long)live.class[KV_HIT].packets);
	hpu_close(&hpu);
	spin_object__close(object);
	kv_store__free(live.store);
	kv_store__free(model.store);
	snprintf(pcap, sizeof(pcap), "%s/kvstore.pcap", demo->programs);
	capture_write(capture, pcap);
}

/* Data passed between the steps. */
struct kvstore {
	struct summary *summary;
	char object[300];
	struct round without[ROUNDS], with[ROUNDS];
	int rounds; /* complete rounds, with and without the handlers */
	uint64_t checked;
	double gets, requests;
};

/* After half of the step's time limit, runs only the minimum number of rounds. */
static void run_rounds(struct demo *demo, void *arg)
{
	struct kvstore *kv = arg;
	uint64_t begin = now_ns(), enough = proc_step_max_s() * 500000000ull;

	lab_set_segmentation(&demo->lab, 0);
	while (kv->rounds < ROUNDS && (kv->rounds < ROUNDS_MIN || now_ns() - begin < enough)) {
		struct round *without = &kv->without[kv->rounds], *with = &kv->with[kv->rounds];
		uint64_t seed = (uint64_t)kv->rounds + 1;

		run_round(demo, NULL, seed, MEASURE_S, without);
		print_round("without", without);
		run_round(demo, kv->object, seed, MEASURE_S, with);
		with->speedup = with->rate / without->rate;
		with->bound = 1 / (1 - with->hit_all);
		with->vs_bound = with->speedup / with->bound;
		print_round("with", with);
		kv->checked += without->client.checked + with->client.checked;
		kv->gets += (double)with->client.gets;
		kv->requests += (double)with->client.requests;
		for (int r = 0; r < SPIN_REASON_COUNT; r++)
			kv->summary->packets[r] += with->server.packets[r];
		kv->rounds++;
	}
}

/* Computes the medians of the complete rounds. */
static void summarize_rounds(struct demo *demo, struct kvstore *kv)
{
	struct summary *s = kv->summary;
	struct measure_row *row;
	int rounds = kv->rounds;

	if (rounds < ROUNDS)
		printf("  %d rounds of %d: this machine is slow or busy\n", rounds, ROUNDS);
	if (rounds) {
		printf("  %llu values read, all of them right\n", (unsigned long long)kv->checked);
		s->hit_rate = MEDIAN(kv->with, hit_all);
		s->rate[0] = MEDIAN(kv->without, rate);
		s->rate[1] = MEDIAN(kv->with, rate);
		s->cpu_ns[0] = MEDIAN(kv->without, cpu_ns);
		s->cpu_ns[1] = MEDIAN(kv->with, cpu_ns);
		s->speedup = MEDIAN(kv->with, speedup);
		s->bound = MEDIAN(kv->with, bound);
		s->vs_bound = MEDIAN(kv->with, vs_bound);
	}
	measure_add(&demo->measure, "kv.keys", KEYS, "keys");
	measure_add(&demo->measure, "kv.rounds", rounds, "rounds");
	measure_add(&demo->measure, "kv.values_checked", (double)kv->checked, "values");
	measure_add(&demo->measure, "kv.get_hit_rate", MEDIAN(kv->with, hit_get), "1");
	row = measure_add(&demo->measure, "kv.ycsb_vs_bound", s->vs_bound, "1");
	measure_goal(row, MEASURE_AT_LEAST, TARGET, row->value);
}

static void run_cost(struct demo *demo, void *arg)
{
	struct kvstore *kv = arg;
	double share[KV_CLASSES];
	struct capture capture;
	struct round shown;

	capture_start(&capture, &demo->lab, KV_PORT);
	run_round(demo, kv->object, ROUNDS + 1, 0.1, &shown);
	capture_stop(&capture, FRAMES_MAX);
	share[KV_HIT] = kv->summary->hit_rate;
	share[KV_MISS] = kv->gets / kv->requests - kv->summary->hit_rate;
	share[KV_WRITE] = 1 - kv->gets / kv->requests;
	proc_progress();
	cost(demo, kv->object, &capture, share, kv->summary);
	free(capture.frame);
}

int demo_kvstore(struct demo *demo, struct summary *s)
{
	struct kvstore *kv = proc_shared(sizeof(*kv));
	int err;

	kv->summary = s;
	s->unit = "requests answered";
	s->hit_name = "of requests answered at XDP";
	snprintf(kv->object, sizeof(kv->object), "%s/kvstore.spin", demo->handlers);
	printf("\nkvstore: YCSB, 50 %% GET and 50 %% SET, %d keys, Zipf %.1f, %d requests under way\n", KEYS, THETA, WINDOW);
	printf("  %-8s %9s %10s %8s %8s %8s %9s %9s %8s %8s\n", "handlers", "req/s", "CPU ns/req", "server", "NAPI", "CPU %", "hits/GET",
	       "hits/all", "checked", "timeouts");
	/* complete rounds count even if the next one failed */
	err = demo_step(demo, "kvstore, requests", run_rounds, kv) && !kv->rounds ? -1 : 0;
	summarize_rounds(demo, kv);
	if (!err)
		err = demo_step(demo, "kvstore, costs", run_cost, kv);
	lab_set_segmentation(&demo->lab, 1);
	munmap(kv, sizeof(*kv));
	return err;
}
