/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that packets which handlers send leave, in native and generic mode and on CPUs that get packets by cpumap: up to 16 for each
 * received packet, to three addresses behind the same link, in order, each with its contents at the call, and the reply last. Where
 * handlers cannot send themselves (the packet is passed to the host, the neighbour is unknown, forwarding is off) the library sends for
 * them. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/libspin.h>
#include <spin/bytes.h>
#include "tests/handlers/sending/fan_out.h"

#define PORT        7777
#define SOURCE_PORT 4000
#define PACKETS_MAX 32

static struct pair pair;
static struct spin_ctx *ctx;
static struct fan_out *state;
static int near, far; /* sockets */
static unsigned failures;

/* Addresses of the near end. The neighbour of the fourth is unknown at the start. */
static const char *const targets[FAN_OUT_TARGETS] = { "10.78.0.11", "10.78.0.12", "10.78.0.13", "10.78.0.40" };

static const struct row {
	const char *name;
	unsigned family, answer, count, bytes, sent_bytes;
	unsigned targets; /* number of different targets; 0: back to the source */
	int forwarding;   /* 0: handlers do not get routes to other targets */
	int any_order;    /* 1: the host sends some of them, after the others */
} rows[] = {
	{ "one, and the packet ends", 4, FAN_OUT_DROP, 1, 8, 80, 0, 1, 0 },
	{ "one that is longer than what came", 4, FAN_OUT_DROP, 1, 1200, 1280, 0, 1, 0 },
	{ "one elsewhere", 4, FAN_OUT_DROP, 1, 8, 80, 3, 1, 0 },
	{ "one and a reply", 4, FAN_OUT_REPLY, 1, 8, 80, 0, 1, 0 },
	{ "three", 4, FAN_OUT_DROP, 3, 16, 80, 3, 1, 0 },
	{ "three, and a reply", 4, FAN_OUT_REPLY, 3, 16, 80, 3, 1, 0 },
	{ "16", 4, FAN_OUT_DROP, 16, 16, 80, 3, 1, 0 },
	{ "16, and a reply", 4, FAN_OUT_REPLY, 16, 16, 80, 3, 1, 0 },
	{ "16 long ones, and a reply", 4, FAN_OUT_REPLY, 16, 1300, 1400, 3, 1, 0 },
	{ "16, and the packet goes on", 4, FAN_OUT_PASS, 16, 16, 80, 3, 1, 0 },
	{ "three, the way to none known", 4, FAN_OUT_REPLY, 3, 16, 80, 3, 0, 1 },
	{ "three, the ways known from before", 4, FAN_OUT_REPLY, 3, 16, 80, 3, 0, 0 },
	{ "four, a neighbour not known", 4, FAN_OUT_REPLY, 4, 16, 80, 4, 1, 1 },
	{ "three over IPv6, and a reply", 6, FAN_OUT_REPLY, 3, 16, 80, 0, 1, 0 },
	{ "three over IPv6, and the packet goes on", 6, FAN_OUT_PASS, 3, 16, 80, 0, 1, 0 },
};

struct arrival {
	uint32_t word, bytes;
	char to[INET6_ADDRSTRLEN];
};

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	exit(1);
}

static void report_mismatch(const struct row *row, const char *mode, const char *what, unsigned want, unsigned got)
{
	printf("FAIL: %s, %s: %s: %u instead of %u\n", row->name, mode, what, got, want);
	failures++;
}

static int open_socket(uint16_t port)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	const struct timeval wait = slow_wait(400);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1, bytes = 4 << 20;

	if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) || bind(fd, (struct sockaddr *)&any, sizeof(any)))
		die("no socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	return fd;
}

/* Returns 0 if none came in time. */
static int receive(int fd, struct arrival *arrival)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control;
	uint32_t data[512];
	struct iovec part = { data, sizeof(data) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &m, 0);
	struct in6_pktinfo info;

	if (got < 0)
		return 0;
	memcpy(&info, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(info));
	inet_ntop(AF_INET6, &info.ipi6_addr, arrival->to, sizeof(arrival->to));
	arrival->bytes = (uint32_t)got;
	arrival->word = got < 4 ? UINT32_MAX : ntohl(data[0]);
	for (unsigned i = 1; i < (size_t)got / 4; i++)
		if (ntohl(data[i]) != arrival->word + i)
			arrival->word = UINT32_MAX;
	return 1;
}

static void send_one(const struct row *row, uint32_t first)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	uint32_t data[512];

	inet_pton(AF_INET6, row->family == 4 ? "::ffff:" FAR_ADDR : FAR_ADDR6, &to.sin6_addr);
	for (uint32_t i = 0; i < 512; i++)
		data[i] = htonl(first + i);
	if (sendto(near, data, row->sent_bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)row->sent_bytes)
		die("cannot send");
}

static void check_one(const struct row *row, const char *mode, const struct arrival *arrival, unsigned i, uint32_t first)
{
	char want[INET6_ADDRSTRLEN];

	if (arrival->bytes != row->bytes)
		report_mismatch(row, mode, "bytes of a packet", row->bytes, arrival->bytes);
	snprintf(want, sizeof(want), row->family == 4 ? "::ffff:%s" : "%s",
		 row->targets       ? targets[i % FAN_OUT_TARGETS % row->targets]
		 : row->family == 4 ? NEAR_ADDR
				    : NEAR_ADDR6);
	if (strcmp(arrival->to, want)) {
		printf("FAIL: %s, %s: packet %u (%u) came to %s\n", row->name, mode, i, arrival->word - first, arrival->to);
		failures++;
	}
}

