/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Strangers flood a receiver with packets under addresses that are not theirs, slowly or as fast as the machine can, while
 * a sender sends messages: all of these arrive, with at most twice the packets that an idle line takes.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <common/built.h>
#include <common/netns.h>
#include <common/pair.h>
#include <common/random.h>
#include <user/libspin/libspin_message.h>
#include <user/libspin/libspin_send.h>

#define MESSAGES    100u
#define BYTES       200000u
#define TRIES       4u   /* a message that was given up is sent again, as applications do */
#define BATCH       32u
#define FRAME_BYTES 74u

enum kind { FIRST, MIDDLE, DUPLICATE, TRICKLE };

static const struct flood {
	const char *name;
	enum kind kind;
	unsigned sources;     /* how many addresses they come from */
	unsigned a_second;    /* packets; 0: as many as go */
	int once;             /* the receiver has one entry at a time, to be used once */
} floods[] = {
	{ "nobody", FIRST, 0, 0, 0 },
	{ "nobody, one entry", FIRST, 0, 0, 1 },
	{ "one message that trickles on into the only entry", TRICKLE, 1, 2, 1 },
	{ "444 first packets a second", FIRST, 100000, 444, 0 },
	{ "first packets", FIRST, 1u << 24, 0, 0 },
	{ "middle packets", MIDDLE, 1u << 24, 0, 0 },
	{ "duplicates", DUPLICATE, 1, 0, 0 },
	{ "first packets of one source", FIRST, 1, 0, 0 },
	{ "middle packets of one source", MIDDLE, 1, 0, 0 },
};

static struct pair pair;
static uint8_t data[BYTES];
static struct spin_ctx *ctx;
static const struct flood *flood;
static atomic_int stop, arrived, posted;
static atomic_ullong flooded;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	fflush(stdout);
	_Exit(1);
}

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htonl(v);
	memcpy(at, &v, sizeof(v));
}

/* The n-th packet of the flood: 22 bytes of payload. */
static void make(uint8_t *frame, uint64_t n)
{
	uint8_t *ip = frame + 14, *udp = ip + 20, *slmp = udp + 8;
	uint32_t sum = 0, id = flood->kind == DUPLICATE || flood->kind == TRICKLE ? 7 : (uint32_t)n, offset = 0;

	if (flood->kind == MIDDLE)
		offset = 22;
	if (flood->kind == TRICKLE)
		offset = (uint32_t)n * 22;
	memset(frame, 0, FRAME_BYTES);
	memset(frame, 0xff, 6);
	frame[6] = 2;
	put16(frame + 12, ETHERTYPE_IP);
	ip[0] = 0x45;
	put16(ip + 2, FRAME_BYTES - 14);
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	put32(ip + 12, 0x64000000u + (uint32_t)(n * 2654435761u % flood->sources));
	inet_pton(AF_INET, FAR_ADDR, ip + 16);
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~(sum + (sum >> 16)) & 0xffff);
	put16(udp, 4660);
	put16(udp + 2, 9330);
	put16(udp + 4, FRAME_BYTES - 34);
	put16(slmp, 0x4000);
	put32(slmp + 2, id);
	put32(slmp + 6, offset);
}

static void *attack(void *arg)
{
	static uint8_t frame[BATCH][FRAME_BYTES];
	struct iovec iov[BATCH];
	struct mmsghdr message[BATCH] = { 0 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	uint64_t n = 0;
	int fd;

	netns_enter(pair.near_ns);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	to.sll_ifindex = (int)if_nametoindex(NEAR_DEV);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		die("a packet socket");
	for (unsigned i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ frame[i], FRAME_BYTES };
		message[i].msg_hdr.msg_iov = &iov[i];
		message[i].msg_hdr.msg_iovlen = 1;
	}
	while (!stop) {
		/* all MPQs at once, and then so many a second */
		unsigned count = flood->a_second && n >= SPIN_MPQS ? 1 : flood->kind == TRICKLE ? 1 : BATCH;

		for (unsigned i = 0; i < count; i++)
			make(frame[i], n + i);
		if (sendmmsg(fd, message, count, 0) < 0)
			continue; /* the device's queue is full */
		n += count;
		flooded = n;
		if (count == 1)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000000 / (long)flood->a_second - 1 }, NULL);
	}
	close(fd);
	return arg;
}

