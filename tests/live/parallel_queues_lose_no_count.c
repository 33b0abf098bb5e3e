/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers/filter_counts.c, which steers and counts datagrams by source, on a veth of four queues, each with a NAPI thread, and
 * several senders at once. Every datagram must be received at the right port. Neither the counters nor a table entry that all queues update
 * may lose a count. Each sender waits for as many datagrams as it has sent, so queues do not overflow. Uses namespaces of its own. Run by
 * tests/run.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/netns.h"
#include "tests/common/traffic/burst.h"
#include <spin/libspin.h>

#define SENDERS 7
#define SOCKETS 4 /* of each sender: the queue is selected by flow */
#define BURST   BURST_DATAGRAMS
#define BURSTS  600

/* Same layout as in handlers/filter_counts.c. */
struct route {
	uint32_t src;
	uint16_t port, unused;
	uint32_t packets;
};

/* Senders with the same address count in the same entry. The last address has no entry. */
static const struct sender_group {
	const char *from;
	uint16_t port;
	unsigned senders;
} groups[] = { { "10.9.0.2", 7001, 4 }, { "10.9.0.3", 7002, 2 }, { "10.9.0.4", 9000, 1 } };
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static struct sender {
	pthread_t thread;
	int to[SOCKETS], from;
	const char *reason;
} senders[SENDERS];

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static int open_socket(const char *address, uint16_t port)
{
	int fd = burst__socket(address, port), bytes = 1 << 20;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		die("cannot open a socket");
	return fd;
}

static void *send_bursts(void *arg)
{
	struct sender *s = arg;

	for (int burst = 0; burst < BURSTS && !s->reason; burst++) {
		for (int i = 0; i < BURST; i++)
			if (burst__send(s->to[i % SOCKETS], "10.9.0.1", 9000))
				s->reason = "cannot send";
		/* datagrams of other senders to the same port may arrive instead: the total is the same */
		for (int i = 0; i < BURST && !s->reason; i++)
			if (burst__receive(s->from))
				s->reason = "a datagram is lost, or received at another port";
	}
	return NULL;
}

/* Returns the packets that the interface passed to XDP, over all queues, and the number of queues that had a share in *queues. */
static uint64_t interface_packets(unsigned *queues)
{
	FILE *from = popen("ethtool -S s0", "re");
	unsigned long long n, sum = 0;
	char line[128];
	unsigned queue;

	*queues = 0;
	while (from && fgets(line, sizeof(line), from)) {
		char name[32] = "";

		if (sscanf(line, " rx_queue_%u_%31[a-z_]: %llu", &queue, name, &n) == 3 && !strcmp(name, "xdp_packets")) {
			sum += n;
			*queues += n > BURST; /* more than the network's own packets */
		}
	}
	if (!from || pclose(from))
		die("ethtool -S fails");
	return sum;
}

static uint32_t entry_packets(struct spin_ctx *ctx, const char *address)
{
	const struct route *route;
	struct in_addr src;
	size_t bytes;
	void *table;

	inet_pton(AF_INET, address, &src);
	if (spin_ctx__symbol(ctx, "routes", &table, &bytes))
		die(spin_strerror_last());
	route = table;
	for (size_t i = 0; i < bytes / sizeof(*route); i++)
		if (route[i].src == src.s_addr)
			return __atomic_load_n(&route[i].packets, __ATOMIC_ACQUIRE);
	return 0;
}

static struct spin_ctx *attach(void)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object("filter_counts", path, sizeof(path)))
		die(engine_error());
	if (spin_object__open(path, &object) || spin_nic__open("s0", &nic) || spin_rule__parse("udp dport 9000", &rule) ||
	    spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__table_insert(ctx, "routes", "src=10.9.0.2 port=7001") ||
	    spin_ctx__table_insert(ctx, "routes", "src=10.9.0.3 port=7002") || spin_ctx__attach(ctx))
		die(spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(object);
	return ctx;
}

int main(void)
{
	int server_ns = netns_new(), client_ns = netns_new(), from;
	uint64_t packets[SPIN_REASON_COUNT], counted, before, seen;
	struct spin_ctx *ctx;
	struct sender *s = senders;
	char command[192];
	unsigned queues;

	snprintf(command, sizeof(command),
		 "ip link add c0 numrxqueues 4 numtxqueues 4 type veth peer name s0 numrxqueues 4 numtxqueues 4 netns /proc/%d/fd/%d",
		 getpid(), server_ns);
	netns_shell(command);
	netns_shell("for i in 2 3 4; do ip addr add 10.9.0.$i/24 dev c0 || exit; done; ip link set c0 up");
	netns_enter(server_ns);
	netns_shell("ip addr add 10.9.0.1/24 dev s0 && ip link set s0 up");
	netns_thread_napi("s0");
	ctx = attach();
	before = interface_packets(&queues); /* received before the program was attached */
	before -= before ? counts_all(ctx, packets) : 0;
	for (unsigned i = 0; i < GROUPS; i++) {
		netns_enter(server_ns);
		from = open_socket("10.9.0.1", groups[i].port);
		netns_enter(client_ns);
		for (unsigned j = 0; j < groups[i].senders; j++, s++) {
			s->from = from;
			for (int k = 0; k < SOCKETS; k++)
				s->to[k] = open_socket(groups[i].from, 0);
		}
	}
	netns_enter(server_ns);
	for (s = senders; s < senders + SENDERS; s++)
		if (pthread_create(&s->thread, NULL, send_bursts, s))
			die("no thread");
	for (s = senders; s < senders + SENDERS; s++) {
		pthread_join(s->thread, NULL);
		if (s->reason)
			die(s->reason);
	}

	/* the interface updates its statistics after each poll, and packets may still arrive */
	for (int try = 0; try < 50; try++) {
		counted = counts_all(ctx, packets);
		seen = interface_packets(&queues) - before;
		if (seen == counted)
			break;
		usleep(100000);
	}
	printf("%llu of %d datagrams handled, %llu of %llu packets counted, %u queues\n", (unsigned long long)packets[SPIN_REASON_SUCCESS],
	       SENDERS * BURST * BURSTS, (unsigned long long)counted, (unsigned long long)seen, queues);
	if (packets[SPIN_REASON_SUCCESS] != SENDERS * BURST * BURSTS)
		die("the counter of datagrams says otherwise");
	if (seen != counted)
		die("the counters do not add up to the interface's packets");
	for (unsigned i = 0; i < GROUPS; i++)
		if (entry_packets(ctx, groups[i].from) != (groups[i].port == 9000 ? 0 : groups[i].senders * BURST * BURSTS))
			die("the table's count says otherwise");
	if (queues < 2)
		die("one queue had all packets");
	spin_ctx__destroy(ctx);
	return 0;
}