/* Sends one packet and checks the packets that it causes. */
static void run_round(const struct row *row, const char *mode, uint32_t first)
{
	const unsigned want = row->count + (row->answer == FAN_OUT_REPLY);
	struct arrival arrival[PACKETS_MAX];
	unsigned got = 0, reply = 0;
	uint32_t seen = 0;

	send_one(row, first);
	while (got < want && receive(near, &arrival[got]))
		got++;
	if (got != want)
		report_mismatch(row, mode, "packets", want, got);
	for (unsigned i = 0; i < got; i++) {
		uint32_t number = arrival[i].word - first;

		if (row->answer == FAN_OUT_REPLY && !reply && arrival[i].bytes == 4 && !number) {
			reply = i + 1;
			continue;
		}
		if (number >= row->count || seen >> number & 1) {
			report_mismatch(row, mode, "a packet's first word", 0, number);
			continue;
		}
		seen |= 1u << number;
		if (!row->any_order && number != i)
			report_mismatch(row, mode, "order", i, number);
		check_one(row, mode, &arrival[i], number, first);
	}
	if (row->answer == FAN_OUT_REPLY && !row->any_order && reply != want)
		report_mismatch(row, mode, "the reply's turn", want, reply);
	if (row->answer == FAN_OUT_PASS) {
		if (!receive(far, &arrival[0]))
			report_mismatch(row, mode, "datagrams that the host got", 1, 0);
		else if (arrival[0].bytes != row->sent_bytes || arrival[0].word != first)
			report_mismatch(row, mode, "bytes that the host got", row->sent_bytes, arrival[0].bytes);
	}
}

static void set_up(const struct row *row)
{
	char line[160];

	netns_enter(pair.far_ns);
	snprintf(line, sizeof(line), "sysctl -qw net.ipv4.conf." FAR_DEV ".forwarding=%d", row->forwarding);
	netns_shell(line);
	netns_shell("ip neigh flush to 10.78.0.40 dev " FAR_DEV);
	netns_enter(pair.near_ns);
	memset(state->target, 0, sizeof(state->target));
	for (unsigned i = 0; row->targets && i < FAN_OUT_TARGETS; i++)
		inet_pton(AF_INET, targets[i % row->targets], &state->target[i]);
	state->count = row->count;
	state->bytes = row->bytes;
	state->answer = row->answer;
}

static uint64_t lost(struct spin_put_stats *s)
{
	if (spin_ctx__put_stats(ctx, s))
		die("put_stats");
	return s->lost_queue + s->lost_copy + s->lost_way;
}

static void run_rows(const char *mode)
{
	struct spin_put_stats before, after;
	const struct row *row;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		row = &rows[i];
		set_up(row);
		lost(&before);
		for (uint32_t round = 0; round < 5; round++)
			run_round(row, mode, i * 100000 + round * 1000);
		/* the last one may arrive before the library counts it */
		for (unsigned wait = 0; wait < 100 && row->answer == FAN_OUT_PASS; wait++)
			if (lost(&after) || after.sent - before.sent >= 5 * row->count || usleep(10000))
				break;
		if (lost(&after))
			report_mismatch(row, mode, "packets that it says are lost", 0, (unsigned)lost(&after));
		if (row->answer == FAN_OUT_PASS && after.sent - before.sent != 5 * row->count)
			report_mismatch(row, mode, "packets that the library sent", 5 * row->count, (unsigned)(after.sent - before.sent));
		if (row->answer == FAN_OUT_DROP && row->count == 1 && row->bytes < row->sent_bytes && after.returned - before.returned != 5)
			report_mismatch(row, mode, "packets in the frame that came", 5, (unsigned)(after.returned - before.returned));
		if (row->answer != FAN_OUT_PASS && !row->any_order && after.sent != before.sent)
			report_mismatch(row, mode, "packets that the library sent", 0, (unsigned)(after.sent - before.sent));
	}
}

static void run_mode(const char *path, enum spin_mode mode, enum spin_hpus hpus)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .hpus = hpus };
	struct spin_object *object;
	struct spin_nic *nic;
	struct spin_rule rule;
	void *addr;
	size_t bytes;

	netns_enter(pair.far_ns);
	if (spin_object__open(path, &object) || spin_rule__parse("udp dport 7777", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_nic__set_mode(nic, mode) || spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) ||
	    spin_ctx__symbol(ctx, "spin_state", &addr, &bytes) || bytes != sizeof(*state) || spin_ctx__attach(ctx))
		die("attach");
	state = addr;
	run_rows(hpus == SPIN_HPUS_SPREAD ? "given to CPUs" : spin_mode_name(mode));
	if (spin_ctx__alive(ctx) != 1)
		die("the threads that send have ended");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
}

int main(void)
{
	char path[512];

	if (built_object("fan_out", path, sizeof(path)))
		return printf("FAIL: %s\n", engine_error()), 1;
	pair__open(&pair);
	netns_shell("for i in 11 12 13 40; do ip addr add 10.78.0.$i/24 dev " NEAR_DEV "; done");
	near = open_socket(SOURCE_PORT);
	netns_enter(pair.far_ns);
	netns_shell("for i in 11 12 13; do ip neigh replace 10.78.0.$i lladdr $(ip neigh show " NEAR_ADDR " dev " FAR_DEV
		    " | sed 's/.*lladdr \\([^ ]*\\).*/\\1/') dev " FAR_DEV " nud permanent; done");
	far = open_socket(PORT);
	run_mode(path, SPIN_MODE_NATIVE, SPIN_HPUS_CPU);
	run_mode(path, SPIN_MODE_GENERIC, SPIN_HPUS_CPU);
	run_mode(path, SPIN_MODE_NATIVE, SPIN_HPUS_SPREAD);
	pair__close(&pair);
	return failures != 0;
}
