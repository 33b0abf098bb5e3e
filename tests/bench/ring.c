/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the cost of deliveries: a context's datagrams through its ring (libspin_ring.h), through the host's stack to a UDP socket that
 * recvmmsg reads, and, as messages, into a matching entry (memory that the host posts for messages). Same handlers and packets,
 * alternating, medians.
 *
 *	datagrams/s  one CPU sends (ring.bpf.c) and runs the receiving veth's NAPI; the other receives and counts. The sender never
 *	             has more datagrams in flight than the buffers of either delivery hold, so none is lost. It waits for the receiver.
 *	host_ns      CPU time per datagram, from sender to application, in bursts that are sent first and then received, on one CPU, so
 *	             that other processes do not affect it. The baseline, a handler that drops the same datagrams, is subtracted.
 *
 * ring FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/attached.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/packet_feed.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/proc.h"
#include "user/conformance/template/template.h"
#include <spin/libspin_message.h>
#include <spin/libspin_ring.h>
#include <spin/slmp.h>

#include "tests/bench/ring.h"

#define ROUNDS          9
#define PORT            9000
#define SEND_CPU        0
#define RECEIVE_CPU     1
#define BATCH           64
#define WINDOW          1024
#define BURST           2048       /* packets; the ring has room for 4096 */
#define BURSTS          25         /* per delivery and size */
#define BUFFER_BYTES    (16 << 20) /* of the socket: holds as many datagrams as the ring, because each takes more than a page */
#define BUSY_POLL_NS    200000
#define QUIET_MS        20 /* datagrams in flight are lost if a round receives none for so long */
#define MESSAGE_PACKETS 256
#define TARGET          3.0

enum delivery { SOCKET, RING, ENTRY, DROPPED, DELIVERIES };

static const struct size {
	const char *suffix; /* of the rows' names */
	uint32_t payload_bytes;
	uint64_t datagrams; /* per round */
} sizes[] = { { "", 64, 500000 }, { ".1400", 1400, 300000 } };

static struct bench {
	struct pair pair;
	struct bpf_object *object;
	volatile struct ring_feed *feed; /* shared with the sender */
	struct template packet;
	struct spin_ctx *ctx[DELIVERIES]; /* SOCKET and RING share one */
	struct spin_ring *ring;
	int fd, near_index;
} b;

/* One round, or burst. The sender's fields belong to its thread. */
struct round {
	enum delivery delivery;
	uint64_t packets;  /* burst: packets to send; otherwise 0 */
	uint64_t until;    /* round: packets to receive */
	volatile int done; /* 1: the sender must stop */
	volatile int sent; /* 1: the sender has stopped */
	uint64_t received, first_ns, last_ns;
	uint64_t next;   /* lowest number that the next datagram may have */
	uint64_t before; /* packets of ENTRY that were handled before */
};

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- receiver --- */

static void account_received(struct round *r, uint64_t count)
{
	const uint64_t now = now_ns();

	if (!r->received)
		r->first_ns = now;
	r->last_ns = now;
	r->received += count;
	b.feed->received = r->next;
}

/* Returns 1 if there is more to receive. */
static int has_more(const struct round *r)
{
	return r->received < (r->packets ? r->packets : r->until);
}

/* Datagrams are numbered, so duplicates and reordering are detected. */
static void check_sequence(struct round *r, const uint8_t *payload, uint32_t bytes, uint32_t wanted)
{
	uint64_t number;

	memcpy(&number, payload + RING_SEQUENCE_AT - 42, sizeof(number));
	if (bytes != wanted || number < r->next)
		die("datagram %llu of %u bytes came where number %llu or more was to", (unsigned long long)number, bytes,
		    (unsigned long long)r->next);
	r->next = number + 1;
}

static void on_ring_packets(void *arg, const struct spin_ring_packet *packets, unsigned count)
{
	struct round *r = arg;

	for (unsigned i = 0; i < count; i++)
		check_sequence(r, packets[i].frame + packets[i].payload_at, packets[i].payload_bytes, b.packet.bytes - 42);
	account_received(r, count);
}

/* Returns immediately while packets are expected, because sleeping would cost the sender's CPU a wake-up. */
static void wait_for(const struct round *r, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (r->received && now_ns() - r->last_ns < BUSY_POLL_NS)
		return;
	if (poll(&p, 1, QUIET_MS))
		return;
	b.feed->received = b.feed->sequence; /* those in flight in a round are lost */
}

static void receive_ring(struct round *r)
{
	while (has_more(r))
		if (!spin_ring__receive(b.ring, on_ring_packets, r))
			wait_for(r, spin_ring__fd(b.ring));
}

