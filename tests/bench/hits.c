/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares GETs that the kvstore handler answers at XDP with GETs that a UDP server in user space answers, over a veth with threaded
 * NAPI, in alternating rounds. One CPU serves and one sends requests (hits.bpf.c). Rates count the replies that the client found correct.
 * Each server is measured with the number of requests in flight that gives its highest rate. The server in user space has the serving
 * CPU to itself, with NAPI on the other CPU (sharing one CPU costs it a third or more).
 * hits FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netlab.h"
#include "tests/common/proc.h"
#include "user/conformance/template/template.h"
#include <spin/libspin.h>

#include "tests/bench/hits.h"

#define ROUNDS               7
#define WARM_UP_MS           60
#define MEASURE_MS           350
#define TRY_MS               80
#define DRAIN_MS             20
#define RECEIVE_BUFFER_BYTES (4 << 20)
#define TARGET               5.0

enum variant { USERSPACE, HANDLER, VARIANTS };

struct bench {
	struct lab lab;
	struct bpf_object *object;
	struct hits *hits; /* shared with the client */
	uint8_t frame[HITS_BYTES];
	struct spin_ctx *ctx;
	volatile uint32_t *ready; /* set by the server in user space */
};

/* Requests in flight; 0: as many as the client can generate. */
static const uint32_t windows[] = { 64, 128, 256, 512, 1024, 0 };

static int program_fd(const struct bench *b, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(b->object, name));
}

static void make_request(struct bench *b)
{
	char eth[] = "eth 02:00:00:00:00:02 > 02:00:00:00:00:01";
	char ip[] = "ip4 " LAB_CLIENT_ADDR " > " LAB_SERVER_ADDR, udp[64];
	char head[] = "be16 1 0", ids[] = "be32 0 0 0", value[] = "fill 32 0";
	char *lines[] = { eth, ip, udp, head, ids, value };
	struct template t;

	snprintf(udp, sizeof(udp), "udp 4000 > %d", HITS_PORT);
	template_start(&t);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (template_line(&t, lines[i]) != 1)
			die("%s: %s", lines[i], engine_error());
	if (template_finish(&t) || t.bytes != HITS_BYTES)
		die("the request cannot be made: %s", engine_error());
	memcpy(b->frame, t.frame, HITS_BYTES);
	memcpy(b->hits->frame, t.frame, sizeof(b->hits->frame));
	memcpy(&b->hits->frame_end, t.frame + sizeof(b->hits->frame), 2);
	memcpy(&b->hits->checksum, t.frame + 40, 2);
}

static void open_client(struct bench *b)
{
	struct bpf_program *check;
	struct bpf_map *map, *bss = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/bench/hits.bpf.o", built_dir());
	b->object = bpf_object__open_file(path, NULL);
	if (!b->object || bpf_object__load(b->object))
		die("%s cannot be loaded", path);
	bpf_object__for_each_map(map, b->object)
		if (strstr(bpf_map__name(map), ".bss"))
			bss = map;
	if (!bss || bpf_map__value_size(bss) != sizeof(*b->hits))
		die("%s is of another build", path);
	b->hits = mmap(NULL, sizeof(*b->hits), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(bss), 0);
	if (b->hits == MAP_FAILED)
		die("%s: its memory: %s", path, strerror(errno));
	make_request(b);
	check = bpf_object__find_program_by_name(b->object, "check");
	/* the link is released when the object is closed or this process exits */
	if (!bpf_program__attach_xdp(check, (int)if_nametoindex(b->lab.client.ifname)))
		die("cannot attach the client's XDP program: %s", strerror(errno));
}

/* Opens the handler with every key in its cache, not yet attached. */
static void open_handler(struct bench *b)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct kv_cache *cache;
	struct spin_nic *nic;
	char path[512], text[64];
	size_t bytes;

	snprintf(text, sizeof(text), "udp ip4 dst %s dport %d", LAB_SERVER_ADDR, HITS_PORT);
	if (built_object("kvstore", path, sizeof(path)))
		die("%s", engine_error());
	lab_enter(&b->lab.server);
	if (spin_object__open(path, &object) || spin_nic__open(b->lab.server.ifname, &nic) || spin_rule__parse(text, &rule) ||
	    spin_ctx__create(nic, object, &rule, &b->ctx) || spin_ctx__symbol(b->ctx, "spin_state", (void **)&cache, &bytes))
		die("%s", spin_strerror_last());
	lab_enter(&b->lab.client);
	if (bytes != sizeof(*cache))
		die("%s: its cache is not this program's", path);
	for (uint32_t key = 0; key < HITS_KEYS; key++) {
		struct kv_line *line = &cache->set[key % KV_SETS].line[key / KV_SETS];

		line->tag = 4 | KV_VALID;
		line->key = key;
		for (uint32_t i = 0; i < KV_WORDS; i++)
			line->value[i] = hits_value(key, i);
	}
	spin_nic__close(nic);
	spin_object__close(object);
}

/* The server in user space: an array of values, one datagram per system call. */
static int serve(void *arg)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(HITS_PORT) }, from;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = RECEIVE_BUFFER_BYTES;
	static uint32_t value[HITS_KEYS][KV_WORDS];
	const struct bench *b = arg;
	struct kv_message m;

	inet_pton(AF_INET, LAB_SERVER_ADDR, &at.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die("server: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	for (uint32_t key = 0; key < HITS_KEYS; key++)
		for (uint32_t i = 0; i < KV_WORDS; i++)
			value[key][i] = hits_value(key, i);
	*b->ready = 1;
	for (;;) {
		socklen_t from_bytes = sizeof(from);
		ssize_t n = recvfrom(fd, &m, sizeof(m), 0, (struct sockaddr *)&from, &from_bytes);
		uint32_t key = spin_ntoh32(m.key);

		if (n != sizeof(m) || m.op != spin_hton16(KV_GET))
			continue;
		m.op = spin_hton16(KV_REPLY);
		m.found = spin_hton16(key < HITS_KEYS);
		if (key < HITS_KEYS)
			memcpy(m.value, value[key], sizeof(m.value));
		sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)&from, from_bytes);
	}
}

