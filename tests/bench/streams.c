/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures TCP sockets with handlers, between two network namespaces: the throughput with a handler that passes everything, relative to
 * plain TCP, and the latency of a request and its answer. Handlers of streams run after TCP, in a sockmap; socket.tcp_bare_vs_plain is a
 * sockmap whose program only passes, the most that they can reach. Handlers of segments run on packets, in native XDP, for which a veth
 * pair gives up its segmentation offload.
 * streams FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/traffic/tcp_pair.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define ROUNDS   9
#define BYTES    (1ull << 30) /* per round */
#define REQUESTS 20000
#define WAIT_MS  1000
#define PORT     (UDP_HOSTS_PORT + 40)

static struct udp_hosts hosts;
static struct spind spind;
static char buffer[128 * 1024];

struct side {
	int listener, client, server;
	struct spin_ctx *ctx;
};

/* What a connection goes through: neither is plain TCP. */
struct way {
	const struct spin_object *handlers;
	int sockmap; /* descriptor of passes.bpf.c's map, or 0 */
};

static int open_sockmap(void)
{
	char path[512];
	struct bpf_object *bpf;
	int map;

	snprintf(path, sizeof(path), "%s/tests/bench/passes.bpf.o", built_dir());
	bpf = bpf_object__open_file(path, NULL);
	if (!bpf || bpf_object__load(bpf))
		die("cannot load %s: %s", path, strerror(errno));
	map = bpf_object__find_map_fd_by_name(bpf, "socks");
	if (bpf_prog_attach(bpf_program__fd(bpf_object__find_program_by_name(bpf, "passes")), map, BPF_SK_SKB_STREAM_VERDICT, 0))
		die("cannot attach to the sockmap: %s", strerror(errno));
	return map;
}

static void add_to_sockmap(int map, int socket)
{
	const uint64_t value = (uint64_t)socket;
	const uint32_t zero = 0;

	if (bpf_map_update_elem(map, &zero, &value, BPF_ANY))
		die("cannot add the connection to the sockmap: %s", strerror(errno));
}

static void open_side(struct side *side, uint16_t port, const struct way *way)
{
	const int one = 1;
	union asks_address to;
	socklen_t bytes = udp_hosts__address("10.9.0.1", port, &to);

	side->ctx = NULL;
	side->listener = tcp_pair__listen("10.9.0.1", port);
	if (way->handlers)
		side->ctx = spind__attach(&spind, side->listener, way->handlers, NULL);
	netns_enter(hosts.client_ns);
	side->client = socket(AF_INET, SOCK_STREAM, 0);
	netns_enter(hosts.server_ns);
	if (connect(side->client, &to.any, bytes))
		die("cannot connect: %s", strerror(errno));
	side->server = accept(side->listener, NULL, NULL);
	if (way->sockmap)
		add_to_sockmap(way->sockmap, side->server);
	setsockopt(side->client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(side->server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void close_side(struct side *side)
{
	if (side->ctx)
		spin_ctx__destroy(side->ctx);
	close(side->client);
	close(side->server);
	close(side->listener);
}

static void *send_bytes(void *arg)
{
	const struct side *side = arg;

	for (uint64_t left = BYTES; left;) {
		ssize_t n = send(side->client, buffer, left < sizeof(buffer) ? left : sizeof(buffer), 0);

		if (n <= 0)
			die("send: %s", strerror(errno));
		left -= (uint64_t)n;
	}
	return NULL;
}

static double gbit_s(struct side *side)
{
	static char into[256 * 1024];
	struct pollfd wait = { .fd = side->server, .events = POLLIN };
	uint64_t start = now_ns();
	pthread_t thread;

	if (pthread_create(&thread, NULL, send_bytes, side))
		die("no thread");
	for (uint64_t left = BYTES; left;) {
		ssize_t n = recv(side->server, into, left < sizeof(into) ? left : sizeof(into), 0);

		if (n < 0 && errno == EAGAIN) { /* the kernel has postponed a piece (user/spind/README.md); the next one wakes */
			poll(&wait, 1, WAIT_MS);
			continue;
		}
		if (n <= 0)
			die("recv: %s", strerror(errno));
		left -= (uint64_t)n;
	}
	pthread_join(thread, NULL);
	return (double)BYTES * 8 / (double)(now_ns() - start);
}

static double request_us(struct side *side)
{
	uint64_t start = now_ns();
	char word[64] = "";

	for (int i = 0; i < REQUESTS; i++)
		if (send(side->client, word, sizeof(word), 0) != sizeof(word) ||
		    recv(side->server, word, sizeof(word), MSG_WAITALL) != sizeof(word) ||
		    send(side->server, word, sizeof(word), 0) != sizeof(word) ||
		    recv(side->client, word, sizeof(word), MSG_WAITALL) != sizeof(word))
			die("request: %s", strerror(errno));
	return (double)(now_ns() - start) / 1e3 / REQUESTS;
}

/*
 * Alternates a way with plain TCP, so that load on the machine affects both. The socket with handlers is open in its rounds only: those of
 * segments put a program on the interface, which plain TCP would also pass.
 */
static void compare(double (*measure)(struct side *), const struct way *way, struct side *plain, struct measure_row *row)
{
	double rates[ROUNDS], plain_rates[ROUNDS], ratio[ROUNDS];
	struct side with;

	for (int i = 0; i < ROUNDS; i++) {
		plain_rates[i] = measure(plain);
		open_side(&with, PORT + 1, way);
		rates[i] = measure(&with);
		close_side(&with);
		ratio[i] = rates[i] / plain_rates[i];
		proc_progress();
	}
	row->value = measure_median(rates, ROUNDS);
	measure_baseline(row, measure_median(plain_rates, ROUNDS));
	row->ratio = measure_median(ratio, ROUNDS);
}

int main(int argc, char **argv)
{
	static struct measure m;
	struct way none = { 0 }, bare = { 0 }, streams = { 0 }, segments = { 0 };
	struct spin_object *stream_object, *segment_object;
	struct measure_row *row;
	struct side plain;

	if (argc != 2) {
		fprintf(stderr, "usage: streams FILE\n");
		return 2;
	}
	udp_hosts__hosts(&hosts);
	streams.handlers = stream_object = built_open("every_nth");
	segments.handlers = segment_object = built_open("seg_live");
	bare.sockmap = open_sockmap();
	spind__start(&spind, "");
	open_side(&plain, PORT, &none);
	measure_begin(&m, "streams");
	row = measure_add(&m, "socket.tcp_vs_plain", 0, "Gbit/s");
	compare(gbit_s, &streams, &plain, row);
	measure_goal(row, MEASURE_AT_LEAST, 0.9, row->ratio);
	compare(gbit_s, &bare, &plain, measure_add(&m, "socket.tcp_bare_vs_plain", 0, "Gbit/s"));
	compare(request_us, &streams, &plain, measure_add(&m, "socket.tcp_request", 0, "us"));
	compare(gbit_s, &segments, &plain, measure_add(&m, "socket.segments_vs_plain", 0, "Gbit/s"));
	compare(request_us, &segments, &plain, measure_add(&m, "socket.segments_request", 0, "us"));
	close_side(&plain);
	spind__cleanup(&spind);
	spin_object__close(stream_object);
	spin_object__close(segment_object);
	measure_print(&m);
	return measure_write(&m, argv[1]) ? 1 : 0;
}
