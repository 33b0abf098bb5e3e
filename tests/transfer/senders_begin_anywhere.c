/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a sender that begins in the middle of a message. That of FPsPIN (PsPIN on an FPGA NIC) has four threads, each of which begins at
 * its own part. Here the four parts share a socket and take turns, and the part with the first packet is last, so that packets are also
 * parked (kept until the first one has been handled). The default window of a context (how far a packet may be beyond the lowest missing
 * one) holds the whole message: no packet may be beyond it, and the message must arrive as it was sent. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define BYTES         (4u << 20)
#define PAYLOAD_BYTES 1024u
#define PACKETS       (BYTES / PAYLOAD_BYTES)
#define PARTS         4u
#define TURN          16u /* packets of a part per turn */
#define LIMIT_S       60

static uint8_t data[BYTES];
static unsigned char acknowledged[PACKETS];
static unsigned acknowledgements;
static struct spin_ctx *ctx;
static unsigned messages;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

static void on_event(void *arg, const struct spin_event *event)
{
	const uint32_t id = *(const uint32_t *)arg;

	if (event->type != SPIN_EVENT_MESSAGE || event->message_id != id || event->length != BYTES)
		die("another event than the message's");
	messages++;
}

static void receiver(const struct pair *pair)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .host_bytes = BYTES, .messages = 16, .idle_ms = 20000 } };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	char path[512];
	int err;

	netns_enter(pair->far_ns);
	if (built_object("msg_copy", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp dport 9330", &rule) ||
	    spin_nic__open(FAR_DEV, &nic))
		die("the receiver");
	err = spin_ctx__create_opts(nic, object, &rule, &opts, &ctx);
	if (err == -ENOSYS) {
		printf("skip: %s\n", spin_strerror_last());
		exit(77);
	}
	if (err || spin_ctx__attach(ctx))
		die("the receiver");
	netns_enter(pair->near_ns);
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

static void send_packet(int fd, uint32_t id, uint32_t packet)
{
	struct {
		struct spin_slmp slmp;
		uint8_t payload[PAYLOAD_BYTES];
	} __attribute__((packed)) out = {
		.slmp = { htons(SPIN_SLMP_SYN | (packet + 1 == PACKETS ? SPIN_SLMP_EOM : 0)), htonl(id), htonl(packet * PAYLOAD_BYTES) },
	};

	memcpy(out.payload, data + (size_t)packet * PAYLOAD_BYTES, PAYLOAD_BYTES);
	if (send(fd, &out, sizeof(out), 0) != sizeof(out))
		die("cannot send");
}

/* Waits for the first acknowledgement, then receives all that have arrived. */
static void receive_acknowledgements(int fd, uint32_t id, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct spin_slmp ack;
	uint32_t packet;

	poll(&p, 1, wait_ms);
	while (recv(fd, &ack, sizeof(ack), MSG_DONTWAIT) == sizeof(ack)) {
		packet = ntohl(ack.offset) / PAYLOAD_BYTES;
		if (ack.flags != htons(SPIN_SLMP_ACK) || packet >= PACKETS)
			die("not an acknowledgement");
		if (ack.message_id != htonl(id) || acknowledged[packet])
			continue;
		acknowledged[packet] = 1;
		acknowledgements++;
	}
}

/* Sends, in one round over all parts, the packets that have not been acknowledged. */
static void send_round(int fd, uint32_t id)
{
	for (uint32_t at = 0; at < PACKETS / PARTS; at += TURN)
		for (uint32_t part = PARTS; part-- > 0;) {
			uint32_t first = part * (PACKETS / PARTS) + at;

			for (uint32_t packet = first; packet < first + TURN; packet++)
				if (!acknowledged[packet])
					send_packet(fd, id, packet);
			receive_acknowledgements(fd, id, 0);
		}
	receive_acknowledgements(fd, id, 20);
}

static void send_message(int fd, uint32_t id)
{
	const time_t end = time(NULL) + LIMIT_S * slow_factor();
	size_t memory_bytes;
	uint8_t *memory;

	memset(acknowledged, 0, sizeof(acknowledged));
	acknowledgements = messages = 0;
	if (spin_ctx__host_memory(ctx, (void **)&memory, &memory_bytes))
		die("host memory");
	memset(memory, 0, BYTES);
	while (acknowledgements < PACKETS && time(NULL) < end)
		send_round(fd, id);
	while (!messages && time(NULL) < end) {
		struct pollfd p = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

		poll(&p, 1, 100);
		if (spin_ctx__events(ctx, on_event, &id) < 0)
			die("events");
	}
	printf("message %u: %u of %u packets acknowledged, %u events\n", id, acknowledgements, PACKETS, messages);
	if (acknowledgements != PACKETS || messages != 1)
		die("the message did not arrive");
	if (memcmp(memory, data, BYTES))
		die("what arrived is not what was sent");
}

int main(void)
{
	uint64_t seed = 1, packets[SPIN_REASON_COUNT];
	struct pair pair;
	int fd;

	random_fill(&seed, data, sizeof(data));
	pair__open(&pair);
	receiver(&pair);
	fd = open_socket();
	for (uint32_t id = 1; id <= 3; id++)
		send_message(fd, id);
	spin_ctx__counters(ctx, packets);
	if (packets[SPIN_REASON_BEYOND_WINDOW])
		die("packets were beyond the window");
	if (!packets[SPIN_REASON_PARKED])
		die("no packet came before the first one: the test tests nothing");
	spin_ctx__destroy(ctx);
	pair__close(&pair);
	return 0;
}
