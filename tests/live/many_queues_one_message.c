/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that several HPUs (CPUs that run handlers) can handle the packets of a message at the same time: queues of a veth with four queues
 * and a NAPI thread for each, or CPUs that get packets by cpumap. Packets arrive interleaved, in any order, some more than once. The
 * handler runs must fulfil what sPIN guarantees: header handler first, each packet once, completion handler last. The reference (a plain-C
 * model, tests/reference) must have the same state and host memory after the same runs. Every packet must be counted once. (A key has no
 * destination address, so the packets of a message are sent to different addresses, which select the queue.) Run by tests/run.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include "tests/reference/traffic.h"
#include <spin/libspin_message.h>

#define MESSAGES  4000u
#define SENDERS   5u
#define IN_FLIGHT 8u  /* messages of a sender in flight */
#define WINDOW    20u /* packets of a sender in flight: all of them fit into one queue of 256 */
#define ADDRESSES 64u
#define TIMEOUT_S (120 * slow_factor()) /* for a share of the messages, on a busy machine */

struct sent {
	uint16_t message; /* index among those in flight */
	uint8_t packet, copies;
	int acknowledged;
};

static struct sender {
	pthread_t thread;
	unsigned number;
	int fd;
	uint64_t random;
	struct sent order[IN_FLIGHT * TRAFFIC_PACKETS_MAX];
	unsigned count;
	unsigned message[IN_FLIGHT], messages;
	const char *reason;
} senders[SENDERS];

static struct traffic traffic;
static enum spin_hpus hpus;
static uint64_t runs_of[SPIN_HPUS_MAX];
static atomic_ullong datagrams;
static atomic_uint running, readings; /* readings: number of event reads */

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static int open_socket(unsigned number)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)(5000 + number)) };
	struct timeval wait = { .tv_usec = 100000 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, NEAR_ADDR, &a.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("cannot open a socket");
	return fd;
}

static void send_packet(struct sender *s, const struct sent *packet)
{
	const struct step step = traffic_step(&traffic, s->message[packet->message], packet->packet);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(SCHEDULE_PORT) };
	struct frame_flow flow;
	const uint8_t *payload;
	uint8_t frame[512];
	uint32_t bytes;

	if (!frame_parse(frame, step_frame(&step, frame), &flow, &payload, &bytes))
		return;
	to.sin_addr.s_addr = htonl(0x0a4e0064 + random_below(&s->random, ADDRESSES)); /* 10.78.0.100 and following */
	if (sendto(s->fd, payload, bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)bytes)
		s->reason = "cannot send";
	datagrams++;
}

/* Returns 0 if none came in time. */
static int receive_ack(struct sender *s)
{
	uint8_t ack[64];
	uint32_t id, offset;
	ssize_t bytes = recv(s->fd, ack, sizeof(ack), 0);

	if (bytes < 0)
		return 0;
	if (bytes != 10 || ack[0] != SPIN_SLMP_ACK >> 8 || ack[1]) {
		s->reason = "what came back is not an acknowledgement";
		return 0;
	}
	memcpy(&id, ack + 2, 4);
	memcpy(&offset, ack + 6, 4);
	for (unsigned i = 0; i < s->count; i++) {
		unsigned message = s->message[s->order[i].message];

		if (message == ntohl(id) && (uint32_t)s->order[i].packet * traffic.message[message].stride == ntohl(offset))
			s->order[i].acknowledged = 1;
	}
	return 1;
}

static void make_order(struct sender *s)
{
	s->count = 0;
	for (unsigned i = 0; i < s->messages; i++)
		for (unsigned p = 0; p < traffic.message[s->message[i]].packets; p++)
			s->order[s->count++] = (struct sent){ (uint16_t)i, (uint8_t)p, (uint8_t)(1 + !random_below(&s->random, 6)), 0 };
	for (unsigned i = 0; i < s->count; i++) {
		unsigned with = i + random_below(&s->random, s->count - i);
		struct sent was = s->order[i];

		s->order[i] = s->order[with];
		s->order[with] = was;
	}
}