static void receive_socket(struct round *r)
{
	static uint8_t data[BATCH][2048];
	struct sockaddr_in from[BATCH];
	struct mmsghdr message[BATCH] = { 0 };
	struct iovec iov[BATCH];
	int count;

	for (int i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ data[i], sizeof(data[i]) };
		message[i].msg_hdr = (struct msghdr){ .msg_name = &from[i], .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	while (has_more(r)) {
		for (int i = 0; i < BATCH; i++)
			message[i].msg_hdr.msg_namelen = sizeof(from[i]);
		count = recvmmsg(b.fd, message, BATCH, MSG_DONTWAIT, NULL);
		for (int i = 0; i < count; i++)
			check_sequence(r, data[i], message[i].msg_len, b.packet.bytes - 42);
		if (count > 0)
			account_received(r, (uint64_t)count);
		else
			wait_for(r, b.fd);
	}
}

static void drop_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	(void)event;
}

static uint64_t handled(const struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return packets[SPIN_REASON_SUCCESS];
}

/* Data is in host memory when its packet is counted. The application reads the events of whole messages. */
static void receive_entry(struct round *r)
{
	while (spin_ctx__events(b.ctx[ENTRY], drop_event, NULL) > 0)
		;
	account_received(r, handled(b.ctx[ENTRY]) - r->before);
}

static void skip_receive(struct round *r)
{
	r->received = r->packets;
}

/* --- the sender --- */

static void make_packet(enum delivery delivery, const struct size *size)
{
	struct ring_feed *feed = (struct ring_feed *)b.feed;
	char udp[64], payload[64];
	const char *lines[] = { "eth 02:00:00:00:78:02 > 02:00:00:00:78:01", "ip4 " NEAR_ADDR " > " FAR_ADDR, udp, payload };

	snprintf(udp, sizeof(udp), "udp 4000 > %u sum none", delivery == ENTRY ? SPIN_SLMP_PORT : delivery == DROPPED ? PORT + 1 : PORT);
	snprintf(payload, sizeof(payload), "fill %u 0", size->payload_bytes);
	template_start(&b.packet);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (template_line(&b.packet, lines[i]) != 1)
			die("%s: %s", lines[i], engine_error());
	if (template_finish(&b.packet) || b.packet.bytes != size->payload_bytes + 42)
		die("the packet cannot be made: %s", engine_error());
	memcpy(feed->frame, b.packet.frame, sizeof(feed->frame));
	feed->message_packets = delivery == ENTRY ? MESSAGE_PACKETS : 0;
	feed->stride = size->payload_bytes - (uint32_t)sizeof(struct spin_slmp);
	feed->turn = 0;
	feed->message_id += 1u << 20;
}

/* Returns after `count` frames or a signal. The calling thread must be in the sender's namespace. */
static void send_frames(uint32_t count)
{
	const struct bpf_program *generate = bpf_object__find_program_by_name(b.object, "generate");
	struct xdp_md in = { .data_end = b.packet.bytes, .ingress_ifindex = (uint32_t)b.near_index };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = b.packet.frame, .data_size_in = b.packet.bytes, .ctx_in = &in,
		    .ctx_size_in = sizeof(in), .repeat = (int)count, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

	if (bpf_prog_test_run_opts(bpf_program__fd(generate), &opts) && errno != EINTR)
		die("live frames: %s", strerror(errno));
}

static void *send_until_stopped(void *arg)
{
	struct round *r = arg;

	netns_enter(b.pair.near_ns);
	proc_pin(0, SEND_CPU, 1);
	while (!r->done)
		send_frames(1u << 30);
	r->sent = 1;
	return NULL;
}

static void ignore_signal(int signal)
{
	(void)signal;
}

/* --- rounds --- */

static void begin_delivery(enum delivery delivery)
{
	if (delivery == RING && spin_ring__create(b.ctx[RING], NULL, &b.ring))
		die("ring: %s", spin_strerror_last());
}

static void end_delivery(enum delivery delivery)
{
	struct spin_ring_stats stats;

	if (delivery != RING)
		return;
	if (spin_ring__stats(b.ring, &stats) || stats.delivered != stats.received + stats.lost || stats.unbound || stats.too_long)
		die("the ring's counts do not agree: %llu delivered, %llu received, %llu lost", (unsigned long long)stats.delivered,
		    (unsigned long long)stats.received, (unsigned long long)stats.lost);
	spin_ring__destroy(b.ring);
}

static void (*const receive[])(struct round *) = { receive_socket, receive_ring, receive_entry, skip_receive };

static void begin(struct round *r, enum delivery delivery, const struct size *size)
{
	memset(r, 0, sizeof(*r));
	make_packet(delivery, size);
	r->next = b.feed->received = b.feed->sequence;
	r->before = handled(b.ctx[ENTRY]);
	begin_delivery(delivery);
}

