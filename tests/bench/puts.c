/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the cost of packets that a handler sends. The handler sends 0, 1, 2, 4 or 16 packets for each datagram, on a veth whose other
 * end sends the datagrams and drops what is returned. Measures the CPU time of the thread in which all of this runs; alternating, medians
 * of the difference to 0.
 * puts FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <math.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include <spin/libspin.h>
#include "tests/handlers/sending/fan_out.h"

#define BURSTS  41
#define PACKETS 2000

static const unsigned counts[] = { 0, 1, 2, 4, 16 };

#define VARIANTS (sizeof(counts) / sizeof(counts[0]))

static double burst_ns[VARIANTS][BURSTS];

static int fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return 1;
}

/* Replaces the program that passes all packets, so that returned packets do not reach a socket. */
static int attach_drop(const char *dev)
{
	static const struct bpf_insn drop[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_DROP },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int prog = bpf_prog_load(BPF_PROG_TYPE_XDP, "bench_drop", "Dual BSD/GPL", drop, 2, NULL);

	return prog < 0 ? prog : bpf_link_create(prog, (int)if_nametoindex(dev), BPF_XDP, NULL);
}

static int open_socket(void)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(7777) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	return fd >= 0 && connect(fd, (struct sockaddr *)&far, sizeof(far)) ? -1 : fd;
}

static double burst(int fd)
{
	static const uint8_t payload[128];
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (unsigned i = 0; i < PACKETS; i++)
		if (send(fd, payload, sizeof(payload), 0) != sizeof(payload))
			return NAN;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / PACKETS;
}

static int measure_variants(struct fan_out *state, int fd)
{
	for (int i = 0; i < BURSTS; i++)
		for (unsigned a = 0; a < VARIANTS; a++) {
			state->count = counts[a];
			burst_ns[a][i] = burst(fd);
			if (isnan(burst_ns[a][i]))
				return fail("send", "the burst was not sent");
		}
	return 0;
}

static void report(struct measure *m)
{
	for (unsigned a = 1; a < VARIANTS; a++) {
		double extra[BURSTS], base[BURSTS];
		struct measure_row *row;
		char name[32];

		for (int i = 0; i < BURSTS; i++) {
			base[i] = burst_ns[0][i];
			extra[i] = burst_ns[a][i] - burst_ns[0][i];
		}
		snprintf(name, sizeof(name), "puts.%u_packets", counts[a]);
		row = measure_add(m, name, measure_median(extra, BURSTS), "ns");
		row->baseline = measure_median(base, BURSTS);
		row->ratio = (row->baseline + row->value) / row->baseline;
	}
}

static int bench(struct measure *m)
{
	const uint64_t sent = (uint64_t)BURSTS * PACKETS * (2 + 4 + 16);
	struct spin_put_stats stats;
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct pair pair;
	char path[512];
	size_t bytes;
	void *state;
	int fd;

	if (built_object("fan_out", path, sizeof(path)))
		return fail("fan_out", engine_error());
	pair__open(&pair);
	close(pair.pass);
	pair.pass = attach_drop(NEAR_DEV);
	fd = open_socket();
	netns_enter(pair.far_ns);
	if (pair.pass < 0 || fd < 0 || spin_object__open(path, &object) || spin_rule__parse("udp dport 7777", &rule) ||
	    spin_nic__open(FAR_DEV, &nic) || spin_ctx__create(nic, object, &rule, &ctx) ||
	    spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || spin_ctx__attach(ctx))
		return fail("attach", spin_strerror_last());
	*(struct fan_out *)state = (struct fan_out){ .bytes = 64, .answer = FAN_OUT_DROP };
	if (measure_variants(state, fd))
		return 1;
	spin_ctx__put_stats(ctx, &stats);
	if (stats.copied != sent || stats.returned != (uint64_t)BURSTS * PACKETS)
		return fail("puts", "not all packets left: what was measured is something else");
	report(m);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
	pair__close(&pair);
	return 0;
}

int main(int argc, char **argv)
{
	static struct measure m;
	cpu_set_t cpu;

	if (geteuid()) {
		printf("skip: it needs root\n");
		return 77;
	}
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	measure_begin(&m, "bench-puts");
	if (bench(&m))
		return 1;
	measure_print(&m);
	return argc > 1 && measure_write(&m, argv[1]) ? fail(argv[1], "cannot be written") : 0;
}
