/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A part of `make demo`, called by demo.c: the handler filter_counts on live traffic. iperf3 UDP flows are sent to one published port. The
 * handler redirects each flow, by source address, to the port of its server. Single datagrams check that it does so exactly as its table
 * says.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/counts.h"
#include "tests/common/proc.h"
#include "tests/demo/capture.h"
#include "tests/demo/iperf.h"
#include "tests/demo/parts.h"
#include "tests/demo/probe.h"
#include "tests/demo/redirect.h"
#include "tests/demo/replay.h"

#define FLOWS          4
#define FIRST_PORT     5201 /* ports of iperf3, one per flow, then those of the probe */
#define PROBE_PORT     (FIRST_PORT + FLOWS)
#define PUBLISHED_PORT 9000
#define OTHER_PORT     9100
#define TCP_PORT       5301
#define PROBES         50 /* datagrams */

#define UDP_SECONDS    3
#define TCP_SECONDS    2
#define FLOW_MBIT_S    60
#define DATAGRAM_BYTES 1200
#define FRAMES_MAX     2000

static const char *const flow_addr[FLOWS] = { "10.77.0.11", "10.77.0.12", "10.77.0.13", "10.77.0.14" };
#define PROBE_ADDR    "10.77.0.15" /* an address in the table */
#define UNLISTED_ADDR "10.77.0.20"

/* Same layout as in handlers/filter_counts.c. */
struct route {
	uint32_t src;
	uint16_t port, unused;
	uint32_t packets;
};
#define ROUTES 65536

static const uint16_t echo_ports[] = { PROBE_PORT, PUBLISHED_PORT, OTHER_PORT, 0 };

static struct route *routes_of(struct spin_ctx *ctx)
{
	size_t bytes;
	void *routes;

	if (spin_ctx__symbol(ctx, "routes", &routes, &bytes))
		die("%s", spin_strerror_last());
	if (bytes != ROUTES * sizeof(struct route))
		die("the table of filter_counts is not this demo's");
	return routes;
}

static uint64_t routed(struct spin_ctx *ctx, const char *addr)
{
	const struct route *routes = routes_of(ctx);
	uint32_t src = inet_addr(addr);

	for (uint32_t i = 0; i < ROUTES; i++)
		if (routes[i].src == src)
			return __atomic_load_n(&routes[i].packets, __ATOMIC_RELAXED);
	return 0;
}

/* port 0: each address gets its own port; otherwise all get this port. */
static void fill_routes(struct spin_ctx *ctx, uint16_t port)
{
	char fields[64];

	for (int i = 0; i <= FLOWS; i++) {
		snprintf(fields, sizeof(fields), "src=%s port=%u", i < FLOWS ? flow_addr[i] : PROBE_ADDR, port ? port : FIRST_PORT + i);
		if (spin_ctx__table_insert(ctx, "routes", fields))
			die("%s", spin_strerror_last());
	}
}

/* Returns the number of datagrams delivered to sockets in the server's namespace. */
static uint64_t delivered(const struct lab *lab)
{
	unsigned long long n = 0;
	char line[512];
	FILE *from;

	lab_enter(&lab->server);
	from = fopen("/proc/thread-self/net/snmp", "re");
	while (from && fgets(line, sizeof(line), from))
		if (sscanf(line, "Udp: %llu", &n) == 1)
			break;
	if (from)
		fclose(from);
	return n;
}

static double tcp_gbit_s(const struct demo *demo)
{
	struct iperf_flow flow = { .port = TCP_PORT, .from = LAB_CLIENT_ADDR };

	proc_progress();
	iperf_start(&demo->lab, &flow, 1, TCP_SECONDS, 0, 0);
	iperf_finish(&flow, 1);
	return flow.gbit_s;
}

/* Runs all UDP flows. Returns for each the delivered datagrams per second and the receiver's CPU time. */
static void run_flows(const struct demo *demo, struct iperf_flow *flow, double *rate, double *cpu_ns)
{
	pid_t napi = lab_napi_thread(&demo->lab.server);
	double seconds, ns = 0;
	uint64_t datagrams;

	proc_progress();
	for (int i = 0; i < FLOWS; i++)
		flow[i] = (struct iperf_flow){ .port = (uint16_t)(FIRST_PORT + i), .from = flow_addr[i] };
	iperf_start(&demo->lab, flow, FLOWS, UDP_SECONDS, FLOW_MBIT_S, DATAGRAM_BYTES);
	usleep(700000);
	seconds = -(double)now_ns() / 1e9;
	datagrams = delivered(&demo->lab);
	if (napi)
		ns -= (double)proc_cpu_ns(napi);
	for (int i = 0; i < FLOWS; i++)
		ns -= (double)proc_cpu_ns(flow[i].server);
	usleep(1500000);
	for (int i = 0; i < FLOWS; i++)
		ns += (double)proc_cpu_ns(flow[i].server);
	if (napi)
		ns += (double)proc_cpu_ns(napi);
	datagrams = delivered(&demo->lab) - datagrams;
	seconds += (double)now_ns() / 1e9;
	iperf_finish(flow, FLOWS);
	*rate = (double)datagrams / seconds;
	*cpu_ns = ns / (double)datagrams;
}

