/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares spin_sender__send() with TCP: the same bytes from memory to memory over one veth pair, in alternating rounds. In both cases
 * a message context is attached to the receiver's interface in native XDP mode, and a program that passes all packets to the sender's.
 * Sender and receiver are pinned to different CPUs. GRO is on, as on a network card. The time is from the first byte sent until the
 * sender knows that all bytes have been received: by the last acknowledgement, or by a byte that the receiver returns over TCP.
 * send FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/net/xdp_pass.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define BYTES    (64u << 20)
#define CHUNK    (256u << 10) /* size of each send() and recv() on the TCP socket */
#define ROUNDS   9
#define PORT     5000
#define SENDER   "10.81.0.2"
#define RECEIVER "10.81.0.1"
#define TARGET   1.0

enum { SEND_CPU, RECEIVE_CPU };

struct bench {
	int near_ns, far_ns;
	uint8_t *data;
	uint8_t *memory;          /* host memory of the receiving context */
	volatile uint32_t *ready; /* shared with the TCP receiver */
	struct spin_sender *sender;
	uint64_t resent, packets;
};

static void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot stay on CPU %d: %s", cpu, strerror(errno));
}

static void open_link(struct bench *b)
{
	char line[256];

	b->near_ns = netns_new();
	b->far_ns = netns_new();
	netns_enter(b->near_ns);
	snprintf(line, sizeof(line),
		 "ip link add near0 type veth peer name far0 netns /proc/%d/fd/%d && "
		 "ip addr add " SENDER "/24 dev near0 && ethtool -K near0 gro on && ip link set near0 up",
		 (int)getpid(), b->far_ns);
	netns_shell(line);
	xdp_pass__attach("near0");
	netns_enter(b->far_ns);
	netns_shell("ip addr add " RECEIVER "/24 dev far0 && ethtool -K far0 gro on && ip link set far0 up");
}

static void open_receiver(struct bench *b)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .host_bytes = BYTES, .lose_events = 1 } };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];
	size_t bytes;
	void *memory;

	netns_enter(b->far_ns);
	if (built_object("copy_to_host", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9330", &rule) || spin_nic__open("far0", &nic) || spin_nic__set_mode(nic, SPIN_MODE_NATIVE) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__host_memory(ctx, &memory, &bytes) || spin_ctx__attach(ctx))
		die("the receiver: %s", spin_strerror_last());
	b->memory = memory;
}

/* Accepts connections until it is killed. */
static int receive_tcp(void *arg)
{
	const struct bench *b = arg;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = inet_addr(RECEIVER) };
	const struct sched_param plain = { 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	uint8_t *into = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	sched_setscheduler(0, SCHED_OTHER, &plain);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (into == MAP_FAILED || fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1))
		die("TCP's receiver: %s", strerror(errno));
	*b->ready = 1;
	for (;;) {
		int from = accept(fd, NULL, NULL);
		ssize_t got = 1;
		size_t have = 0;

		while (have < BYTES && got > 0) {
			got = recv(from, into + have, BYTES - have < CHUNK ? BYTES - have : CHUNK, 0);
			have += got > 0 ? (size_t)got : 0;
		}
		/* the first byte ends the measurement; the second one confirms that the data was compared */
		if (have != BYTES || send(from, "", 1, 0) != 1 || memcmp(into, b->data, BYTES) || send(from, "", 1, 0) != 1)
			die("TCP's receiver: not what was sent");
		memset(into, 0, BYTES);
		close(from);
	}
}

static double seconds(uint64_t begin_ns)
{
	return (double)(now_ns() - begin_ns) * 1e-9;
}

static double send_tcp(struct bench *b)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = inet_addr(RECEIVER) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	double took;
	uint64_t begin;
	ssize_t gone;
	char end;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die("TCP: %s", strerror(errno));
	begin = now_ns();
	for (size_t sent = 0; sent < BYTES; sent += (size_t)gone) {
		gone = send(fd, b->data + sent, BYTES - sent < CHUNK ? BYTES - sent : CHUNK, 0);
		if (gone <= 0)
			die("TCP: %s", strerror(errno));
	}
	if (recv(fd, &end, 1, 0) != 1)
		die("TCP: the receiver ended");
	took = seconds(begin);
	if (recv(fd, &end, 1, 0) != 1)
		die("TCP: the receiver has not what was sent");
	close(fd);
	return took;
}

static double send_message(struct bench *b)
{
	struct spin_send_report report;
	uint64_t begin = now_ns();
	double took;

	if (spin_sender__send(b->sender, b->data, BYTES, NULL, &report))
		die("%s", spin_strerror_last());
	took = seconds(begin);
	if (memcmp(b->memory, b->data, BYTES))
		die("the message is not what was sent");
	memset(b->memory, 0, BYTES);
	b->packets += report.packets;
	b->resent += report.resent;
	return took;
}

static double mbit_s(double took_s)
{
	return BYTES * 8e-6 / took_s;
}

static void report(double *tcp, double *message, const char *path)
{
	static struct measure m;
	struct measure_row *row;

	measure_begin(&m, "bench-send");
	row = measure_add(&m, "send.vs_tcp", measure_median(message, ROUNDS), "Mbit/s");
	measure_baseline(row, measure_median(tcp, ROUNDS));
	measure_goal(row, MEASURE_AT_LEAST, TARGET, row->ratio);
	measure_print(&m);
	if (path && measure_write(&m, path))
		die("%s cannot be written", path);
}

int main(int argc, char **argv)
{
	static struct bench b;
	double tcp[ROUNDS], message[ROUNDS];
	uint64_t seed = 14;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	proc_init();
	b.data = proc_shared(BYTES);
	b.ready = proc_shared(sizeof(*b.ready));
	random_fill(&seed, b.data, BYTES);
	open_link(&b);
	open_receiver(&b);
	proc_start(b.far_ns, RECEIVE_CPU, receive_tcp, &b);
	while (!*b.ready)
		usleep(1000);
	netns_enter(b.near_ns);
	pin_to_cpu(SEND_CPU);
	if (spin_sender__open(RECEIVER, NULL, NULL, &b.sender))
		die("%s", spin_strerror_last());
	send_message(&b);
	send_tcp(&b);
	for (int i = 0; i < ROUNDS; i++) {
		tcp[i] = mbit_s(send_tcp(&b));
		message[i] = mbit_s(send_message(&b));
		printf("TCP %6.0f, messages %6.0f Mbit/s\n", tcp[i], message[i]);
	}
	printf("%llu packets, %llu sent again\n", (unsigned long long)b.packets, (unsigned long long)b.resent);
	report(tcp, message, argc > 1 ? argv[1] : NULL);
	return 0;
}