static void post(void)
{
	const struct spin_me_opts once = { .bytes = sizeof(once), .ignore_bits = ~0ull, .options = SPIN_ME_USE_ONCE };
	unsigned me;

	if (spin_ctx__me_append(ctx, &once, &me))
		die("an entry");
	posted++;
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type == SPIN_EVENT_MESSAGE && event->length == BYTES)
		arrived++;
	if (event->flags & SPIN_EVENT_UNLINKED)
		*(int *)arg = 1;
}

static void *read_events(void *arg)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

	while (!stop) {
		int unlinked = 0;

		poll(&fd, 1, 20);
		if (spin_ctx__events(ctx, on_event, &unlinked) < 0)
			die("events");
		if (unlinked)
			post();
	}
	return arg;
}

static struct spin_nic *receiver(void)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .no_entry = flood->once } };
	struct spin_object *object;
	struct spin_nic *nic;
	struct spin_rule rule;
	char path[512];

	netns_enter(pair.far_ns);
	if (built_object("msg_default", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("the receiver");
	spin_object__close(object);
	if (flood->once)
		post();
	return nic;
}

/* Datagrams that it took to get all messages through. */
static uint64_t send_all(unsigned *given_up)
{
	struct spin_send_report report;
	struct spin_sender *s;
	uint64_t sent = 0;

	netns_enter(pair.near_ns);
	if (spin_sender__open(FAR_ADDR, NULL, NULL, &s))
		die("a sender");
	for (unsigned i = 0; i < MESSAGES; i++) {
		for (unsigned tries = 1;; tries++) {
			int err = spin_sender__send(s, data, BYTES, NULL, &report);

			sent += report.sent;
			if (!err)
				break;
			++*given_up;
			if (tries == TRIES)
				die("a message does not get through");
		}
	}
	spin_sender__close(s);
	return sent;
}

/* One flood; what it took. */
static uint64_t run(const struct flood *f)
{
	struct spin_message_stats stats;
	pthread_t attacker, reader;
	unsigned given_up = 0;
	struct spin_nic *nic;
	uint64_t sent;

	flood = f;
	stop = arrived = posted = 0;
	flooded = 0;
	nic = receiver();
	if (pthread_create(&reader, NULL, read_events, NULL))
		die("a thread");
	if (f->sources) {
		if (pthread_create(&attacker, NULL, attack, NULL))
			die("a thread");
		while (flooded < (f->kind == TRICKLE ? 1 : 2 * BATCH) || (f->a_second > 2 && flooded < SPIN_MPQS))
			usleep(1000);
	}
	sent = send_all(&given_up);
	for (unsigned i = 0; i < 500 && (unsigned)arrived < MESSAGES; i++)
		usleep(10000);
	stop = 1;
	pthread_join(reader, NULL);
	if (f->sources)
		pthread_join(attacker, NULL);
	if (spin_ctx__message_stats(ctx, &stats))
		die("counts");
	printf("%-50s %9" PRIu64 " packets against %4" PRIu64 ", %u given up, %d arrived; %" PRIu64 " of %" PRIu64
	       " messages evicted for others\n", f->name, (uint64_t)flooded, sent, given_up, (int)arrived, stats.pressed, stats.opened);
	fflush(stdout);
	if ((unsigned)arrived < MESSAGES)
		die("an acknowledged message was not told of");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	return sent;
}

int main(void)
{
	uint64_t seed = 1, idle[2], sent;

	random_fill(&seed, data, sizeof(data));
	pair__open(&pair);
	for (unsigned i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
		sent = run(&floods[i]);
		if (!floods[i].sources)
			idle[floods[i].once] = sent;
		else if (sent > 2 * idle[floods[i].once])
			die("more than twice the packets that it takes without a flood");
	}
	return 0;
}