/* Prints which port receives datagrams from an address to a port. Exits if that is not `want`. */
static void probe(const struct demo *demo, const char *what, const char *from, uint16_t port, uint16_t want)
{
	unsigned answered[3] = { 0 }, none;

	proc_progress();
	none = probe_send(&demo->lab, from, port, PROBES, echo_ports, answered);
	printf("  %-44s %10s %6u %8u %10u %6u %5u\n", what, from, port, answered[0], answered[1], answered[2], none);
	for (int i = 0; i < 3; i++)
		if (answered[i] != (echo_ports[i] == want ? PROBES : 0))
			die("%s: expected all %d datagrams at port %u", what, PROBES, want);
}

static void print_flows(const struct iperf_flow *flow, const struct redirect *redirect, struct spin_ctx *ctx, const uint64_t *sent_before,
			const uint64_t *routed_before, struct demo *demo)
{
	uint64_t sent_all = 0, routed_all = 0;

	printf("\niperf3 UDP flows to port %u, steered by source address\n", PUBLISHED_PORT);
	printf("  %-12s %9s %16s %12s %14s %14s %8s\n", "from", "to port", "sent to published", "redirected", "iperf3 counts",
	       "iperf3 lost", "Mbit/s");
	for (int i = 0; i < FLOWS; i++) {
		uint64_t sent = redirect_count(redirect, (unsigned)i) - sent_before[i];
		uint64_t arrived = routed(ctx, flow_addr[i]) - routed_before[i];

		printf("  %-12s %9u %17llu %12llu %14llu %14llu %8.1f\n", flow_addr[i], flow[i].port, (unsigned long long)sent,
		       (unsigned long long)arrived, (unsigned long long)flow[i].packets, (unsigned long long)flow[i].lost,
		       flow[i].gbit_s * 1e3);
		sent_all += sent;
		routed_all += arrived;
	}
	printf("  every datagram redirected: %s\n", sent_all == routed_all ? "yes" : "NO");
	measure_baseline(measure_add(&demo->measure, "filtering.redirected", (double)routed_all, "datagrams"), (double)sent_all);
}

static struct spin_ctx *make_context(struct spin_nic *nic, const struct spin_object *object, struct spin_rule *rule)
{
	struct spin_ctx *ctx;
	char text[64];

	snprintf(text, sizeof(text), "udp ip4 dport %d", PUBLISHED_PORT);
	if (spin_rule__parse(text, rule) || spin_ctx__create(nic, object, rule, &ctx))
		die("%s", spin_strerror_last());
	return ctx;
}

static void attach(const struct lab *lab, struct spin_ctx *ctx)
{
	lab_enter(&lab->server);
	if (spin_ctx__attach(ctx))
		die("%s", spin_strerror_last());
}

/* Measures time at XDP and cycles on the HPU with the captured frames. */
static void cost(const struct demo *demo, const struct spin_object *object, const struct capture *capture, struct summary *s)
{
	const struct frame *full[FRAMES_MAX];
	struct hpu_class class = { 0 };
	struct spin_rule rule;
	/* all routes lead to the published port: the work is the same, and the frame still matches in the next run */
	struct spin_ctx *ctx = make_context(NULL, object, &rule);
	struct replay *replay;
	struct hpu hpu;
	char path[300];
	size_t n = 0;

	proc_progress();
	fill_routes(ctx, PUBLISHED_PORT);
	for (size_t i = 0; i < capture->frames; i++)
		if (capture->frame[i].bytes == 42 + DATAGRAM_BYTES)
			full[n++] = &capture->frame[i];
	if (!n)
		die("no full datagrams captured");
	snprintf(path, sizeof(path), "%s/replay.bpf.o", demo->programs);
	replay = replay_open(path);
	s->xdp_ns = replay_ns(replay, ctx, full, n);
	replay_close(replay);

	hpu_open(&hpu, object, &rule);
	hpu_set(&hpu, "routes", routes_of(ctx), ROUTES * sizeof(struct route));
	for (size_t i = 0; i < capture->frames; i++)
		hpu_count(&class, hpu_packet(&hpu, &capture->frame[i]));
	s->body_cycles = hpu_mean_cycles(&class);
	s->packet_bytes = capture_mean_bytes(capture) - 14;
	summary_hpus(s, &hpu);
	hpu_close(&hpu);
	spin_ctx__destroy(ctx);
	snprintf(path, sizeof(path), "%s/filtering.pcap", demo->programs);
	capture_write(capture, path);
}

