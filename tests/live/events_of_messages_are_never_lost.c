/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that every message whose packets are acknowledged has an event for the program, however slowly events are read. Without room for
 * the event of its end a message is not accepted, and its sender retries. With the option message.lose_events messages are accepted anyway,
 * and events are lost. Each message here is one packet. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define MESSAGES 20000u /* the ring has room for about 11,900 events */
#define BURST    64u
#define LIMIT_S  60

static unsigned char acknowledged[MESSAGES], reported[MESSAGES];
static unsigned acknowledgements, events;
static struct spin_ctx *ctx;
static struct pair pair;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type != SPIN_EVENT_MESSAGE || event->message_id >= MESSAGES || reported[event->message_id]++)
		die("another event than one for each message");
	events++;
}

static void read_events(void)
{
	if (spin_ctx__events(ctx, on_event, NULL) < 0)
		die("events");
}

static void open_receiver(int lose_events)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .lose_events = lose_events, .tombstone_ms = 60000 } };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	char path[512];

	netns_enter(pair.far_ns);
	if (built_object("msg_copy", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_nic__open(FAR_DEV, &nic) || spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("the receiver");
	spin_object__close(object);
	netns_enter(pair.near_ns);
	memset(acknowledged, 0, sizeof(acknowledged));
	memset(reported, 0, sizeof(reported));
	acknowledgements = events = 0;
}

static int open_socket(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	if (fd < 0 || connect(fd, (void *)&to, sizeof(to)))
		die("a socket");
	return fd;
}

static void receive_acks(int fd, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct spin_slmp ack;

	poll(&p, 1, wait_ms);
	while (recv(fd, &ack, sizeof(ack), MSG_DONTWAIT) == sizeof(ack)) {
		uint32_t id = ntohl(ack.message_id);

		if (ack.flags != htons(SPIN_SLMP_ACK) || id >= MESSAGES)
			die("not an acknowledgement");
		acknowledgements += !acknowledged[id];
		acknowledged[id] = 1;
	}
}

/* Sends each message that has not been acknowledged. */
static void send_round(int fd)
{
	unsigned sent = 0;

	for (uint32_t id = 0; id < MESSAGES; id++) {
		struct {
			struct spin_slmp slmp;
			uint8_t payload[8];
		} __attribute__((packed)) out = { .slmp = { htons(SPIN_SLMP_SYN | SPIN_SLMP_EOM), htonl(id), 0 } };

		if (acknowledged[id])
			continue;
		if (send(fd, &out, sizeof(out), 0) != sizeof(out))
			die("cannot send");
		if (++sent % BURST == 0)
			receive_acks(fd, 0);
	}
	receive_acks(fd, 100);
}

static struct spin_message_stats close_receiver(int fd)
{
	struct spin_message_stats stats;

	if (spin_ctx__message_stats(ctx, &stats))
		die("statistics");
	read_events();
	spin_ctx__destroy(ctx);
	close(fd);
	return stats;
}

/* The reader sleeps until packets are refused, then continues. */
static void keep_events(void)
{
	const time_t end = time(NULL) + LIMIT_S * slow_factor();
	struct spin_message_stats stats = { 0 };
	int fd;

	open_receiver(0);
	fd = open_socket();
	while (!stats.events_full && time(NULL) < end) {
		send_round(fd);
		if (spin_ctx__message_stats(ctx, &stats))
			die("statistics");
	}
	if (!stats.events_full || acknowledgements == MESSAGES)
		die("no message had to wait for the reader");
	while ((acknowledgements < MESSAGES || events < MESSAGES) && time(NULL) < end) {
		read_events();
		send_round(fd);
	}
	stats = close_receiver(fd);
	printf("%u messages acknowledged, %u events, %llu lost, %llu packets found no room\n", acknowledgements, events,
	       (unsigned long long)stats.events_lost, (unsigned long long)stats.events_full);
	if (acknowledgements != MESSAGES || events != MESSAGES || stats.events_lost)
		die("not one event for each message that was acknowledged");
}

static void lose_events(void)
{
	const time_t end = time(NULL) + LIMIT_S * slow_factor();
	struct spin_message_stats stats;
	int fd;

	open_receiver(1);
	fd = open_socket();
	while (acknowledgements < MESSAGES && time(NULL) < end)
		send_round(fd);
	stats = close_receiver(fd);
	printf("%u messages acknowledged, %llu events lost, %llu packets found no room\n", acknowledgements,
	       (unsigned long long)stats.events_lost, (unsigned long long)stats.events_full);
	if (acknowledgements != MESSAGES || !stats.events_lost || stats.events_full)
		die("message.lose_events does not lose events, or refuses messages");
}

int main(void)
{
	pair__open(&pair);
	keep_events();
	lose_events();
	pair__close(&pair);
	return 0;
}
