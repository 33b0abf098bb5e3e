/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests messages without a message protocol: plain sockets send datagrams of any length, and a match rule identifies the last one. Each
 * socket's messages must arrive unchanged, over IPv4 and IPv6. Datagrams that belong to no message, or that resemble SLMP, the message
 * protocol, must have no effect. Nothing must be answered. Run by tests/run.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/attached.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"

#define PORT      9000
#define PACKETS   40u
#define MESSAGES  25u
#define BYTES_MIN 6u /* shorter ones end before the word that identifies the last one */

static struct spin_ctx *ctx;
static struct spin_event last_message;
static unsigned messages;
static uint64_t sent;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type != SPIN_EVENT_MESSAGE)
		die("an event of another kind");
	last_message = *event;
	messages++;
}

static void receiver(const struct pair *pair, const char *rule_text)
{
	const struct spin_message_opts message = { 0 };

	netns_enter(pair->far_ns);
	if (attached__open(&ctx, "msg_default", FAR_DEV, rule_text, &message, SPIN_MODE_AUTO))
		die("the receiver");
	netns_enter(pair->near_ns);
}

static int open_socket(const char *address, int family)
{
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(family, address, family == AF_INET ? (void *)&to4.sin_addr : (void *)&to6.sin6_addr);
	if (fd < 0 || connect(fd, family == AF_INET ? (void *)&to4 : (void *)&to6, family == AF_INET ? sizeof(to4) : sizeof(to6)))
		die("a socket");
	return fd;
}

/* Only the last datagram begins with 0xffff: the lower half of word 10 for IPv4, of word 15 for IPv6. */
static void send_packet(int fd, uint8_t *data, uint32_t bytes, int is_last)
{
	data[0] = is_last ? 0xff : 0x20; /* 0x2000: looks like an SLMP acknowledgement */
	data[1] = is_last ? 0xff : 0;
	if (send(fd, data, bytes, 0) != (ssize_t)bytes)
		die("send");
	sent++;
}

static void wait_for(unsigned want)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

	while (messages < want) {
		if (poll(&fd, 1, 5000 * slow_factor()) <= 0)
			die("no completion");
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			die("events");
	}
	if (messages != want)
		die("more messages than were sent");
}

static void send_messages(const char *address, int family, uint64_t *seed)
{
	static uint8_t data[PACKETS * 1400];
	int fd = open_socket(address, family), other = open_socket(address, family);
	uint8_t answer[64], alone[BYTES_MIN] = { 0 };
	size_t memory_bytes;
	uint8_t *memory;

	if (spin_ctx__host_memory(ctx, (void **)&memory, &memory_bytes))
		die("host memory");
	for (unsigned m = 0; m < MESSAGES; m++) {
		unsigned packets = 1 + (unsigned)random_below(seed, PACKETS), before = messages;
		uint32_t bytes = 0;

		random_fill(seed, data, sizeof(data));
		memset(memory, 0xee, sizeof(data));
		for (unsigned p = 0; p < packets; p++) {
			uint32_t length = BYTES_MIN + (uint32_t)random_below(seed, 1394);

			if (m == 3 && p == 1) /* not a packet of the message */
				send(fd, NULL, 0, 0);
			send_packet(fd, data + bytes, length, p + 1 == packets);
			bytes += length;
		}
		wait_for(before + 1);
		if (last_message.length != bytes || last_message.deposited_bytes != bytes || last_message.message_id != PORT)
			die("another message than was sent");
		if (memcmp(memory, data, bytes) || memory[bytes] != 0xee)
			die("what arrived is not what was sent");
		/* another socket's message in between is a message of its own */
		send_packet(other, alone, BYTES_MIN, 1);
		wait_for(before + 2);
		if (last_message.length != BYTES_MIN)
			die("a flow has what another one sent");
	}
	if (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) >= 0 || recv(other, answer, sizeof(answer), MSG_DONTWAIT) >= 0)
		die("somebody answers");
	close(fd);
	close(other);
}

static void run(const struct pair *pair, const char *rule, const char *address, int family, uint64_t *seed)
{
	uint64_t packets[SPIN_REASON_COUNT];

	messages = 0;
	sent = 0;
	receiver(pair, rule);
	send_messages(address, family, seed);
	spin_ctx__counters(ctx, packets);
	if (packets[SPIN_REASON_PROCEEDED] != sent || packets[SPIN_REASON_MALFORMED] != 1)
		die("another count than was sent");
	printf("%u messages in %" PRIu64 " packets\n", messages, sent);
	spin_ctx__destroy(ctx);
}

int main(void)
{
	struct pair pair;
	uint64_t seed = 1;

	pair__open(&pair);
	run(&pair, "udp ip4 dport 9000 eom 10/0xffff=0xffff", FAR_ADDR, AF_INET, &seed);
	run(&pair, "udp ip6 dport 9000 eom 15/0xffff=0xffff", FAR_ADDR6, AF_INET6, &seed);
	pair__close(&pair);
	return 0;
}