static void run_filtering(struct demo *demo, void *arg)
{
	struct summary *s = arg;
	const struct lab *lab = &demo->lab;
	struct iperf_flow flow[FLOWS];
	uint64_t sent_before[FLOWS], routed_before[FLOWS], matched;
	struct redirect *redirect;
	struct spin_object *object;
	struct capture capture;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	double tcp[2];
	char path[300];
	pid_t echo;

	for (int i = 0; i < FLOWS; i++)
		lab_add_address(lab, flow_addr[i]);
	lab_add_address(lab, PROBE_ADDR);
	lab_add_address(lab, UNLISTED_ADDR);
	snprintf(path, sizeof(path), "%s/filter_counts.spin", demo->handlers);
	if (spin_object__open(path, &object))
		die("%s", spin_strerror_last());

	lab_enter(&lab->server);
	if (spin_nic__open(lab->server.ifname, &nic))
		die("%s", spin_strerror_last());
	ctx = make_context(nic, object, &rule);
	fill_routes(ctx, 0);
	tcp[0] = tcp_gbit_s(demo);
	attach(lab, ctx);
	tcp[1] = tcp_gbit_s(demo);
	spin_ctx__detach(ctx);

	/* otherwise the stack passes datagrams to the receiver on the sender's CPU if there is no XDP program */
	lab_set_segmentation(lab, 0);
	run_flows(demo, flow, &s->rate[0], &s->cpu_ns[0]);

	snprintf(path, sizeof(path), "%s/redirect.bpf.o", demo->programs);
	redirect = redirect_attach(lab, path, FIRST_PORT, FLOWS + 1, PUBLISHED_PORT);
	echo = probe_echo(lab, echo_ports);
	printf("  %-44s %10s %6s %8s %10s %6s %5s\n", "which port gets the datagrams", "from", "to", "own", "published", "other", "none");
	probe(demo, "without the handler", PROBE_ADDR, PROBE_PORT, PUBLISHED_PORT);

	attach(lab, ctx);
	probe(demo, "with it", PROBE_ADDR, PROBE_PORT, PROBE_PORT);
	probe(demo, "with it, address not in the table", UNLISTED_ADDR, PROBE_PORT, PUBLISHED_PORT);
	probe(demo, "with it, another port", PROBE_ADDR, OTHER_PORT, OTHER_PORT);

	for (int i = 0; i < FLOWS; i++) {
		sent_before[i] = redirect_count(redirect, (unsigned)i);
		routed_before[i] = routed(ctx, flow_addr[i]);
	}
	run_flows(demo, flow, &s->rate[1], &s->cpu_ns[1]);
	print_flows(flow, redirect, ctx, sent_before, routed_before, demo);
	counts_all(ctx, s->packets);
	matched = s->packets[SPIN_REASON_SUCCESS];
	s->hit_rate = routed(ctx, PROBE_ADDR);
	for (int i = 0; i < FLOWS; i++)
		s->hit_rate += (double)routed(ctx, flow_addr[i]);
	s->hit_rate /= (double)matched;

	printf("\niperf3 TCP, untouched: %.2f Gbit/s without native XDP on the receiver's veth, %.2f with\n"
	       "  (native XDP takes frames one by one, so veth switches off the sender's TSO: the same\n"
	       "  bytes come as 1,500-byte frames instead of 64 KB ones, whatever the program does)\n",
	       tcp[0], tcp[1]);
	measure_baseline(measure_add(&demo->measure, "tcp.native_xdp", tcp[1], "Gbit/s"), tcp[0]);

	/* frames for the cost measurements, captured apart from the timed flows */
	capture_start(&capture, lab, PUBLISHED_PORT);
	flow[0] = (struct iperf_flow){ .port = FIRST_PORT, .from = flow_addr[0] };
	flow[1] = (struct iperf_flow){ .port = FIRST_PORT + 1, .from = flow_addr[1] };
	iperf_start(lab, flow, 2, 1, FLOW_MBIT_S / 8, DATAGRAM_BYTES);
	iperf_finish(flow, 2);
	capture_stop(&capture, FRAMES_MAX);
	proc_stop(echo, SIGKILL);
	lab_enter(&lab->client);
	redirect_detach(redirect);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	cost(demo, object, &capture, s);
	free(capture.frame);
	spin_object__close(object);
}

int demo_filtering(struct demo *demo, struct summary *s)
{
	s->unit = "datagrams delivered";
	s->hit_name = "of matched datagrams redirected";
	printf("filtering: UDP to port %u is steered by source address\n\n", PUBLISHED_PORT);
	return demo_step(demo, "filtering", run_filtering, s);
}