/* Sends and receives concurrently. Returns datagrams per second. */
static double one_round(enum delivery delivery, const struct size *size)
{
	pthread_t sender;
	struct round r;
	double per_s;

	begin(&r, delivery, size);
	r.until = size->datagrams;
	b.feed->window = WINDOW;
	if (pthread_create(&sender, NULL, send_until_stopped, &r))
		die("no thread");
	receive[delivery](&r);
	r.done = 1;
	while (!r.sent) { /* the signal may arrive before the call that it interrupts */
		pthread_kill(sender, SIGUSR1);
		usleep(1000);
	}
	pthread_join(sender, NULL);
	b.feed->window = 0;
	per_s = (double)r.received * 1e9 / (double)(r.last_ns - r.first_ns);
	if (delivery == RING)
		while (spin_ring__receive(b.ring, on_ring_packets, &r))
			;
	else
		while (recv(b.fd, NULL, 0, MSG_DONTWAIT) >= 0)
			;
	end_delivery(delivery);
	proc_progress();
	return per_s;
}

/* Sends, then receives, on one CPU. Returns the CPU time per packet. */
static double one_burst(enum delivery delivery, const struct size *size)
{
	struct round r;
	uint64_t ns;

	begin(&r, delivery, size);
	r.packets = BURST;
	ns = thread_ns();
	netns_enter(b.pair.near_ns);
	send_frames(BURST);
	netns_enter(b.pair.far_ns);
	r.sent = 1;
	receive[delivery](&r);
	ns = thread_ns() - ns;
	end_delivery(delivery);
	if (r.received != BURST)
		die("of %u packets %llu were received", BURST, (unsigned long long)r.received);
	return (double)ns / BURST;
}

static void measure_rate(struct measure *m, const struct size *size)
{
	double ring[ROUNDS], stack[ROUNDS];
	struct measure_row *row;
	char name[64];

	for (int i = 0; i < ROUNDS; i++) {
		ring[i] = one_round(RING, size);
		stack[i] = one_round(SOCKET, size);
	}
	snprintf(name, sizeof(name), "delivery.ring_vs_socket%s", size->suffix);
	row = measure_add(m, name, measure_median(ring, ROUNDS), "datagrams/s");
	measure_baseline(row, measure_median(stack, ROUNDS));
	if (!size->suffix[0])
		measure_goal(row, MEASURE_AT_LEAST, TARGET, row->ratio);
}

static void measure_host(struct measure *m, const struct size *size)
{
	static const char *const names[] = { "delivery.stack", "delivery.ring", "delivery.me" };
	double ns[DELIVERIES][BURSTS], dropped;
	char name[64];

	for (int i = 0; i < BURSTS; i++)
		for (int d = 0; d < DELIVERIES; d++)
			ns[d][i] = one_burst(d, size);
	dropped = measure_median(ns[DROPPED], BURSTS);
	for (int d = 0; d < DROPPED; d++) {
		snprintf(name, sizeof(name), "%s%s.host_ns", names[d], size->suffix);
		measure_baseline(measure_add(m, name, measure_median(ns[d], BURSTS) - dropped, "ns"), dropped);
	}
}

static struct spin_ctx *open_context(struct spin_nic *nic, const char *handler, const char *rule, const struct spin_message_opts *message)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = *message };
	struct spin_ctx *ctx;
	const char *reason = attached__context(&ctx, nic, handler, rule, &opts);

	if (reason)
		die("%s: %s", handler, reason);
	return ctx;
}

static void open_receiver(void)
{
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const int bytes = BUFFER_BYTES;
	const struct spin_message_opts datagrams = { 0 }, messages = { .lose_events = 1, .tombstone_ms = 1, .messages = SPIN_MPQS_MAX };
	struct spin_nic *nic;

	netns_enter(b.pair.far_ns);
	if (spin_nic__open(FAR_DEV, &nic) || spin_nic__set_mode(nic, SPIN_MODE_NATIVE))
		die("%s: %s", FAR_DEV, spin_strerror_last());
	b.ctx[SOCKET] = b.ctx[RING] = open_context(nic, "filtering", "udp dport 9000", &datagrams);
	b.ctx[DROPPED] = open_context(nic, "every_nth", "udp dport 9001", &datagrams);
	if (spin_ctx__set(b.ctx[DROPPED], "spin_state.drop_every=1"))
		die("every_nth: %s", spin_strerror_last());
	b.ctx[ENTRY] = open_context(nic, "copy_to_host", "udp dport 9330", &messages);
	b.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (b.fd < 0 || bind(b.fd, (const struct sockaddr *)&own, sizeof(own)) ||
	    setsockopt(b.fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		die("a socket: %s", strerror(errno));
	proc_pin(0, RECEIVE_CPU, 1);
}

int main(int argc, char **argv)
{
	static struct measure m;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	proc_init();
	signal(SIGUSR1, ignore_signal);
	pair__open(&b.pair);
	b.near_index = (int)if_nametoindex(NEAR_DEV);
	b.object = packet_feed__program("ring");
	b.feed = b.object ? packet_feed__variable(b.object, "ring_feed") : NULL;
	if (!b.feed)
		die("the sender cannot be loaded");
	open_receiver();
	measure_begin(&m, "bench-ring");
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure_rate(&m, &sizes[i]);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure_host(&m, &sizes[i]);
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