/* Sends windows of packets, starting at the first that is not acknowledged, and repeats all that were not acknowledged in time. */
static void send_order(struct sender *s)
{
	time_t start = time(NULL);
	unsigned left = s->count;

	while (left && !s->reason) {
		unsigned in_flight = 0, copies;

		for (unsigned i = 0; i < s->count && in_flight < WINDOW; i++)
			for (copies = s->order[i].acknowledged ? 0 : s->order[i].copies; copies; copies--, in_flight++)
				send_packet(s, &s->order[i]);
		while (in_flight && receive_ack(s))
			in_flight--;
		left = 0;
		for (unsigned i = 0; i < s->count; i++)
			left += !s->order[i].acknowledged;
		if (time(NULL) - start > TIMEOUT_S)
			s->reason = "a packet is not acknowledged";
	}
}

static void *send_all(void *arg)
{
	struct sender *s = arg;

	for (unsigned next = s->number; next < MESSAGES && !s->reason;) {
		for (s->messages = 0; s->messages < IN_FLIGHT && next < MESSAGES; next += SENDERS)
			s->message[s->messages++] = next;
		make_order(s);
		send_order(s);
		/* the events of all packets in flight must fit into the ring */
		for (unsigned before = readings; readings - before < 2 && !s->reason;)
			usleep(50);
	}
	running--;
	return NULL;
}

static struct spin_ctx *attach(void)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = traffic_opts(512, 256), .hpus = hpus };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object("msg_script", path, sizeof(path)))
		die(engine_error());
	if (spin_object__open(path, &object) || spin_nic__open(FAR_DEV, &nic) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die(spin_strerror_last());
	spin_nic__close(nic);
	spin_object__close(object);
	traffic_start(&traffic, MESSAGES, 1, &opts.message);
	return ctx;
}

static void on_event(void *arg, const struct spin_event *event)
{
	if (event->type == SPIN_EVENT_RAN && event->hpu < SPIN_HPUS_MAX)
		runs_of[event->hpu]++;
	traffic_event(arg, event);
}

/*
 * Counts the HPUs that had a fair share of the handler runs. No run may be on an HPU that does not exist. (The last HPU may be
 * that of the sweeps.)
 */
static void check_hpus(void)
{
	unsigned expect = hpus == SPIN_HPUS_QUEUE ? 4 : (unsigned)sysconf(_SC_NPROCESSORS_ONLN), busy = 0;

	printf("runs by HPU:");
	for (unsigned i = 0; i < SPIN_HPUS_MAX; i++) {
		busy += runs_of[i] > traffic.runs / 40;
		if (runs_of[i])
			printf(" %llu", (unsigned long long)runs_of[i]);
		if (runs_of[i] && i > expect)
			die("a handler ran on an HPU that there is not");
	}
	putchar('\n');
	/* the scheduler decides which CPU a thread runs on */
	if (hpus != SPIN_HPUS_CPU && busy < expect)
		die("not all HPUs had a share");
}

/* Returns the number of queues that had a fair share. The caller is in the far namespace. */
static unsigned queues_used(void)
{
	FILE *from = popen("ethtool -S " FAR_DEV, "re");
	char line[128], name[32];
	unsigned queue, used = 0;
	unsigned long long n;

	while (from && fgets(line, sizeof(line), from))
		if (sscanf(line, " rx_queue_%u_%31[a-z_]: %llu", &queue, name, &n) == 3 && !strcmp(name, "xdp_packets"))
			used += n > datagrams / 20;
	if (!from || pclose(from))
		die("ethtool -S fails");
	return used;
}

static int print_message(void *arg, const struct spin_message_info *m)
{
	(void)arg;
	printf("in flight: message %u, %s, %u of %u packets, %u parked, lowest missing %u, since %u ms, idle %u ms\n", m->message_id,
	       spin_message_phase_name(m->phase), m->packets, m->packets_total, m->parked, m->lowest_missing, m->age_ms, m->idle_ms);
	return 0;
}

static void set_up_addresses(const struct pair *pair)
{
	char command[256];

	netns_enter(pair->near_ns);
	snprintf(command, sizeof(command),
		 "mac=$(ip neigh show " FAR_ADDR " | sed 's/.*lladdr \\([^ ]*\\).*/\\1/'); "
		 "for i in $(seq 100 %u); do ip neigh replace 10.78.0.$i lladdr $mac dev " NEAR_DEV " nud permanent || exit; done",
		 99 + ADDRESSES);
	netns_shell(command);
	for (unsigned i = 0; i < SENDERS; i++)
		senders[i] = (struct sender){ .number = i, .fd = open_socket(i), .random = i };
	netns_enter(pair->far_ns);
	snprintf(command, sizeof(command), "for i in $(seq 100 %u); do ip addr add 10.78.0.$i/24 dev " FAR_DEV " || exit; done",
		 99 + ADDRESSES);
	netns_shell(command);
}

