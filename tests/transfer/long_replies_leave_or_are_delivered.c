/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests replies that are longer than their requests (SPIN_REPLY), on frames with no space beyond a sender's skb, as with veth and generic
 * XDP. A reply that fits into the space that the dispatcher makes must be sent. A longer one must be sent as well, or be delivered as the
 * handler left it, with a correct checksum. Run by tests/run.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/attached.h"
#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include "tests/common/traffic/burst.h"
#include <spin/libspin.h>

#define PORT     9000
#define REQUESTS 200
#define ROOM     192 /* bpf/room.h */

/* Same layout as in tests/handlers/datagrams/longer.c; network byte order. */
struct ask {
	uint32_t bytes, step, start;
};

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

/* Returns 1 if the client gets the answer, 0 if the server gets the request. */
static int is_answered(int client, int server, uint32_t bytes)
{
	const struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = inet_addr(FAR_ADDR) };
	const struct ask ask = { htonl(bytes), htonl(0x04040404), htonl(0x01010101) };
	struct pollfd fds[] = { { .fd = client, .events = POLLIN }, { .fd = server, .events = POLLIN } };
	uint32_t got[512];
	ssize_t length;

	if (sendto(client, &ask, sizeof(ask), 0, (const struct sockaddr *)&to, sizeof(to)) != sizeof(ask))
		die("send");
	if (poll(fds, 2, 5000 * slow_factor()) != 1)
		die("a request was neither answered nor delivered, or both");
	length = recv(fds[0].revents ? client : server, got, sizeof(got), 0);
	if (!fds[0].revents) {
		if (length != sizeof(ask) || got[0] != ask.bytes || got[1] != ask.step || got[2] != 0x01020304)
			die("a request is delivered that is not as the handler left it");
		return 0;
	}
	if (length != (ssize_t)bytes || got[0] != ask.bytes)
		die("an answer is wrong");
	for (uint32_t i = 1; i < bytes / 4; i++)
		if (ntohl(got[i]) != 0x01010101 + (i - 1) * 0x04040404)
			die("an answer has other bytes");
	return 1;
}

/* Replies must still have space after the rule was changed, and after the handlers were replaced. */
static void change_rule_and_handlers(struct spin_ctx *ctx, int client, int server)
{
	struct spin_object *object;
	struct spin_rule rule;
	char path[512];

	if (spin_rule__parse("udp dport 9000-9001", &rule) || spin_ctx__set_rule(ctx, &rule) ||
	    !is_answered(client, server, sizeof(struct ask) + ROOM))
		die("there is no room with another rule");
	if (built_object("longer", path, sizeof(path)) || spin_object__open(path, &object) || spin_ctx__swap(ctx, object) ||
	    !is_answered(client, server, sizeof(struct ask) + ROOM))
		die("there is no room with other handlers");
	spin_object__close(object);
}

static void run_mode(const struct pair *pair, enum spin_mode mode)
{
	unsigned answered = 0, delivered = 0;
	const struct spin_message_opts no_messages = { 0 };
	uint64_t packets[SPIN_REASON_COUNT];
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	int client, server;

	netns_enter(pair->far_ns);
	server = burst__socket(FAR_ADDR, PORT);
	if (attached__open(&ctx, "longer", FAR_DEV, "udp dport 9000", &no_messages, mode))
		die("the handler");
	netns_enter(pair->near_ns);
	client = burst__socket(NEAR_ADDR, 0);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		const uint32_t bytes = 4 + i * 1020 / (REQUESTS - 1) / 4 * 4;

		if (is_answered(client, server, bytes))
			answered++;
		else if (bytes <= sizeof(struct ask) + ROOM)
			die("there is no room for a reply that the dispatcher makes room for");
		else
			delivered++;
	}
	spin_ctx__counters(ctx, packets);
	printf("%s XDP: %u answered, %u delivered\n", mode == SPIN_MODE_NATIVE ? "native" : "generic", answered, delivered);
	if (packets[SPIN_REASON_REPLIED] != answered || packets[SPIN_REASON_SUCCESS] != delivered)
		die("the counters do not tell what happened");
	if (!delivered)
		die("all replies have room: the test does not reach what it is for");
	netns_enter(pair->far_ns);
	change_rule_and_handlers(ctx, client, server);
	close(client);
	close(server);
	nic = spin_ctx__nic(ctx);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
}

int main(void)
{
	struct pair pair;

	pair__open(&pair);
	run_mode(&pair, SPIN_MODE_NATIVE);
	run_mode(&pair, SPIN_MODE_GENERIC);
	pair__close(&pair);
	return 0;
}
