/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares Debian's memcached with handlers on its sockets with memcached alone, over UDP. Each of the two servers is behind its own
 * veth with threaded NAPI, both on one CPU; the clients are on the other CPU. All comparisons alternate.
 *	memcached.hits_vs_alone  GETs that the handlers answer, relative to the same GETs that memcached answers, sent at XDP (gets.bpf.c)
 *	memcached.cpu_per_hit    CPU time per answer in these runs: of NAPI, memcached and spin-memcached, by their own clocks;
 *	                         _stat: of all CPUs by /proc/stat, minus the client's and the idle machine's. Both are the same on an
 *	                         otherwise idle machine; other processes disturb only the second
 *	memcached.bare_vs_alone  the same two for an XDP program that sends the answer back and does nothing else: no handler can be
 *	memcached.cpu_per_bare   better than that on this machine's veth
 *	memcached.vs_bound       a client with sockets; the handlers answer nine in ten of its GETs. Relative to Amdahl's bound
 *	memcached.miss_latency   time of a GET that the handlers do not answer, one at a time
 * memcached FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`). Without handlers it measures memcached
 * alone, and skips.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <memcached.h>

#include "tests/bench/gets.h"
#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/memcached/load.h"
#include "tests/common/memcached/server.h"
#include "tests/common/net/netlab.h"
#include "tests/common/memcached/zipf.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"

#define ROUNDS       7
#define WARM_UP_MS   60
#define MEASURE_MS   500
#define IDLE_MS      200
#define TRY_MS       80
#define DRAIN_MS     20
#define THETA        0.99
#define TARGET       10.0
#define TARGET_BOUND 0.85
#define TARGET_CPU   0.1
#define TARGET_MISS  1.1
#define CLIENT_PORT  4000
#define FILL_S       20 /* seconds; maximum until all hot keys are in the cache */

/* The client with sockets. */
#define THREADS     4
#define WINDOW      64 /* per thread */
#define LOAD_S      0.5
#define COLD_IN_TEN 1

#define COLD_FIRST   GETS_KEYS
#define COLD_KEYS    200000u
#define TURN_KEYS    2000u /* per turn of the latency measurement; each is requested once */
#define LATENCY_KEYS (COLD_FIRST + COLD_KEYS)

enum variant { ALONE, BARE, WITH, VARIANTS };
static const char *const variant_name[VARIANTS] = { "alone", "bare XDP", "with handlers" };

struct setup {
	struct lab lab;
	struct mc_server server;
	struct bpf_object *object;
	struct gets *gets; /* shared with the client */
	uint32_t window;
	int at_xdp; /* its GETs are answered at XDP */
};

static struct setup setups[VARIANTS];
static uint8_t request[GETS_REQUEST_BYTES];
static uint32_t *hot, *mixed; /* keys drawn */

/* GETs in flight; 0: as many as the client can generate. */
static const uint32_t windows[] = { 16, 32, 64, 128, 256, 512, 4096 };

/* --- the client at XDP ---------------------------------------------------------- */

static uint32_t sum_words(const void *at, size_t bytes, uint32_t sum)
{
	const uint8_t *from = at;

	for (size_t i = 0; i < bytes; i += 2) {
		uint16_t word;

		memcpy(&word, from + i, sizeof(word));
		sum += word;
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void make_request(struct gets *gets)
{
	static const uint8_t to[] = { 2, 0, 0, 0, 0, 1 }, from[] = { 2, 0, 0, 0, 0, 2 };
	struct {
		struct ethhdr eth;
		struct iphdr ip;
		struct udphdr udp;
		struct mc_frame frame;
		char text[16];
	} __attribute__((packed)) r = {
		.ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP },
		.udp = { .source = htons(CLIENT_PORT), .dest = htons(MC_PORT) },
		.frame = { .datagrams = htons(1) },
	};
	const size_t udp_bytes = sizeof(r) - offsetof(typeof(r), udp);
	char answer[GETS_ANSWER_BYTES - GETS_TEXT_AT + 1];

	_Static_assert(sizeof(r) == GETS_REQUEST_BYTES, "a request is headers and a GET");
	memcpy(r.eth.h_dest, to, sizeof(to));
	memcpy(r.eth.h_source, from, sizeof(from));
	r.eth.h_proto = htons(ETH_P_IP);
	r.ip.tot_len = htons(sizeof(r) - sizeof(r.eth));
	inet_pton(AF_INET, LAB_CLIENT_ADDR, &r.ip.saddr);
	inet_pton(AF_INET, LAB_SERVER_ADDR, &r.ip.daddr);
	r.ip.check = (uint16_t)~sum_words(&r.ip, sizeof(r.ip), 0);
	r.udp.len = htons((uint16_t)udp_bytes);
	memcpy(r.text, "get key-\0\0\0\0\0\0\r\n", sizeof(r.text));
	gets->sum = (uint16_t)sum_words(&r.udp, udp_bytes, sum_words(&r.ip.saddr, 8, htons(IPPROTO_UDP) + (uint32_t)r.udp.len));
	memcpy(request, &r, sizeof(r));
	memcpy(gets->request, &r, sizeof(gets->request));
	memcpy(&gets->request_end, request + sizeof(gets->request), 2);
	snprintf(answer, sizeof(answer), MC_LOAD_ANSWER, 0, 0);
	memset(answer + GETS_KEY_DIGITS_AT, 0, 6);
	memset(answer + GETS_VALUE_DIGITS_AT, 0, 6);
	memcpy(gets->answer, answer, sizeof(answer) - 1);
	r.ip.tot_len = htons(GETS_ANSWER_BYTES - sizeof(r.eth));
	r.ip.check = 0;
	gets->answer_check = (uint16_t)~sum_words(&r.ip, sizeof(r.ip), 0);
	for (uint32_t key = 0; key < GETS_KEYS; key++) {
		char digits[9];

		snprintf(digits, sizeof(digits), "%06u", key);
		memcpy(&gets->digits[key], digits, 6);
	}
	for (unsigned i = 0; i < GETS_DRAWN; i++)
		gets->drawn[i] = (uint16_t)hot[i];
}

static int program_fd(const struct setup *a, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(a->object, name));
}

static void attach(const struct setup *a, const struct lab_side *side, const char *program)
{
	lab_enter(side);
	/* the link is released with the object's program and this process */
	if (!bpf_program__attach_xdp(bpf_object__find_program_by_name(a->object, program), (int)if_nametoindex(side->ifname)))
		die("cannot attach the XDP program %s: %s", program, strerror(errno));
}

static void open_client(struct setup *a)
{
	struct bpf_map *map, *bss = NULL;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/bench/gets.bpf.o", built_dir());
	a->object = bpf_object__open_file(path, NULL);
	if (!a->object || bpf_object__load(a->object))
		die("%s cannot be loaded", path);
	bpf_object__for_each_map(map, a->object)
		if (strstr(bpf_map__name(map), ".bss"))
			bss = map;
	if (!bss || bpf_map__value_size(bss) != sizeof(*a->gets))
		die("%s is of another build", path);
	a->gets = mmap(NULL, sizeof(*a->gets), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(bss), 0);
	if (a->gets == MAP_FAILED)
		die("%s: its memory: %s", path, strerror(errno));
	make_request(a->gets);
	attach(a, &a->lab.client, "check");
}

/* Sends GETs until it is killed. The NAPI thread that receives the answers has a higher priority on this CPU. */
static int send_gets(void *arg)
{
	const struct setup *a = arg;
	struct xdp_md ctx = { .data_end = GETS_REQUEST_BYTES, .ingress_ifindex = if_nametoindex(a->lab.client.ifname) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = request, .data_size_in = GETS_REQUEST_BYTES, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .repeat = INT_MAX, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	struct sched_param param = { 0 };
	int fd = program_fd(a, "generate");

	sched_setscheduler(0, SCHED_OTHER, &param);
	(void)setpriority(PRIO_PROCESS, 0, -20);
	for (;;)
		if (bpf_prog_test_run_opts(fd, &opts))
			die("live frames: %s; they need Linux 5.18", strerror(errno));
}

/* --- measuring ------------------------------------------------------------------ */

/* Returns the CPU time of all CPUs so far, without idle and iowait. */
static double busy_ns(void)
{
	unsigned long long user, nice, system, idle, wait, irq, softirq;
	FILE *from = fopen("/proc/stat", "re");

	if (!from || fscanf(from, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait, &irq, &softirq) != 7)
		die("/proc/stat cannot be read");
	fclose(from);
	return (double)(user + nice + system + irq + softirq) * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* memcached has its CPU to itself, with NAPI on the other: sharing a CPU costs it a third. Handlers run in NAPI. */
static void pin_napi(const struct setup *a, int at_server)
{
	pid_t napi = lab_napi_thread(&a->lab.server);

	if (!napi || !lab_napi_thread(&a->lab.client))
		die("the NAPI threads are gone");
	proc_pin(napi, at_server ? a->lab.server.cpu : a->lab.client.cpu, 1);
}

struct result {
	double rate, stat_ns, threads_ns; /* answers per second; CPU time per answer, by both measures */
	uint32_t hits;
};

static double threads_ns(const struct setup *a)
{
	pid_t napi = lab_napi_thread(&a->lab.server);

	pin_napi(a, a->at_xdp); /* lab_napi_thread() has moved it */
	return (double)(proc_cpu_ns(napi) + proc_cpu_ns(a->server.memcached) + (a->server.fill ? proc_cpu_ns(a->server.fill) : 0));
}

static struct result run_gets(struct setup *a, uint32_t window, unsigned ms)
{
	pid_t client, napi = lab_napi_thread(&a->lab.client);
	uint64_t begin, ns, good, bad = a->gets->bad;
	double idle, busy, threads;
	struct result result;

	pin_napi(a, a->at_xdp);
	idle = busy_ns();
	usleep(IDLE_MS * 1000);
	idle = (busy_ns() - idle) / IDLE_MS / 1e6;
	a->gets->window = window;
	a->gets->ended = a->gets->sent;
	client = proc_start(a->lab.client.ns_fd, a->lab.client.cpu, send_gets, a);
	usleep(WARM_UP_MS * 1000);
	result.hits = mc_server__hits(&a->server);
	good = a->gets->good;
	busy = busy_ns() - (double)(proc_cpu_ns(client) + proc_cpu_ns(napi));
	threads = threads_ns(a);
	begin = now_ns();
	usleep(ms * 1000);
	ns = now_ns() - begin;
	threads = threads_ns(a) - threads;
	good = a->gets->good - good;
	busy = busy_ns() - (double)(proc_cpu_ns(client) + proc_cpu_ns(napi)) - busy - idle * (double)ns;
	result.hits = mc_server__hits(&a->server) - result.hits;
	if (!proc_alive(client))
		die("the client ended");
	proc_stop(client, SIGKILL);
	usleep(DRAIN_MS * 1000);
	if (a->gets->bad != bad)
		die("%s: %llu wrong answers", variant_name[a - setups], (unsigned long long)(a->gets->bad - bad));
	result.rate = (double)good * 1e9 / (double)ns;
	result.stat_ns = good ? busy / (double)good : 0;
	result.threads_ns = good ? threads / (double)good : 0;
	proc_progress();
	return result;
}

static void find_window(struct setup *a)
{
	double best = 0;

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		double got = run_gets(a, windows[i], TRY_MS).rate;

		printf("%-13s %4u under way: %9.0f answers/s\n", variant_name[a - setups], windows[i], got);
		if (got > best) {
			best = got;
			a->window = windows[i];
		}
	}
}

/* Argument of a process on the client's CPU. */
struct load_arg {
	const struct setup *variant;
	struct mc_load load;
	double latency_ns;
	uint32_t first;
};

static int run_load(void *arg)
{
	struct load_arg *l = arg;

	mc_load__run(&l->load);
	return 0;
}

static int run_latency(void *arg)
{
	struct load_arg *l = arg;

	l->latency_ns = mc_load__latency_ns(LAB_SERVER_ADDR, MC_PORT, l->first, TURN_KEYS);
	return 0;
}

static void run_client(const struct setup *a, int (*fn)(void *), struct load_arg *l)
{
	pin_napi(a, 1);
	if (proc_wait(proc_start(a->lab.client.ns_fd, a->lab.client.cpu, fn, l)))
		die("the client failed");
	proc_progress();
}

/* *share: fraction of the answers that came from the handlers. */
static double rate_of(const struct setup *a, const uint32_t *key, struct load_arg *l, double *share)
{
	uint32_t hits = mc_server__hits(&a->server);

	l->load = (struct mc_load){ .addr = LAB_SERVER_ADDR,
				    .port = MC_PORT,
				    .threads = THREADS,
				    .window = WINDOW,
				    .key = key,
				    .keys = GETS_DRAWN,
				    .warm_up_s = 0,
				    .seconds = LOAD_S };
	run_client(a, run_load, l);
	if (l->load.wrong)
		die("%s: %llu wrong answers", variant_name[a - setups], (unsigned long long)l->load.wrong);
	*share = (double)(mc_server__hits(&a->server) - hits) / (double)l->load.answers;
	return l->load.rate;
}

/* --- the comparisons ------------------------------------------------------------ */

static void compare_hits(struct measure *m, unsigned count)
{
	double rate[VARIANTS][ROUNDS], cpu[VARIANTS][ROUNDS], threads[VARIANTS][ROUNDS], share[ROUNDS];
	struct measure_row *row;

	for (unsigned i = 0; i < count; i++)
		find_window(&setups[i]);
	for (int i = 0; i < ROUNDS; i++) {
		for (unsigned variant = 0; variant < count; variant++) {
			struct result r = run_gets(&setups[variant], setups[variant].window, MEASURE_MS);

			rate[variant][i] = r.rate;
			cpu[variant][i] = r.stat_ns;
			threads[variant][i] = r.threads_ns;
			share[i] = r.hits / (r.rate * MEASURE_MS / 1e3);
			printf("%-13s %9.0f answers/s, %6.0f ns of CPU each, by /proc/stat %6.0f\n", variant_name[variant], r.rate,
			       r.threads_ns, r.stat_ns);
		}
	}
	if (count < VARIANTS)
		return;
	row = measure_add(m, "memcached.hits_vs_alone", measure_median(rate[WITH], ROUNDS), "answers/s");
	measure_baseline(row, measure_median(rate[ALONE], ROUNDS));
	measure_goal(row, MEASURE_AT_LEAST, TARGET, row->ratio);
	measure_baseline(measure_add(m, "memcached.cpu_per_hit_stat", measure_median(cpu[WITH], ROUNDS), "ns"),
			 measure_median(cpu[ALONE], ROUNDS));
	row = measure_add(m, "memcached.cpu_per_hit", measure_median(threads[WITH], ROUNDS), "ns");
	measure_baseline(row, measure_median(threads[ALONE], ROUNDS));
	measure_goal(row, MEASURE_AT_MOST, TARGET_CPU, row->ratio);
	measure_add(m, "memcached.hit_share", measure_median(share, ROUNDS), "1");
	measure_baseline(measure_add(m, "memcached.bare_vs_alone", measure_median(rate[BARE], ROUNDS), "answers/s"),
			 measure_median(rate[ALONE], ROUNDS));
	measure_baseline(measure_add(m, "memcached.cpu_per_bare", measure_median(threads[BARE], ROUNDS), "ns"),
			 measure_median(threads[ALONE], ROUNDS));
}

static void compare_bound(struct measure *m, unsigned count)
{
	double vs[ROUNDS], got[ROUNDS], bounds[ROUNDS], shares[ROUNDS], none, all = 0, share;
	struct load_arg *l = proc_shared(sizeof(*l));
	struct measure_row *row;

	for (int i = 0; i < ROUNDS; i++) {
		none = rate_of(&setups[ALONE], hot, l, &share);
		printf("sockets: %9.0f answers/s alone, %llu lost", none, (unsigned long long)l->load.lost);
		if (count == VARIANTS) {
			all = rate_of(&setups[WITH], hot, l, &share);
			printf("; with handlers %9.0f, hits %.3f", all, share);
			got[i] = rate_of(&setups[WITH], mixed, l, &shares[i]);
			bounds[i] = 1 / (shares[i] / all + (1 - shares[i]) / none);
			vs[i] = got[i] / bounds[i];
			printf("; mixed %9.0f, hits %.3f: %.3f of the bound", got[i], shares[i], vs[i]);
		}
		printf("\n");
	}
	if (count < VARIANTS)
		return;
	row = measure_add(m, "memcached.vs_bound", measure_median(got, ROUNDS), "answers/s");
	measure_baseline(row, measure_median(bounds, ROUNDS));
	row->ratio = measure_median(vs, ROUNDS);
	measure_goal(row, MEASURE_AT_LEAST, TARGET_BOUND, row->ratio);
	measure_add(m, "memcached.vs_bound_hits", measure_median(shares, ROUNDS), "1");
}

/* Each key is requested once, so no handler caches it. */
static void compare_latency(struct measure *m, unsigned count)
{
	double us[VARIANTS][ROUNDS];
	struct load_arg *l = proc_shared(sizeof(*l));

	for (int i = 0; i < ROUNDS; i++) {
		for (unsigned variant = 0; variant < count; variant++) {
			if (variant == BARE)
				continue; /* has only the hot keys */
			l->first = LATENCY_KEYS + (uint32_t)i * TURN_KEYS;
			run_client(&setups[variant], run_latency, l);
			us[variant][i] = l->latency_ns / 1e3;
			printf("%-13s %6.2f us\n", variant_name[variant], us[variant][i]);
		}
	}
	if (count == VARIANTS) {
		struct measure_row *row = measure_add(m, "memcached.miss_latency", measure_median(us[WITH], ROUNDS), "us");

		measure_baseline(row, measure_median(us[ALONE], ROUNDS));
		measure_goal(row, MEASURE_AT_MOST, TARGET_MISS, row->ratio);
	}
}

/* --- setting up ----------------------------------------------------------------- */

static void draw_keys(void)
{
	uint64_t seed = 7;

	hot = calloc(GETS_DRAWN, sizeof(*hot));
	mixed = calloc(GETS_DRAWN, sizeof(*mixed));
	if (!hot || !mixed || zipf_fill(hot, GETS_DRAWN, GETS_KEYS, THETA, 1))
		die("no memory");
	for (unsigned i = 0; i < GETS_DRAWN; i++)
		mixed[i] = random_below(&seed, 10) < COLD_IN_TEN ? COLD_FIRST + random_below(&seed, COLD_KEYS) : hot[i];
}

/* Requests the hot keys until the handlers answer all of them. */
static void fill_cache(const struct setup *a)
{
	struct load_arg *l = proc_shared(sizeof(*l));
	uint64_t until = now_ns() + FILL_S * 1000000000ull;
	double share = 0;

	while (share < 0.9999 && now_ns() < until)
		(void)rate_of(a, hot, l, &share);
	printf("the handlers answer %.2f %% of GETs of %u keys\n", share * 100, GETS_KEYS);
}

static void open_setup(enum variant variant)
{
	struct setup *a = &setups[variant];

	lab_open(&a->lab);
	a->at_xdp = variant != ALONE;
	a->server = (struct mc_server){ .ns = a->lab.server.ns_fd, .cpu = a->lab.server.cpu, .threads = 1, .with = variant == WITH };
	mc_server__start(&a->server);
	open_client(a);
	mc_load__store(LAB_SERVER_ADDR, MC_PORT, 0, LATENCY_KEYS + ROUNDS * TURN_KEYS);
	if (variant == WITH)
		fill_cache(a);
	if (variant == BARE)
		attach(a, &a->lab.server, "answer");
}

int main(int argc, char **argv)
{
	static struct measure m;
	unsigned count = mc_server__missing_handlers() ? 1 : VARIANTS;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (mc_server__missing() || geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: %s\n", mc_server__missing() ? mc_server__missing() : "namespaces and XDP need root, and two CPUs");
		return 77;
	}
	proc_init();
	draw_keys();
	for (unsigned i = 0; i < count; i++)
		open_setup(i);
	if (!lab_napi_thread(&setups[0].lab.server)) {
		printf("skip: NAPI threads are not visible here and cannot be pinned\n");
		return 77;
	}
	measure_begin(&m, "bench-memcached");
	compare_hits(&m, count);
	compare_bound(&m, count);
	compare_latency(&m, count);
	for (unsigned i = 0; i < count; i++)
		mc_server__stop(&setups[i].server);
	if (count < VARIANTS) {
		printf("skip: %s\n", mc_server__missing_handlers());
		return 77;
	}
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