/* Excludes packets that the kernel sends when the link comes up: multicast listener reports, which have IPv6 extension headers. */
static uint64_t counted(const struct spin_ctx *ctx, uint64_t *packets)
{
	uint64_t all = counts_all(ctx, packets);

	return all - packets[SPIN_REASON_IP6_EXTENSION];
}

static int run(void)
{
	struct spin_message_stats stats;
	uint64_t packets[SPIN_REASON_COUNT], flow_control = 0;
	struct spin_ctx *ctx;
	struct pair pair;
	void *state, *host;
	size_t bytes;
	unsigned queues;

	pair__open(&pair);
	set_up_addresses(&pair);
	if (hpus == SPIN_HPUS_CPU)
		netns_thread_napi(FAR_DEV);
	ctx = attach();
	running = SENDERS;
	for (struct sender *s = senders; s < senders + SENDERS; s++)
		if (pthread_create(&s->thread, NULL, send_all, s))
			die("no thread");
	while (running) {
		if (spin_ctx__events(ctx, on_event, &traffic) < 0)
			die(spin_strerror_last());
		readings++;
	}
	for (struct sender *s = senders; s < senders + SENDERS; s++) {
		pthread_join(s->thread, NULL);
		if (s->reason)
			die(s->reason);
	}
	/* the library's thread handles what is still parked, and the last packets may still be in flight */
	for (int try = 0; try < 100; try++) {
		if (spin_ctx__events(ctx, on_event, &traffic) < 0 || spin_ctx__message_stats(ctx, &stats))
			die(spin_strerror_last());
		if (stats.completed == MESSAGES && counted(ctx, packets) == datagrams)
			break;
		usleep(20000);
	}
	spin_ctx__events(ctx, on_event, &traffic);
	counts_all(ctx, packets);
	queues = queues_used();
	printf("HPUs %s: %u messages of %llu packets, %llu datagrams on %u queues, %llu runs of handlers:", spin_hpus_name(hpus), MESSAGES,
	       (unsigned long long)traffic.packets, (unsigned long long)datagrams, queues, (unsigned long long)traffic.runs);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		if (packets[i])
			printf(" %s %llu", spin_reason_name((enum spin_reason)i), (unsigned long long)packets[i]);
		flow_control += i >= SPIN_REASON_NO_ME ? packets[i] : 0;
	}
	putchar('\n');
	if (stats.opened != MESSAGES || stats.completed != MESSAGES || stats.evicted || stats.events_lost) {
		printf("opened %llu, completed %llu, evicted %llu, replay_lost %llu, events_lost %llu\n", (unsigned long long)stats.opened,
		       (unsigned long long)stats.completed, (unsigned long long)stats.evicted, (unsigned long long)stats.replay_lost,
		       (unsigned long long)stats.events_lost);
		spin_ctx__messages(ctx, print_message, NULL);
		die("messages were opened twice, evicted or not completed, or events lost");
	}
	if (counted(ctx, packets) != datagrams)
		die("the counters do not add up to the datagrams sent");
	if (queues < 4)
		die("not all queues had a share");
	check_hpus();
	if (!traffic_complete(&traffic))
		die("handlers did not run as they have to");
	if (spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || spin_ctx__host_memory(ctx, &host, &bytes))
		die(spin_strerror_last());
	if (!traffic_compare(&traffic, state, host, flow_control > 0))
		die("state or host memory is not what the reference has");
	spin_ctx__destroy(ctx);
	traffic_stop(&traffic);
	pair__close(&pair);
	return 0;
}

/* Runs each kind in a child process, which releases everything that it opens. */
int main(void)
{
	for (hpus = SPIN_HPUS_CPU; hpus <= SPIN_HPUS_SPREAD; hpus++) {
		int status = 1;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid)
			exit(run());
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			die("a process failed");
		if (WEXITSTATUS(status))
			return WEXITSTATUS(status);
	}
	return 0;
}