/* Sends requests until it is killed. The NAPI thread that receives the replies has a higher priority on this CPU. */
static int send_requests(void *arg)
{
	const struct bench *b = arg;
	struct xdp_md ctx = { .data_end = HITS_BYTES, .ingress_ifindex = if_nametoindex(b->lab.client.ifname) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = b->frame, .data_size_in = HITS_BYTES, .ctx_in = &ctx, .ctx_size_in = sizeof(ctx),
		    .repeat = INT_MAX, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	struct sched_param param = { 0 };
	int fd = program_fd(b, "generate");

	sched_setscheduler(0, SCHED_OTHER, &param);
	(void)setpriority(PRIO_PROCESS, 0, -20);
	for (;;)
		if (bpf_prog_test_run_opts(fd, &opts))
			die("live frames: %s; they need Linux 5.18", strerror(errno));
}

/* Starts the server in user space and returns its pid, or 0. */
static pid_t start_serving(struct bench *b, enum variant variant)
{
	pid_t server = 0, napi;

	if (variant == HANDLER) {
		lab_enter(&b->lab.server);
		if (spin_ctx__attach(b->ctx))
			die("%s", spin_strerror_last());
		lab_enter(&b->lab.client);
	} else {
		*b->ready = 0;
		server = proc_start(b->lab.server.ns_fd, b->lab.server.cpu, serve, b);
		while (!*b->ready) {
			if (!proc_alive(server))
				die("the server ended");
			usleep(1000);
		}
	}
	napi = lab_napi_thread(&b->lab.server);
	if (!napi || !lab_napi_thread(&b->lab.client))
		die("the NAPI threads are gone");
	proc_pin(napi, variant == HANDLER ? b->lab.server.cpu : b->lab.client.cpu, 1);
	return server;
}

/* Returns the correct replies per second. */
static double rate(struct bench *b, uint32_t window, unsigned ms)
{
	uint64_t begin, end, good;
	pid_t client;

	b->hits->window = window;
	b->hits->ended = b->hits->sent;
	client = proc_start(b->lab.client.ns_fd, b->lab.client.cpu, send_requests, b);
	usleep(WARM_UP_MS * 1000);
	good = b->hits->good;
	begin = now_ns();
	usleep(ms * 1000);
	good = b->hits->good - good;
	end = now_ns();
	if (!proc_alive(client))
		die("the client ended");
	proc_stop(client, SIGKILL);
	usleep(DRAIN_MS * 1000);
	if (b->hits->bad)
		die("%llu wrong replies", (unsigned long long)b->hits->bad);
	return (double)good * 1e9 / (double)(end - begin);
}

static void stop_serving(struct bench *b, pid_t server)
{
	if (server)
		proc_stop(server, SIGKILL);
	else
		spin_ctx__detach(b->ctx);
}

static double run(struct bench *b, enum variant variant, uint32_t window)
{
	pid_t server = start_serving(b, variant);
	double result = rate(b, window, MEASURE_MS);

	stop_serving(b, server);
	return result;
}

static uint32_t best_window(struct bench *b, enum variant variant)
{
	static const char *const name[VARIANTS] = { "user space", "handler" };
	pid_t server = start_serving(b, variant);
	double best = 0;
	uint32_t window = 0;

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		double got = rate(b, windows[i], TRY_MS);

		printf("%-10s %4u under way: %9.0f replies/s%s\n", name[variant], windows[i], got, windows[i] ? "" : " (0: no limit)");
		if (got > best) {
			best = got;
			window = windows[i];
		}
	}
	stop_serving(b, server);
	return window;
}

int main(int argc, char **argv)
{
	static struct bench b;
	static struct measure m;
	double rates[VARIANTS][ROUNDS];
	uint32_t window[VARIANTS];
	struct measure_row *row;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	proc_init();
	lab_open(&b.lab);
	if (!lab_napi_thread(&b.lab.server) || !lab_napi_thread(&b.lab.client)) {
		printf("skip: NAPI threads are not visible here and cannot be pinned\n");
		return 77;
	}
	b.ready = proc_shared(sizeof(*b.ready));
	open_client(&b);
	open_handler(&b);
	for (enum variant variant = 0; variant < VARIANTS; variant++)
		window[variant] = best_window(&b, variant);
	for (int i = 0; i < ROUNDS; i++) {
		for (enum variant variant = 0; variant < VARIANTS; variant++)
			rates[variant][i] = run(&b, variant, window[variant]);
		printf("user space %9.0f, handler %9.0f replies/s\n", rates[USERSPACE][i], rates[HANDLER][i]);
	}
	spin_ctx__destroy(b.ctx);
	bpf_object__close(b.object);

	measure_begin(&m, "bench-hits");
	row = measure_add(&m, "kv.hits_vs_userspace", measure_median(rates[HANDLER], ROUNDS), "replies/s");
	measure_baseline(row, measure_median(rates[USERSPACE], ROUNDS));
	measure_goal(row, MEASURE_AT_LEAST, TARGET, row->ratio);
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
